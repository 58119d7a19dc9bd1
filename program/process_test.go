package program_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/program"
)

// Not in parallel: each program sets the logger of controller-runtime, which is one for the
// process.
func TestProgramChecksFlags(t *testing.T) {
	const noCluster = "no cluster to work with: stat /nowhere/kubeconfig: no such file or directory"
	server5 := func() (tfprotov5.ProviderServer, error) { return nil, nil }
	server6 := func() (tfprotov6.ProviderServer, error) { return nil, nil }
	tests := map[string]struct {
		program program.Program
		args    []string
		want    string
	}{
		"not linked, no binary": {
			args: []string{"--provider", "/nowhere/provider"},
			want: "--provider: stat /nowhere/provider: no such file or directory",
		},
		"not linked": {args: []string{"--provider", "process_test.go", "--provider-env", "A=b"}, want: noCluster},
		"a bad variable": {
			args: []string{"--provider", "process_test.go", "--provider-env", "=b"},
			want: "--provider-env: must be NAME=VALUE",
		},
		"a bad level": {
			args: []string{"--provider", "process_test.go", "--provider-log-level", "Loud"},
			want: `--provider-log-level: "Loud" is not one of Off, Error, Warn, Info, Debug, Trace`,
		},
		"two servers": {
			program: program.Program{Protocol5: server5, Protocol6: server6},
			want:    "the program has two servers: at most one of Protocol5 and Protocol6 may be set",
		},
		"linked":             {program: program.Program{Protocol6: server6}, want: noCluster},
		"linked, protocol 5": {program: program.Program{Protocol5: server5}, want: noCluster},
		"linked, a bad level": {
			program: program.Program{Protocol6: server6}, args: []string{"--provider-log-level", "Loud"},
			want: `--provider-log-level: "Loud" is not one of Off, Error, Warn, Info, Debug, Trace`,
		},
		"linked, with a binary": {
			program: program.Program{Protocol6: server6},
			args:    []string{"--provider", "process_test.go", "--provider-env", "A=b"}, want: noCluster,
		},
		"linked, with no binary": {
			program: program.Program{Protocol6: server6}, args: []string{"--provider", "/nowhere/provider"},
			want: "--provider: stat /nowhere/provider: no such file or directory",
		},
		"linked, an environment": {
			program: program.Program{Protocol6: server6}, args: []string{"--provider-env", "A=b"},
			want: "--provider-env: the provider has no process of its own, since it is linked into this program: " +
				"give its binary with --provider as well",
		},
		"linked, paths": {
			program: program.Program{Protocol6: server6}, args: []string{"--provider-write-path", "/data"},
			want: "--provider-write-path: the provider has no process of its own, since it is linked into this " +
				"program: give its binary with --provider as well",
		},
		"linked, a required sandbox": {
			program: program.Program{Protocol6: server6}, args: []string{"--sandbox", "Require"},
			want: "--sandbox: there is no sandbox for a provider that is linked into this program: give its binary " +
				"with --provider as well",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.program.Name, test.program.Provider = "test", "test"
			cmd := test.program.Command()
			cmd.SetArgs(append([]string{"--kubeconfig", "/nowhere/kubeconfig"}, test.args...))
			if err := cmd.ExecuteContext(t.Context()); err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %s", err, test.want)
			}
		})
	}
}
