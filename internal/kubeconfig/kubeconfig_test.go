package kubeconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/kubeconfig"
)

const file = `
apiVersion: v1
kind: Config
clusters:
- {name: one, cluster: {server: "https://one:6443"}}
- {name: two, cluster: {server: "https://two:6443"}}
contexts:
- {name: one, context: {cluster: one, namespace: team}}
- {name: two, context: {cluster: two}}
`

func TestLoad(t *testing.T) {
	type result struct{ Host, Namespace, Error string }
	for name, test := range map[string]struct {
		file    string // empty: none
		env     bool   // $KUBECONFIG names the file
		options kubeconfig.Options
		want    result
	}{
		"nothing": {want: result{Error: "no cluster to work with: there is no kubeconfig file; name one with --kubeconfig or in $KUBECONFIG"}},
		"a file that does not exist": {options: kubeconfig.Options{Path: "DIR/missing"},
			want: result{Error: "no cluster to work with: stat DIR/missing: no such file or directory"}},
		"a variable for a file that does not exist": {env: true,
			want: result{
				Error: "no cluster to work with: $KUBECONFIG is DIR/config, where there is no current context; name " +
					"a file with one there or with --kubeconfig",
			}},
		"a file without a current context": {file: file, options: kubeconfig.Options{Path: "DIR/config"},
			want: result{Error: "no cluster to work with: DIR/config has no current context; give a file that has one, or --context"}},
		"a context": {
			file: file, options: kubeconfig.Options{Path: "DIR/config", Context: "two"}, want: result{
				Host: "https://two:6443", Namespace: "default",
			},
		},
		"the current context": {file: file + "current-context: one\n", env: true, want: result{Host: "https://one:6443", Namespace: "team"}},
		"a namespace": {
			file: file + "current-context: one\n", env: true, options: kubeconfig.Options{Namespace: "mine"},
			want: result{Host: "https://one:6443", Namespace: "mine"},
		},
		"an unknown context": {
			file: file, env: true, options: kubeconfig.Options{Context: "three"}, want: result{
				Error: `no cluster to work with: context "three" does not exist`,
			},
		},
		"a file that is no YAML": {
			file: "{", options: kubeconfig.Options{Path: "DIR/config"},
			want: result{Error: "no cluster to work with: error loading config file \"DIR/config\""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "config")
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			t.Setenv("KUBECONFIG", "")
			if test.env {
				t.Setenv("KUBECONFIG", path)
			}
			if test.file != "" {
				if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			test.options.Path = strings.ReplaceAll(test.options.Path, "DIR", dir)
			config, namespace, err := kubeconfig.Load(test.options)
			got := result{Namespace: namespace}
			if err != nil {
				got.Error = strings.ReplaceAll(err.Error(), dir, "DIR")
				if strings.HasPrefix(got.Error, test.want.Error) && test.want.Error != "" {
					got.Error = test.want.Error
				}
				for _, hint := range []string{"KUBERNETES_MASTER", "invalid configuration"} {
					if strings.Contains(err.Error(), hint) {
						t.Errorf("the message has a hint that does not help: %s", err)
					}
				}
			} else {
				got.Host = config.Host
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
