package e2e_test

import (
	"net"
	"net/url"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// proxy is a way to the API server that can be cut.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	open  *sync.Cond // what flows, flows while it is open
	cut   bool
	hangs bool
	conns map[net.Conn]struct{}
}

// newProxy makes one, and the configuration of who goes through it.
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

// flows waits while everything hangs, and says whether there is a way.
func (p *proxy) flows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hangs {
		p.open.Wait()
	}
	return !p.cut
}

// refuse cuts all connections, and lets nobody make one.
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

// hang lets nothing through, and says nothing to anybody.
func (p *proxy) hang() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangs = true
}

// mend makes everything as it was; what hung goes on.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.hangs = false, false
	p.open.Broadcast()
}
