package cli

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
)

// maxMessage is the largest message that is sent or taken, in bytes.
const maxMessage = 256 << 20

// attachment is a provider server that runs of the program are attached to, on a socket in a
// directory that nobody else can enter.
type attachment struct {
	server *grpc.Server
	served sync.WaitGroup
	path   string
}

// quiet keeps what serves a provider from logging each call, which it does unless it is told
// otherwise, and can be told in no other way. It does not touch what a user has set.
var quiet = sync.OnceFunc(func() {
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER"} {
		if _, ok := os.LookupEnv(name); !ok {
			_ = os.Setenv(name, "OFF")
		}
	}
})

func attach(path string, p tfprotov6.ProviderServer) (*attachment, error) {
	quiet()
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	a := &attachment{path: path, server: grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))}
	plugin := &tf6server.GRPCProviderPlugin{Name: providerAddress, GRPCProvider: func() tfprotov6.ProviderServer { return p }}
	if err := plugin.GRPCServer(nil, a.server); err != nil {
		listener.Close()
		return nil, err
	}
	a.served.Go(func() { _ = a.server.Serve(listener) })
	return a, nil
}

// variable is TF_REATTACH_PROVIDERS.
func (a *attachment) variable() string { return attached(map[string]*attachment{providerAddress: a}) }

// attached is TF_REATTACH_PROVIDERS for providers by their addresses. As providers under test, they are
// not ended by the program.
func attached(all map[string]*attachment) string {
	type address struct{ Network, String string }
	type reattach struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
		Addr            address
	}
	out := map[string]reattach{}
	for name, a := range all {
		out[name] = reattach{"grpc", 6, os.Getpid(), true, address{"unix", a.path}}
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(b)
}

// close ends the server. Calls that the provider answers meanwhile are not waited for.
func (a *attachment) close() {
	a.server.Stop()
	a.served.Wait()
}

// bound is a context for a call: it ends with the operation, and with the program's interest in
// the answer.
func bound(operation, call context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(operation)
	stop := context.AfterFunc(call, cancel)
	return ctx, func() { stop(); cancel() }
}

// flight counts calls under way at the provider.
type flight struct {
	mu  sync.Mutex
	n   int
	end chan struct{} // closed when n gets 0; nil when it is
}

func (f *flight) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n == 0 {
		f.end = make(chan struct{})
	}
	f.n++
}

func (f *flight) done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 {
		close(f.end)
		f.end = nil
	}
}

func (f *flight) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n > 0
}

// wait waits until no call is under way.
func (f *flight) wait() {
	f.mu.Lock()
	end := f.end
	f.mu.Unlock()
	if end != nil {
		<-end
	}
}
