package upgrades_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// watched is an API server behind a proxy that counts the requests that write.
type watched struct {
	kubeconfig string
	writes     atomic.Int64
	// memory is the resident memory that the last command had at most, in bytes.
	memory int64
}

// watch starts a proxy before an API server.
func watch(t *testing.T, config *rest.Config) *watched {
	t.Helper()
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.writes.Add(1)
			t.Logf("%s %s", r.Method, r.URL.Path)
		}
		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	file := clientcmdapi.NewConfig()
	file.Clusters["proxy"] = &clientcmdapi.Cluster{Server: server.URL}
	file.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	file.CurrentContext = "proxy"
	if err := clientcmd.WriteToFile(*file, w.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return w
}

// preview runs landbridge upgrade preview, and returns its report and exit status.
func (w *watched) preview(t *testing.T, args ...string) (*upgrade.Report, int) {
	t.Helper()
	out, code := w.run(t, append([]string{"upgrade", "preview", "-o", "json"}, args...)...)
	report := &upgrade.Report{}
	if err := json.Unmarshal(out, report); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return report, code
}

// run runs a command of landbridge, and returns its output and exit status.
func (w *watched) run(t *testing.T, args ...string) ([]byte, int) {
	t.Helper()
	binary, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, append(args, "--kubeconfig", w.kubeconfig)...)
	cmd.Env = append(os.Environ(), "HOME="+scratch)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	if said.Len() > 0 {
		t.Logf("%s", said.Bytes())
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		w.memory = usage.Maxrss << 10
	}
	return out, cmd.ProcessState.ExitCode()
}

// compact returns a value as JSON in a line.
func compact(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
