package plugin

import (
	"context"
	"slices"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// guest makes the calls of one server of an attached process, as interceptors of its connection:
// each call waits for the server's turn, and finds the process with the server's configuration.
type guest struct {
	*turns
	protocol int
	// gone is closed when the server has ended.
	gone <-chan struct{}
	// config is the request that has configured the process for the server; nil until then.
	config atomic.Pointer[tfplugin.ConfigureProviderRequest]
}

// unconfigured are the calls that wait for no turn, because they need no configuration.
var unconfigured = []tfplugin.Method{
	tfplugin.GetMetadata, tfplugin.GetProviderSchema, tfplugin.GetResourceIdentitySchemas,
	tfplugin.GetFunctions, tfplugin.ValidateProviderConfig,
}

// again marks the context of the call by which a guest configures the process again.
type again struct{}

// unary implements grpc.UnaryClientInterceptor.
func (g *guest) unary(
	ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	options ...grpc.CallOption,
) error {
	call := func() error { return invoke(ctx, method, request, answer, conn, options...) }
	config, configures := request.(*tfplugin.ConfigureProviderRequest)
	switch {
	case ctx.Value(again{}) != nil:
		return call()
	case configures:
		if _, err := g.take(ctx, g, true); err != nil {
			return err
		}
		defer g.leave()
		g.config.Store(config)
		err := call()
		g.configured(err == nil)
		return err
	case g.is(method, tfplugin.StopProvider):
		if !g.join(g) {
			return nil // the calls that it would end are those of others
		}
		defer g.leave()
		return call()
	case !g.needsTurn(method):
		return call()
	}
	if err := g.enter(ctx, conn); err != nil {
		return err
	}
	defer g.leave()
	return call()
}

// stream implements grpc.StreamClientInterceptor. The call ends with the context of the stream.
func (g *guest) stream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer,
	options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	if g.needsTurn(method) {
		if err := g.enter(ctx, conn); err != nil {
			return nil, err
		}
		g.streaming()
		context.AfterFunc(ctx, g.leaveStream)
	}
	return open(ctx, desc, conn, method, options...)
}

// needsTurn reports whether a call needs the server's configuration.
func (g *guest) needsTurn(method string) bool {
	return g.config.Load() != nil && !g.is(method, unconfigured...)
}

// is reports whether a full gRPC name is that of one of the methods.
func (g *guest) is(name string, methods ...tfplugin.Method) bool {
	return slices.ContainsFunc(methods, func(m tfplugin.Method) bool {
		of, ok := m.Name(g.protocol)
		return ok && of == name
	})
}

// enter begins a call in the server's turn. Unless it returns an error, the call must be ended.
func (g *guest) enter(ctx context.Context, conn *grpc.ClientConn) error {
	first, err := g.take(ctx, g, false)
	if err != nil || !first {
		return err
	}
	err = g.configure(ctx, conn)
	g.configured(err == nil)
	if err != nil {
		g.leave()
	}
	return err
}

// configure configures the process again.
func (g *guest) configure(ctx context.Context, conn *grpc.ClientConn) error {
	name, _ := tfplugin.ConfigureProvider.Name(g.protocol)
	var answer tfplugin.DiagnosticsResponse
	if err := conn.Invoke(context.WithValue(ctx, again{}, true), name, g.config.Load(), &answer); err != nil {
		return provider.NotSent(err)
	}
	if err := diagnostic.FromProtocol(fromDiagnostics(answer.Diagnostics)).Err(); err != nil {
		return provider.NotSent(status.Errorf(codes.FailedPrecondition, "the attached process cannot be configured again: %s", err))
	}
	return nil
}
