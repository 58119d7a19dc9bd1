package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
)

// items returns the objects to import, and notes on what is skipped.
func (f *importFlags) items(
	cmd *cobra.Command, r *remote, b *importer.Builder, args []string,
) (items []importer.Item, skipped []string, incomplete bool, err error) {
	switch {
	case f.state != "":
		items, skipped, err = f.fromState(cmd, r, b, args)
	case f.query.name != "":
		items, incomplete, err = f.fromLists(cmd, r, f.queried)
	case f.unmanaged:
		items, incomplete, err = f.fromLists(cmd, r, selection{patterns: args, list: &f.list})
	case f.objects != "":
		items, err = f.fromObjects(cmd, r)
	default:
		items, err = f.single(cmd, r, args[0])
	}
	return items, skipped, incomplete, err
}

// single returns the objects of --id and --identity.
func (f *importFlags) single(cmd *cobra.Command, r *remote, resourceType string) ([]importer.Item, error) {
	p, m, err := r.typeNamed(resourceType)
	if err != nil {
		return nil, err
	}
	opened, err := f.look(cmd, r, p)
	if err != nil {
		return nil, err
	}
	var out []importer.Item
	for _, id := range f.ids {
		out = append(out, importer.ByID(opened, m, id))
	}
	for _, text := range f.identities {
		v, err := importer.ParseIdentity(m, text)
		if err != nil {
			return nil, fmt.Errorf("--identity %s: %w", text, err)
		}
		out = append(out, importer.ByIdentity(opened, m, v))
	}
	if f.as != "" {
		out[0].Name = f.as
	}
	return out, nil
}

// typeNamed returns the only provider with a resource type.
func (r *remote) typeNamed(resourceType string) (*remoteProvider, *model.Resource, error) {
	var found *remoteProvider
	for _, p := range r.providers {
		if p.model.Resources[resourceType] == nil {
			continue
		}
		if found != nil {
			return nil, nil, fmt.Errorf("both %s and %s have %s; name one with --terraform-provider", found.title, p.title, resourceType)
		}
		found = p
	}
	if found == nil {
		return nil, nil, r.noType(resourceType)
	}
	return found, found.model.Resources[resourceType], nil
}

// noType returns the error that no provider has a type. It names the providers that failed.
func (r *remote) noType(name string) error {
	err := fmt.Errorf("no provider has a resource type %s; landbridge provider inspect lists those it has", name)
	for _, u := range r.unopened {
		err = errors.Join(err, u.err)
	}
	return err
}

func (f *importFlags) look(cmd *cobra.Command, r *remote, p *remoteProvider) (*importer.ConfiguredProvider, error) {
	reference, err := f.reference()
	if err != nil {
		return nil, err
	}
	return r.configured(cmd.Context(), p, reference, true)
}

// fromLists returns the objects of a selection that have no owner.
func (f *importFlags) fromLists(cmd *cobra.Command, r *remote, what selection) (items []importer.Item, incomplete bool, err error) {
	if r.cluster == nil {
		return nil, false, errors.New("--unmanaged needs a cluster to know which objects are managed; without one, " +
			"pass the output of landbridge discover to --objects")
	}
	what.unmanaged = true
	d, err := r.discover(cmd, what, func(p *remoteProvider, objects []discovery.Object) error {
		opened, err := f.look(cmd, r, p)
		for _, o := range objects {
			items = append(items, importer.Discovered(opened, o))
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	// Errors of some types do not prevent the import of others.
	incomplete = d.tell(cmd.ErrOrStderr()) != nil || slices.ContainsFunc(d.listings, func(l discovery.Listing) bool { return l.More })
	return items, incomplete, nil
}

// fromObjects returns the objects that discover has printed.
func (f *importFlags) fromObjects(cmd *cobra.Command, r *remote) ([]importer.Item, error) {
	var items []importer.Item
	for i, o := range f.document.Objects {
		p, m, err := r.typeNamed(o.Type)
		if err != nil {
			return nil, fmt.Errorf("%s, objects[%d]: %w", f.objects, i, err)
		}
		opened, err := f.look(cmd, r, p)
		if err != nil {
			return nil, err
		}
		v, err := importer.ReadIdentity(m, o.Identity)
		if err != nil {
			return nil, fmt.Errorf("%s, objects[%d]: %w", f.objects, i, err)
		}
		item := importer.ByIdentity(opened, m, v)
		item.Name = o.DisplayName
		items = append(items, item)
	}
	return items, nil
}

// readObjects reads what discover has printed.
func readObjects(name string, stdin io.Reader) (d discovery.Document, _ error) {
	raw, err := readFile(name, stdin)
	// Reading JSON as YAML takes many times the memory.
	if err != nil || json.Unmarshal(raw, &d) == nil {
		return d, err
	}
	d = discovery.Document{}
	if err := yaml.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

func readFile(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

// fromState returns the resource instances of a Terraform state.
func (f *importFlags) fromState(
	cmd *cobra.Command, r *remote, b *importer.Builder, patterns []string,
) (items []importer.Item, skipped []string, err error) {
	aliases, err := f.aliasConfigurations()
	if err != nil {
		return nil, nil, err
	}
	reference, err := f.reference()
	if err != nil {
		return nil, nil, err
	}
	match := func(address, resourceType string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			byType, _ := path.Match(p, resourceType)
			byAddress, _ := path.Match(p, address)
			return byType || byAddress || p == address
		})
	}
	matched := false
	type answer struct {
		p   *importer.ConfiguredProvider
		err error
	}
	known := map[string]answer{}
	find := func(source, alias string) (*importer.ConfiguredProvider, error) {
		p := r.provider(source)
		if p == nil {
			for _, u := range r.unopened {
				if sameProvider(u.source, source) {
					return nil, u.err
				}
			}
			return nil, fmt.Errorf("there is no provider %s; name its binary with --provider, or install it with a TerraformProvider", source)
		}
		c := reference
		if alias != "" {
			if c = aliases[alias]; c.Name == "" {
				c = importer.Configuration{Kind: model.ClusterProviderConfigKind, Name: alias}
			}
		}
		return r.configured(cmd.Context(), p, c, f.refresh)
	}
	estate, err := importer.ReadState(f.content, func(source, alias string) (*importer.ConfiguredProvider, error) {
		key := source + " " + alias
		if _, ok := known[key]; !ok {
			p, err := find(source, alias)
			known[key] = answer{p, err}
		}
		return known[key].p, known[key].err
	}, func(address, resourceType string) bool {
		yes := match(address, resourceType)
		matched = matched || yes
		return yes
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.state, err)
	}
	if !matched && len(patterns) > 0 {
		return nil, nil, fmt.Errorf("%s has no resource that matches %s", f.state, strings.Join(patterns, " or "))
	}
	b.Leave(estate.Left...)
	f.data, f.leftData = estate.Data, estate.LeftData
	if n := len(estate.Outputs); n > 0 && len(patterns) == 0 {
		skipped = append(skipped,
			fmt.Sprintf("%s skipped: %s. What reads them can read the status or the connection Secret of a resource.",
				plural(n, "output"), printable(strings.Join(estate.Outputs, ", "))))
	}
	return estate.Items, skipped, nil
}

// readSources makes the manifests of the data sources of --state, and returns notes on those that
// have none. What the cluster does not serve is not applied: nothing depends on it.
func (f *importFlags) readSources(ctx context.Context, r *remote, b *importer.Builder) (skipped []string) {
	manifests, left := b.DataSources(ctx, f.data)
	left = slices.Concat(f.leftData, left)
	for _, m := range manifests {
		kind := m.Resource.GroupVersionKind()
		if f.apply {
			if _, err := r.client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version); meta.IsNoMatchError(err) {
				left = append(left, importer.Left{
					Origin: m.Origin,
					Reason: fmt.Sprintf("the cluster does not serve the kind %s; activate it in "+
						"spec.activateDataSources of its TerraformProvider", kind.GroupKind()),
				})
				continue
			}
		}
		f.sources = append(f.sources, m)
	}
	for _, l := range left {
		skipped = append(skipped, fmt.Sprintf("Data source %s skipped: %s.",
			printable(strings.TrimPrefix(l.Origin, "data.")), printable(strings.TrimSuffix(l.Reason, "."))))
	}
	return skipped
}

// provider returns the provider of a source, preferably from the same registry.
func (r *remote) provider(source string) *remoteProvider {
	var out *remoteProvider
	for _, p := range r.providers {
		switch {
		case p.source == source:
			return p
		case out == nil && sameProvider(p.source, source):
			out = p
		}
	}
	return out
}

func (f *importFlags) aliasConfigurations() (map[string]importer.Configuration, error) {
	out := map[string]importer.Configuration{}
	for _, a := range f.aliases {
		alias, reference, _ := strings.Cut(a, "=")
		c, err := (&remoteFlags{configuration: reference}).reference()
		if err != nil || alias == "" {
			return nil, fmt.Errorf("--alias %s: must be ALIAS=%s/NAME or ALIAS=%s/NAME", a,
				model.ClusterProviderConfigKind, model.ProviderConfigKind)
		}
		out[alias] = c
	}
	return out, nil
}
