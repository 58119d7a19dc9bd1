package wireprovider

import (
	"context"
	"os"
	"strings"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

const modeVariable = "LANDBRIDGE_WIREPROVIDER"

// Modes of the provider.
const (
	Good      = "good"
	Forgetful = "forgetful"
)

// Env returns the environment that makes a program that calls Main this provider.
func Env(mode string) map[string]string { return map[string]string{modeVariable: mode} }

// Main runs the provider and exits, if this process was started with the environment of Env.
func Main() {
	if mode := os.Getenv(modeVariable); mode != "" {
		serve(mode)
		os.Exit(0)
	}
}

// serve runs the provider until its client ends it.
func serve(mode string) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: goplugin.HandshakeConfig{
			MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		VersionedPlugins: map[int]goplugin.PluginSet{6: {"provider": &plugin{wire: &wire{forgetful: mode == Forgetful}}}},
		GRPCServer:       goplugin.DefaultGRPCServer,
	})
}

type plugin struct {
	goplugin.NetRPCUnsupportedPlugin
	wire *wire
}

// GRPCClient is not used: the client is Landbridge's own.
func (p *plugin) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}

// GRPCServer registers the calls.
func (p *plugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	w := p.wire
	empty := func(context.Context, *tfplugin.Empty) (*tfplugin.DiagnosticsResponse, error) {
		return &tfplugin.DiagnosticsResponse{}, nil
	}
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "tfplugin6.Provider", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method(tfplugin.GetProviderSchema, w.schema),
		method(tfplugin.GetResourceIdentitySchemas, func(context.Context, *tfplugin.Empty) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
			return &tfplugin.GetResourceIdentitySchemasResponse{}, nil
		}),
		method(tfplugin.ValidateProviderConfig, empty),
		method(tfplugin.ConfigureProvider, empty),
		method(tfplugin.StopProvider, func(context.Context, *tfplugin.Empty) (*tfplugin.StopResponse, error) {
			return &tfplugin.StopResponse{}, nil
		}),
		method(tfplugin.ValidateResourceConfig, w.validate),
		method(tfplugin.UpgradeResourceState, w.upgrade),
		method(tfplugin.ReadResource, w.read),
		method(tfplugin.PlanResourceChange, w.plan),
		method(tfplugin.ApplyResourceChange, w.apply),
	}}, nil)
	return nil
}

// method describes a call for gRPC.
func method[Q, A any](m tfplugin.Method, f func(context.Context, *Q) (*A, error)) grpc.MethodDesc {
	name, _ := m.Name(6)
	name = name[strings.LastIndexByte(name, '/')+1:]
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			q := new(Q)
			if err := decode(q); err != nil {
				return nil, err
			}
			return f(ctx, q)
		},
	}
}
