package packaged

import (
	"context"
	"fmt"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// Provider is the provider that a program is made for.
type Provider struct {
	// Name is the provider's name, such as random.
	Name string
	// Config is the configuration of its kinds.
	Config config.Provider
	// Launcher makes its servers.
	Launcher provider.Launcher
	// SchemaSum is the checksum of the schema that the CRDs were generated from
	// (schema.Provider.Sum), or empty if it is not known.
	SchemaSum string
}

// read starts the provider to read its schema, and returns the model of its kinds.
func (p *Provider) read(ctx context.Context, rt *kinds.Runtime) (*model.Provider, error) {
	s, diags := rt.ReadSchema(ctx, p.Launcher)
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	sum, err := s.Sum()
	if err != nil {
		return nil, err
	}
	if p.SchemaSum != "" && p.SchemaSum != sum {
		return nil, fmt.Errorf("the provider %s has another schema than the one that the CRDs were generated from: "+
			"run the version that the repository pins, or record the schema again and regenerate the CRDs", p.Name)
	}
	return model.KeepNames(p.Name, s, p.Config, config.Assigned(p.Name))
}
