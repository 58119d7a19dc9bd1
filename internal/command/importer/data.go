package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// DataSource is a data source of a Terraform state. Item.Stored has its result as JSON.
type DataSource struct{ Item }

// DataSources returns the manifests of data sources, and why others have none. A state has results
// and no configurations: the arguments of a manifest are those by which the provider reads the same
// result again, as few as possible.
func (b *Builder) DataSources(ctx context.Context, all []DataSource) (manifests []Manifest, left []Left) {
	var drafts []*draft
	for _, x := range all {
		d, reason := readSource(ctx, x)
		if reason != "" {
			left = append(left, Left{x.Origin, x.Provider.Secrets.Replacer().Replace(reason)})
			continue
		}
		drafts = append(drafts, d)
	}
	names := (&naming{taken: b.Taken}).names(drafts)
	for i, d := range drafts {
		manifests = append(manifests, b.dataManifest(d, names[i]))
	}
	return manifests, left
}

// readSource finds the arguments of a data source.
func readSource(ctx context.Context, x DataSource) (*draft, string) {
	if x.Provider.Lease != nil {
		p, release, err := x.Provider.Lease(ctx)
		if err != nil {
			return nil, strings.TrimSuffix(err.Error(), ".")
		}
		defer release()
		x.Provider = p
	}
	d := &draft{Item: x.Item}
	if d.found = *x.Stored; len(d.found.RawState) > 0 {
		return nil, "the state is of another version of the provider; let Terraform refresh it with the version that is used here"
	}
	if d.found.State.IsNull() {
		return nil, "the state has no result of it"
	}
	d.conceal()
	d.ignored = translate.Concealed(d.Resource, d.found.SensitivePaths)
	for _, path := range translate.FieldPaths(d.Resource, d.ignored) {
		d.notes = append(d.notes, fmt.Sprintf("Sensitive in the state: %s is left out. Give it by a reference.", path))
	}
	block := d.Resource.Schema.Block
	var candidates []cty.Value
	for _, keep := range sourceArguments {
		if c := without(block, only(block, d.found.State, keep), d.ignored); c != cty.NilVal {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return nil, "the state does not fit the schema of the provider"
	}
	reader, ok := d.Provider.Executor.(terraform.DataReader)
	if !ok { // nothing is read
		d.config = candidates[0]
		d.notes = append(d.notes, "It was not read. Arguments that the provider may have chosen are left out.")
		return d, ""
	}
	return d, d.choose(ctx, reader, candidates)
}

// choose selects the first arguments that have the result of the state, or else the first that have
// any. It returns why there are none.
func (d *draft) choose(ctx context.Context, reader terraform.DataReader, candidates []cty.Value) (reason string) {
	d.config = cty.NilVal
	for _, c := range candidates {
		data, diags := reader.ReadData(ctx, terraform.ResourceType{Schema: d.Resource.Schema}, c)
		switch {
		case diags.HasErrors():
			if reason == "" {
				reason = d.message(diags)
			}
		case data.Value.RawEquals(d.found.State):
			d.config = c
			return ""
		case d.config == cty.NilVal:
			d.config = c
		}
	}
	if d.config == cty.NilVal {
		return "it cannot be read: " + reason
	}
	d.notes = append(d.notes, "It has changed since the state was written, or its arguments cannot be told from the "+
		"result. Look at spec.forProvider.")
	return ""
}

// sourceArguments are the choices of arguments that a data source may have, the best first: without
// those that the provider may have chosen, with those but for deprecated ones, and all.
var sourceArguments = []func(cty.Path, *schema.Attribute, cty.Value) bool{
	func(_ cty.Path, a *schema.Attribute, v cty.Value) bool {
		return a.Required || a.Optional && !a.Computed && !isUnset(v)
	},
	func(_ cty.Path, a *schema.Attribute, v cty.Value) bool {
		return a.Required || a.Optional && !a.Deprecated && !isUnset(v)
	},
	func(_ cty.Path, a *schema.Attribute, _ cty.Value) bool { return a.Required || a.Optional },
}

func (b *Builder) dataManifest(d *draft, name string) Manifest {
	m := Manifest{Origin: d.Origin, Notes: d.notes, Folder: dataFolder}
	secret, namespace := name+"-inputs", b.namespace(d)
	in := translate.ForProvider(d.Resource, d.config, secret)
	if len(in.Secrets) > 0 {
		m.Inputs = &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: secret, Namespace: namespace},
			Data:       in.Secrets,
		}
	}
	spec := map[string]any{"forProvider": in.ForProvider}
	if c := d.Provider.Configuration; c != DefaultConfiguration {
		spec["providerConfigRef"] = map[string]any{"kind": c.Kind, "name": c.Name}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(d.Resource.GroupVersionKind())
	u.SetNamespace(namespace)
	u.SetName(name)
	m.Resource = u
	return m
}

// resultOf returns the result of a data source with the schema of its provider. What does not fit
// it stays raw.
func resultOf(in instance.Instance, s *schema.Resource) instance.Instance {
	// What a state has of a data source has version 0, whatever the version of its schema is.
	in.State, in.RawState = instance.DecodeValue(json.RawMessage(in.RawState), 0, s.ImpliedType(), 0)
	return in
}
