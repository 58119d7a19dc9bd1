package upgrade

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/upgradepreview"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/schema"
)

// FileOptions of PreviewFiles.
type FileOptions struct {
	// Manifest was read from Sources, for the installed version.
	Manifest *local.Manifest
	Sources  []local.Source
	// State is the path of the state file, which may be absent. Address is the provider's in it.
	State, Address string
	// Installed and New are the versions of the provider.
	Installed, New *cluster.InstalledProvider
	// Refresh reads the remote objects first, by both versions.
	Refresh bool
	// Examples is the number of resources that a row of the report names.
	Examples int
}

// PreviewFiles returns what the new version would do to the resources of a manifest, without a
// cluster. Resources that are not in the state file are planned as new ones. Values that they
// would get from such resources are unknown.
func PreviewFiles(ctx context.Context, o FileOptions) (*upgrade.Report, error) {
	state, err := local.OpenState(o.State, o.Address, o.Installed.Model.Schema)
	if err != nil {
		return nil, err
	}
	objects, err := local.Existing(o.Installed.Model, o.Sources, o.Manifest, state)
	if err != nil {
		return nil, err
	}
	records, err := recordsOf(o)
	if err != nil {
		return nil, err
	}
	servers := pool.New(upgradepreview.PoolOptions(maxServers))
	defer func() { _ = servers.Close(context.WithoutCancel(ctx)) }() // all answers have arrived
	converting, err := upgradepreview.Converting(objects, o.Installed.Model, o.New.Model)
	if err != nil {
		return nil, err
	}
	out := upgradepreview.Options{
		Provider: o.Installed.Name, Reader: objects, Mapper: mapperOf(o.Installed), Stored: records,
		Types: records.types(), Unknown: true,
		Secrets: &redact.Redactor{}, Refresh: o.Refresh, Examples: o.Examples,
	}
	programs := programs{live: objects, servers: servers, secrets: out.Secrets}
	out.Installed, out.New = programs.version(o.Installed, objects), programs.version(o.New, converting)
	report, err := upgradepreview.Preview(ctx, out)
	if err != nil {
		return nil, err
	}
	report.WithoutCluster = true
	return report, nil
}

// mapperOf returns a mapper of a provider's kinds.
func mapperOf(p *cluster.InstalledProvider) meta.RESTMapper {
	var versions []kschema.GroupVersion
	for _, m := range p.Model.All() {
		versions = append(versions, m.GroupVersionKind().GroupVersion())
	}
	out := meta.NewDefaultRESTMapper(versions)
	for _, m := range p.Model.All() {
		out.Add(m.GroupVersionKind(), meta.RESTScopeNamespace)
	}
	return out
}

// records are the stored instances of a manifest's resources, with raw values.
type records map[store.Key]record

type record struct {
	resourceType string
	instance     instance.Instance
}

// recordsOf reads the state file without schemas, so that all values are as they are stored.
func recordsOf(o FileOptions) (records, error) {
	state, err := local.OpenState(o.State, o.Address, &schema.Provider{})
	if err != nil {
		return nil, err
	}
	out := records{}
	for _, r := range o.Manifest.Resources {
		in, err := state.Instance(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Address(), err)
		}
		u, _ := r.Refers()
		out[store.Key{Group: r.Model.Group, Kind: r.Model.Kind, Namespace: u.GetNamespace(), Name: r.Name}] = record{r.Model.Type, in}
	}
	return out, nil
}

// types returns the resource types of the records.
func (r records) types() []string {
	types := map[string]bool{}
	for _, x := range r {
		types[x.resourceType] = true
	}
	return slices.AppendSeq([]string{}, maps.Keys(types))
}

// Load implements upgradepreview.Records.
func (r records) Load(_ context.Context, key store.Key, _ *schema.Resource) (store.Record, error) {
	return store.Record{Instance: r[key].instance}, nil
}

// Each implements upgradepreview.Records.
func (r records) Each(_ context.Context, group, kind string, some func([]store.Key)) error {
	some(slices.Collect(func(yield func(store.Key) bool) {
		for key := range r {
			if key.Group == group && key.Kind == kind && !yield(key) {
				return
			}
		}
	}))
	return nil
}

// Forget implements upgradepreview.Records.
func (records) Forget(store.Key) {}

var _ upgradepreview.Records = records{}
