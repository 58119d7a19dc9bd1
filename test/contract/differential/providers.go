package differential

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// maker makes servers of one provider; exactly one of its fields is set.
type maker struct {
	five func() tfprotov5.ProviderServer
	six  func() tfprotov6.ProviderServer
}

// directSuffix is at the end of the names of the providers of cases without a manifest: these know
// provider_meta.
const directSuffix = "direct"

func providerOf(c *cases.Case) string {
	if c.Direct {
		return string(c.Style) + directSuffix
	}
	return string(c.Style)
}

func styleOf(provider string) (style cases.Style, direct bool) {
	name, direct := strings.CutSuffix(provider, directSuffix)
	return cases.Style(name), direct
}

// makers make the providers, by name.
var makers = func() map[string]func(run func() cloud.Run) maker {
	out := map[string]func(run func() cloud.Run) maker{}
	for _, direct := range []bool{false, true} {
		for style, make := range map[cases.Style]func(run func() cloud.Run) maker{
			cases.Hand:       func(run func() cloud.Run) maker { return maker{six: hand(run, true, direct)} },
			cases.HandNoPlan: func(run func() cloud.Run) maker { return maker{six: hand(run, false, direct)} },
			cases.SDK: func(run func() cloud.Run) maker {
				return maker{five: func() tfprotov5.ProviderServer { return cloud.NewRecording5(run, cloud.SDK(direct)) }}
			},
			cases.Framework5: func(run func() cloud.Run) maker {
				return maker{five: func() tfprotov5.ProviderServer { return cloud.NewRecording5(run, cloud.Framework5(direct)) }}
			},
			cases.Framework6: func(run func() cloud.Run) maker {
				return maker{six: func() tfprotov6.ProviderServer { return cloud.NewRecording6(run, cloud.Framework6(direct)) }}
			},
		} {
			out[providerOf(&cases.Case{Style: style, Direct: direct})] = make
		}
	}
	return out
}()

func hand(run func() cloud.Run, planDestroy, meta bool) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return &cloud.Hand{Run: run, PlanDestroy: planDestroy, Meta: meta} }
}

// Main is the program of a provider that is a process of its own, until its client ends it. name is
// that of the provider; run is what it knows.
func Main(name string, run cloud.Run) error {
	make := makers[name]
	if make == nil {
		return fmt.Errorf("there is no provider %s", name)
	}
	m := make(func() cloud.Run { return run })
	if m.six != nil {
		return tf6server.Serve(tofu.Host+"/"+tofu.Namespace+"/"+name, m.six)
	}
	return tf5server.Serve(tofu.Host+"/"+tofu.Namespace+"/"+name, m.five)
}

// serve serves the provider to tofu.
func (m maker) serve(ctx context.Context, name string) (*plugin.ReattachConfig, error) {
	switch {
	case m.six != nil:
		return cloud.Serve6(ctx, name, m.six)
	case m.five != nil:
		return cloud.Serve5(ctx, name, m.five)
	}
	return nil, errors.New("there is no provider of that style")
}

// launch links the provider in, for our side.
func (m maker) launch(ctx context.Context, name string) (provider.Server, error) {
	return (&inprocess.Launcher{Name: name, Protocol5: inprocess.WithoutError(m.five), Protocol6: inprocess.WithoutError(m.six)}).Launch(ctx)
}
