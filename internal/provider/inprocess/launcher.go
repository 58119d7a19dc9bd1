package inprocess

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// Launcher starts servers of one provider in this process. It must not be copied or changed after its
// first use.
type Launcher struct {
	// Name identifies the provider within this program, for example by its address and version.
	Name string
	// Protocol5 or Protocol6 returns a new server for each launch. Exactly one of them must be set.
	Protocol5 func() tfprotov5.ProviderServer
	Protocol6 func() tfprotov6.ProviderServer

	mu    sync.Mutex
	known *schema.Provider
}

var (
	_ provider.Launcher      = (*Launcher)(nil)
	_ provider.Server        = (*Server)(nil)
	_ provider.UsageReporter = (*Server)(nil)
)

// Key returns the provider's name, with a prefix.
func (l *Launcher) Key() string { return "inprocess:" + l.Name }

// Launch starts a server and reads its schema, unless the schema of an earlier server can be reused.
func (l *Launcher) Launch(ctx context.Context) (provider.Server, error) {
	s := &Server{done: make(chan struct{})}
	// own is the server itself, which is checked for optional calls: the lift from 5 to 6 implements all of
	// them.
	var own any
	switch {
	case (l.Protocol5 == nil) == (l.Protocol6 == nil):
		return nil, errors.New("exactly one of Protocol5 and Protocol6 must be set")
	case l.Protocol6 != nil:
		s.protocol, s.server = 6, l.Protocol6()
		own = s.server
	default:
		server5 := l.Protocol5()
		lifted, err := tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer { return below{server5} })
		if err != nil {
			return nil, fmt.Errorf("provider %s: %w", l.Name, err)
		}
		s.protocol, s.server, own = 5, lifted, server5
	}
	if has[tfprotov5.ListResourceServer](own) || has[tfprotov6.ListResourceServer](own) {
		s.list, _ = s.server.(tfprotov6.ListResourceServer)
	}
	if has[tfprotov5.ActionServer](own) || has[tfprotov6.ActionServer](own) {
		s.actions, _ = s.server.(tfprotov6.ActionServer)
	}
	if has[tfprotov6.StateStoreServer](own) {
		s.stores, _ = s.server.(tfprotov6.StateStoreServer)
	}
	if err := l.learnSchema(ctx, s); err != nil {
		return nil, fmt.Errorf("provider %s: %w", l.Name, err)
	}
	return s, nil
}

func has[T any](v any) bool { _, ok := v.(T); return ok }

// learnSchema sets the server's schema. A provider without the capability get_provider_schema_optional
// must be asked each time (contract § 1). All servers have the same schema, the first that was read.
func (l *Launcher) learnSchema(ctx context.Context, s *Server) error {
	l.mu.Lock()
	known := l.known
	l.mu.Unlock()
	if known != nil && known.Capabilities.GetProviderSchemaOptional {
		s.schema = known
		return nil
	}
	answer, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	if known != nil {
		s.schema = known
		return nil
	}
	identities, err := provider.IdentitySchemas(ctx, s)
	if err != nil {
		return err
	}
	read, diags := schema.FromProtocol(s.protocol, answer, identities)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = read
	}
	s.schema, s.schemaDiags = l.known, diags
	return nil
}
