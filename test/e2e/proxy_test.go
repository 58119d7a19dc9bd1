package e2e_test

import (
	"net"
	"net/url"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// proxy is a proxy for the API server that can fail.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	open  *sync.Cond // data is forwarded while it is open
	cut   bool
	hangs bool
	conns map[net.Conn]struct{}
}

// newProxy returns a proxy and a client configuration that uses it.
func newProxy(t *testing.T, config *rest.Config) (*proxy, *rest.Config) {
	t.Helper()
	address, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: address.Host, conns: map[net.Conn]struct{}{}}
	p.open = sync.NewCond(&p.mu)
	go p.serve()
	t.Cleanup(func() {
		_ = listener.Close()
		p.mend()
		p.close()
	})
	config = rest.CopyConfig(config)
	config.Host = "https://" + listener.Addr().String()
	return p, config
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.connect(client)
	}
}

func (p *proxy) connect(client net.Conn) {
	defer client.Close()
	if !p.flows() {
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns[client], p.conns[server] = struct{}{}, struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
		both.Go(func() {
			defer client.Close()
			defer server.Close()
			buffer := make([]byte, 32<<10)
			for {
				n, err := from.Read(buffer)
				if n > 0 && p.flows() {
					_, _ = to.Write(buffer[:n])
				}
				if err != nil {
					return
				}
			}
		})
	}
	both.Wait()
	p.mu.Lock()
	delete(p.conns, client)
	delete(p.conns, server)
	p.mu.Unlock()
}

// flows waits while the proxy hangs. It reports whether the connection is usable.
func (p *proxy) flows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hangs {
		p.open.Wait()
	}
	return !p.cut
}

// refuse closes all connections and refuses new ones.
func (p *proxy) refuse() {
	p.mu.Lock()
	p.cut = true
	p.mu.Unlock()
	p.close()
}

func (p *proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// hang forwards nothing, but keeps connections open.
func (p *proxy) hang() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangs = true
}

// mend restores the proxy; connections that hung continue.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.hangs = false, false
	p.open.Broadcast()
}
