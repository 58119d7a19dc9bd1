package conformance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/internal/examplecloudtest"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// BenchmarkLook is a look at one resource that has not changed: a refresh, with each way. Beside it stands
// what OpenTofu needs for the plan of the same resource by itself, starting the provider.
func BenchmarkLook(b *testing.B) {
	cloud := examplecloudtest.Start(b)
	for _, way := range conformance.Ways {
		b.Run(string(way), func(b *testing.B) {
			p, server := examplecloudtest.OpenLauncher(b, launcher(b, examplecloudtest.Framework6, way, release.Latest), cloud)
			ex := executor(way, server)
			r := terraform.Resource{Schema: p.Resources["examplecloud_thing"].Schema}
			made := cloud.Make(b, "things", map[string]any{"name": "x", "region": "us-east-1"})
			in, diags := ex.Import(ctx, r, terraform.ImportTarget{ID: made["id"].(string)})
			if diags.HasErrors() {
				b.Fatal(diags)
			}
			for b.Loop() {
				out, diags := ex.Refresh(ctx, r, in)
				if diags.HasErrors() || !out.Unchanged || out.Instance.Status != instance.Full {
					b.Fatal(out.Unchanged, diags)
				}
				in = out.Instance
			}
		})
	}
	b.Run("plain tofu plan", func(b *testing.B) {
		run := plain(b, cloud)
		for b.Loop() {
			run("plan", "-input=false", "-lock=false", "-detailed-exitcode")
		}
	})
}

// plain makes a workspace as a person has one, with a resource in its state.
func plain(b *testing.B, cloud *examplecloudtest.Cloud) func(args ...string) {
	dir := b.TempDir()
	write := func(name string, content any) {
		raw, ok := content.(string)
		if !ok {
			text, err := json.Marshal(content)
			if err != nil {
				b.Fatal(err)
			}
			raw = string(text)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(raw), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	binary := filepath.Dir(examplecloudtest.Provider(b, examplecloudtest.Framework6))
	write("rc", fmt.Sprintf("provider_installation {\ndev_overrides {\n\"landbridge.io/x/examplecloud\" = %q\n}\ndirect {}\n}\n", binary))
	write("main.tf.json", m{
		"terraform": m{"required_providers": m{"examplecloud": m{"source": "landbridge.io/x/examplecloud"}}},
		"provider":  m{"examplecloud": m{"endpoint": cloud.URL, "region": "us-east-1"}},
		"resource":  m{"examplecloud_thing": m{"x": m{"name": "plain"}}},
	})
	run := func(args ...string) {
		cmd := exec.Command(runner.Program().Path, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "rc"), "CHECKPOINT_DISABLE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	run("apply", "-auto-approve", "-input=false")
	return run
}
