package frontdoor_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// helmProgram is Helm's command line.
var helmProgram = testbin.Target{
	Module:  "test/frontdoor/helm",
	Package: "helm.sh/helm/v3/cmd/helm",
	Output:  "bin/helm",
	Sources: []string{"test/frontdoor/helm"},
}

// machine is the reader's: Go, make, kubectl and helm are installed, and kubectl knows a cluster.
type machine struct {
	environ                     []string
	home                        string
	standIns                    string // directory of the programs for treated commands
	examplecloudPort, otherPort string
}

func newMachine(t *testing.T, c *clone, i *internet) *machine {
	t.Helper()
	programs := t.TempDir()
	m := &machine{home: t.TempDir(), standIns: t.TempDir(), examplecloudPort: port(t), otherPort: port(t)}
	installed := map[string]string{}
	for name, target := range map[string]testbin.Target{"kubectl": testbin.Kubectl, "helm": helmProgram} {
		path, err := testbin.Build(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		installed[name] = path
		if err := os.Symlink(path, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	playground, err := testbin.Build(t.Context(), testbin.Playground)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range standIns {
		if err := os.Symlink(self, filepath.Join(m.standIns, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := stage{
		Dir: t.TempDir(), Helm: installed["helm"], Kubectl: installed["kubectl"], Playground: playground,
		Registry: i.host, RegistryCA: i.ca,
	}
	content, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.node().stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(s.Dir, "*.log"))
			for _, log := range append(logs, filepath.Join(c.dir, ".playground", "landbridge.log")) {
				if content, err := os.ReadFile(log); err == nil {
					lines := strings.Split(strings.TrimSpace(string(content)), "\n")
					t.Logf("%s:\n%s", log, strings.Join(lines[max(0, len(lines)-30):], "\n"))
				}
			}
		}
	})

	m.environ = []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + m.home, "EXAMPLECLOUD_PORT=" + m.examplecloudPort,
		stageVariable + "=" + string(content),
	}
	// The caches of the go command, and how it reaches its proxy.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOENV", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "GOSUMDB", "GONOSUMDB", "GOPRIVATE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		m.environ = append(m.environ, name+"="+strings.TrimSpace(string(value)))
	}
	for _, name := range []string{"TMPDIR", "USER", "LOGNAME", "LANG", "GOMAXPROCS"} {
		if value, ok := os.LookupEnv(name); ok {
			m.environ = append(m.environ, name+"="+value)
		}
	}
	m.environ = append(m.environ, i.environ...)
	return m
}

// owns makes a cluster the one that kubectl uses by itself.
func (m *machine) owns(t *testing.T, kubeconfig string) {
	t.Helper()
	file := filepath.Join(m.home, ".kube", "config")
	content, err := os.ReadFile(kubeconfig)
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}
