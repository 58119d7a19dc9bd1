package terraformmodule

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// Opened is a module that a cluster serves, with its files on this machine. Close it.
type Opened struct {
	// Model has one resource type: the kind of the module's instances.
	Model  *model.Provider
	module *module.Module
	runner *commandline.Runner
	// providers are the names of the TerraformProviders of the module, by source.
	providers map[string]string
}

// Open fetches the module that a cluster serves, to plan its instances elsewhere than in the
// controller. namespace is Landbridge's own. It is an error if the module is not the one that the
// controller serves.
func Open(
	ctx context.Context, reader client.Reader, namespace string, runner *commandline.Runner,
	m *v1alpha1.TerraformModule,
) (*Opened, error) {
	source, problem := sourceOf(ctx, reader, namespace, m)
	if problem != nil {
		return nil, fmt.Errorf("TerraformModule %s: %w", m.Name, problem.Err)
	}
	dir, err := runner.MakeDir()
	if err != nil {
		return nil, err
	}
	fetching, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	fetched, diags := module.Fetch(fetching, runner, source, dir, resourceType(m.Name))
	if diags.HasErrors() {
		return nil, fmt.Errorf("TerraformModule %s: %w", m.Name, text(diags))
	}
	out := &Opened{module: fetched, runner: runner, providers: m.Status.Providers}
	if fetched.Digest != m.Status.Digest {
		err = fmt.Errorf("the module that was fetched is not the one that the controller serves: its digest is %s, not %s. "+
			"Wait until the controller has read the module again; or set spec.source.digest, or a version or commit "+
			"in spec.source.address",
			fetched.Digest, m.Status.Digest)
	} else {
		out.Model, err = modelOf(m, fetched.Resource)
	}
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("TerraformModule %s: %w", m.Name, err)
	}
	return out, nil
}

// Close removes the module's files.
func (o *Opened) Close() error { return o.module.Remove() }

// Configs returns what resolves the provider configurations of the module's instances. installed
// are the module's providers.
func (o *Opened) Configs(installed Providers) managed.NamedProviderConfigs {
	return &configs{
		runner: o.runner, module: o.module, installed: installed, providers: o.providers,
		approval: func() desired.Approval { return desired.ParseApproval("") },
	}
}
