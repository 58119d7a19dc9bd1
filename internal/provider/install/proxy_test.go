package install_test

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// proxied is the one host that the proxy connects to. The certificates of test registries are valid
// for it, and it is no loopback address, which would be reached without the proxy.
const proxied = "example.com"

// proxy is what HTTPS_PROXY names for all tests of the package: net/http reads it once.
var proxy = &tunnels{}

// tunnels is a proxy.
type tunnels struct {
	mu sync.Mutex
	// to is the address that is behind the host proxied.
	to string
	// connects are the hosts that it was asked for.
	connects []string
}

// listen starts the proxy, which requires a password.
func (p *tunnels) listen() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(l, p) }() //nolint:gosec // it ends with the tests
	return os.Setenv("HTTPS_PROXY", "http://user:secret@"+l.Addr().String())
}

// behind sets the address behind the host proxied, and returns the hosts that were asked for since.
func (p *tunnels) behind(address string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.connects
	p.to, p.connects = address, nil
	return out
}

func (p *tunnels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.connects = append(p.connects, r.Host)
	to := p.to
	p.mu.Unlock()
	password := "Basic " + base64.StdEncoding.EncodeToString([]byte("user:secret"))
	if r.Method != http.MethodConnect || r.Host != proxied+":443" || r.Header.Get("Proxy-Authorization") != password || to == "" {
		http.Error(w, "not from here", http.StatusForbidden)
		return
	}
	there, err := net.Dial("tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	w.WriteHeader(http.StatusOK)
	here, read, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	go func() { _, _ = io.Copy(there, read) }() // some of it may have been read already
	_, _ = io.Copy(here, there)
}

// Registries are reached through the proxy of the environment.
func TestProxy(t *testing.T) {
	w := newWorld(t, `host "`+proxied+`" { services = { "providers.v1" = "https://`+proxied+`/v1/providers/" } }`, "")
	const source = proxied + "/acme/thing"

	proxy.behind("")
	_, err := w.request(install.Request{Source: source})
	if reasonOf(err) != install.Unavailable || strings.Contains(err.Error(), "secret") {
		t.Errorf("while the proxy refuses: %v", err)
	}

	proxy.behind(w.Host())
	b, err := w.request(install.Request{Source: source})
	if err != nil || b.Version != "1.1.0" {
		t.Errorf("through the proxy: %+v, %v", b, err)
	}
	if hosts := slices.Compact(proxy.behind("")); !slices.Equal(hosts, []string{proxied + ":443"}) {
		t.Errorf("the proxy was asked for %v", hosts)
	}

	// What is near is reached without it.
	if _, err := w.request(install.Request{Source: w.Host() + "/acme/thing"}); err != nil {
		t.Error(err)
	}
	if hosts := proxy.behind(""); len(hosts) > 0 {
		t.Errorf("the proxy was asked for %v", hosts)
	}
}
