package terraformprovider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

func TestLimitation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ prints, want string }{
		"everything is supported": {prints: "OpenTofu v1.12.6"},
		"without identities": {
			prints: "Terraform v1.11.4",
			want:   "Terraform 1.11.4 does not support resource identities, so nothing can be imported by identity.",
		},
		"without write-only values": {
			prints: "OpenTofu v1.9.0",
			want: "OpenTofu 1.9.0 does not support resource identities, so nothing can be imported by identity, " +
				"nor write-only attributes, so none can be set.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "lb-") // sockets need short paths
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			path := filepath.Join(dir, "program")
			if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+test.prints+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			c := &kinds.CommandLine{Program: path, Dir: dir}
			runner, err := c.Runner(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if diff := cmp.Diff(test.want, (execution{runner: runner}).limitation()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
