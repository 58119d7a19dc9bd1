package inprocess

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// Launcher starts servers of one provider in this process. It must not be copied or changed after
// its first use.
type Launcher struct {
	// Name identifies the provider within this program, for example by its address and version.
	Name string
	// Protocol5 or Protocol6 makes a new server for each launch. Exactly one of them must be set.
	Protocol5 func() (tfprotov5.ProviderServer, error)
	Protocol6 func() (tfprotov6.ProviderServer, error)

	mu    sync.Mutex
	known *schema.Provider
	// open has the servers that have not ended, by address.
	open map[uintptr]any
}

var (
	_ provider.Launcher      = (*Launcher)(nil)
	_ provider.Server        = (*Server)(nil)
	_ provider.UsageReporter = (*Server)(nil)
)

// WithoutError returns a function that makes servers as one does that cannot fail; nil for nil.
func WithoutError[S any](f func() S) func() (S, error) {
	if f == nil {
		return nil
	}
	return func() (S, error) { return f(), nil }
}

// Key returns the provider's name, with a prefix.
func (l *Launcher) Key() string { return "inprocess:" + l.Name }

// Launch starts a server and reads its schema, unless the schema of an earlier server can be
// reused.
func (l *Launcher) Launch(ctx context.Context) (provider.Server, error) {
	s := &Server{done: make(chan struct{}), ended: func() {}}
	if (l.Protocol5 == nil) == (l.Protocol6 == nil) {
		return nil, errors.New("exactly one of Protocol5 and Protocol6 must be set")
	}
	own, err := l.make(ctx, s)
	if err == nil {
		err = l.opened(s, own)
	}
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", l.Name, err)
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
		s.end()
		return nil, fmt.Errorf("provider %s: %w", l.Name, err)
	}
	return s, nil
}

// make makes the provider's server. own is that server itself, which is checked for optional calls:
// the lift from 5 to 6 implements all of them.
func (l *Launcher) make(ctx context.Context, s *Server) (own any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the provider panicked: %v", p)
		}
	}()
	if l.Protocol6 != nil {
		s.protocol = 6
		s.server, err = l.Protocol6()
		return s.server, err
	}
	s.protocol = 5
	server5, err := l.Protocol5()
	if err != nil || server5 == nil {
		return nil, err
	}
	s.server, err = tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer { return below{server5} })
	return server5, err
}

// opened records a server as open, until it ends. One that is open already is an error: two
// provider configurations would share it, and the later one would replace the credentials of the
// earlier one.
func (l *Launcher) opened(s *Server, own any) error {
	v := reflect.ValueOf(own)
	if !v.IsValid() {
		return errors.New("its function returned no server")
	}
	if v.Kind() != reflect.Pointer || v.Type().Elem().Size() == 0 {
		return nil // it cannot be told from others
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[v.Pointer()] != nil {
		return errors.New("its function returned the same server again: it must make a new one each time, such as a new mux with new servers")
	}
	if l.open == nil {
		l.open = map[uintptr]any{}
	}
	l.open[v.Pointer()] = own
	s.ended = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, v.Pointer())
	}
	return nil
}

func has[T any](v any) bool { _, ok := v.(T); return ok }

// learnSchema sets the server's schema. A provider without the capability
// get_provider_schema_optional must be asked each time (contract § 1). All servers have the same
// schema, the first that was read.
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
	read, diags := schema.FromProtocol(s.protocol, answer, identities, nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = read
	}
	s.schema, s.schemaDiags = l.known, diags
	return nil
}
