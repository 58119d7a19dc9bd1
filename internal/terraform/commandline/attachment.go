package commandline

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-log/tfsdklog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
)

// maxMessage is the maximum size of a message in either direction, in bytes.
const maxMessage = 256 << 20

// loggedName is the source address that tf6server logs.
const loggedName = "landbridge.io/attached/provider"

// attachment is a provider server to which runs of the program are attached, on a socket in a
// directory that no other user can enter.
type attachment struct {
	server *grpc.Server
	served sync.WaitGroup
	path   string
}

func attach(path string, p tfprotov6.ProviderServer) (*attachment, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	unary, stream := quiet()
	a := &attachment{path: path, server: grpc.NewServer(
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.UnaryInterceptor(unary), grpc.StreamInterceptor(stream),
		grpc.StatsHandler(connections{}),
	)}
	plugin := &tf6server.GRPCProviderPlugin{Name: loggedName, GRPCProvider: func() tfprotov6.ProviderServer { return p }}
	if err := plugin.GRPCServer(nil, a.server); err != nil {
		listener.Close()
		return nil, err
	}
	a.served.Go(func() { _ = a.server.Serve(listener) })
	return a, nil
}

// connections is a stats.Handler that gives each connection an identity. The program has one for
// each configuration of a provider.
type connections struct{}

type connectionKey struct{}

// Connection identifies the connection by which a call came; nil without one. The program keeps a
// connection as long as it uses a configuration of the provider.
func Connection(ctx context.Context) any { return ctx.Value(connectionKey{}) }

// TagConn implements stats.Handler.
func (connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return context.WithValue(ctx, connectionKey{}, new(byte))
}

// HandleConn implements stats.Handler.
func (connections) HandleConn(context.Context, stats.ConnStats) {}

// TagRPC implements stats.Handler.
func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC implements stats.Handler.
func (connections) HandleRPC(context.Context, stats.RPCStats) {}

// quiet returns interceptors that keep tf6server from logging every call to standard error. It does
// so unless variables of the environment or a logging sink in the context of a call prevent it; the
// environment is that of the whole process, so the sink is used. TF_LOG sets its level, which
// defaults to OFF.
func quiet() (grpc.UnaryServerInterceptor, grpc.StreamServerInterceptor) {
	sink := loggingSink()
	unary := func(ctx context.Context, q any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		return handle(sinkContext{ctx, sink}, q)
	}
	stream := func(server any, s grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
		return handle(server, sinkStream{s, sinkContext{s.Context(), sink}})
	}
	return unary, stream
}

// loggingSink returns a context that has the sink, which may hold an open file.
var loggingSink = sync.OnceValue(func() context.Context {
	return tfsdklog.ContextWithTestLogging(context.Background(), "")
})

// sinkContext is the context of a call with the values of another one.
type sinkContext struct {
	context.Context
	sink context.Context
}

func (c sinkContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.sink.Value(key)
}

type sinkStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s sinkStream) Context() context.Context { return s.ctx }

// reattachProviders returns TF_REATTACH_PROVIDERS for attachments by source address. They are
// declared as providers under test, so that the program does not stop them.
func reattachProviders(attachments map[string]*attachment) string {
	type address struct{ Network, String string }
	type reattach struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
		Addr            address
	}
	out := map[string]reattach{}
	for name, a := range attachments {
		out[name] = reattach{"grpc", 6, os.Getpid(), true, address{"unix", a.path}}
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(b)
}

// close stops the server. It does not wait for calls that the provider is answering.
func (a *attachment) close() {
	a.server.Stop()
	a.served.Wait()
}
