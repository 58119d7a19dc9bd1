package provider_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
)

// The programs serve the protocol that they are named for, and their release comes
// from the linker or the environment.
func TestPrograms(t *testing.T) {
	for form, protocol := range map[provider.Form]string{provider.SDKv2: "5", provider.Framework5: "5", provider.Framework6: "6"} {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			const module = "github.com/landbridge-io/landbridge/examples/examplecloud/"
			binary := filepath.Join(t.TempDir(), "provider")
			build := exec.Command("go", "build", "-o", binary, "-ldflags", "-s -w -X "+module+
				"provider/release.linked=9", module+"cmd/terraform-provider-examplecloud-"+string(form))
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%s\n%s", err, out)
			}
			for env, message := range map[string]string{
				"EXAMPLECLOUD_PROVIDER_VERSION=":  `the linker's release is "9"`,
				"EXAMPLECLOUD_PROVIDER_VERSION=8": `$EXAMPLECLOUD_PROVIDER_VERSION is "8"`,
			} {
				cmd := exec.Command(binary)
				cmd.Env = append(cmd.Environ(), env)
				if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), message) {
					t.Errorf("%s: %v\n%s", env, err, out)
				}
			}
			cmd := exec.Command(binary)
			cmd.Env = append(cmd.Environ(), "EXAMPLECLOUD_PROVIDER_VERSION=1", "PLUGIN_PROTOCOL_VERSIONS=5,6",
				"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // killed
			}()
			line, err := bufio.NewReader(stdout).ReadString('\n')
			if err != nil || !strings.HasPrefix(line, "1|"+protocol+"|") {
				t.Errorf("handshake %q, %v; want protocol %s", line, err, protocol)
			}
		})
	}
}
