package kinds_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/schema"
)

// published is a provider with a schema. It is its own launcher.
type published struct {
	provider.Server
	schema *schema.Provider
	diags  diagnostic.Diagnostics
	done   chan struct{}
}

func (p *published) Launch(context.Context) (provider.Server, error) { return p, nil }
func (p *published) Key() string                                     { return "published" }
func (p *published) Done() <-chan struct{}                           { return p.done }
func (p *published) Close(context.Context) error                     { close(p.done); return nil }
func (p *published) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return p.schema, p.diags
}

func (p *published) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// The server whose schema was read goes on for a provider configuration, unless it is not worth it.
func TestReadSchema(t *testing.T) {
	t.Parallel()
	types := func(n int) *schema.Provider {
		s := &schema.Provider{Resources: map[string]*schema.Resource{}}
		for i := range n {
			s.Resources[fmt.Sprint("x_", i)] = &schema.Resource{}
		}
		return s
	}
	for name, test := range map[string]struct {
		schema *schema.Provider
		diags  diagnostic.Diagnostics
		goesOn bool
	}{
		"few types":  {schema: types(10), goesOn: true},
		"many types": {schema: types(1000)},
		"no schema":  {diags: diagnostic.Errorf("The schema is wrong", "It has none.")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &published{schema: test.schema, diags: test.diags, done: make(chan struct{})}
			rt := &kinds.Runtime{Pool: pool.New(pool.Options{})}
			s, diags := rt.ReadSchema(t.Context(), p)
			if s != test.schema || diags.HasErrors() != test.diags.HasErrors() || p.ended() == test.goesOn {
				t.Errorf("schema %v, diagnostics %v, ended: %t", s, diags, p.ended())
			}
			if err := rt.Pool.Close(t.Context()); err != nil || !p.ended() {
				t.Errorf("after the end of the pool: %v, ended: %t", err, p.ended())
			}
		})
	}
}
