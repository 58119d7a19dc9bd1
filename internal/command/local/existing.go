package local

import (
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Existing returns the objects of a manifest as a cluster would have them, with what the state has
// of their remote objects. sources are those that the manifest was read from. A provider
// configuration that need not be given is empty.
func Existing(p *model.Provider, sources []Source, m *Manifest, s *State) (*Objects, error) {
	out := NewObjects(nil)
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kschema.GroupVersionKind{Group: p.Group, Version: p.Version, Kind: model.ClusterProviderConfigKind})
	empty.SetName(defaultName)
	empty.SetUID("1")
	out.Add(empty)
	all, _ := ReadObjects(sources) // the manifest was read, so there are no errors
	for _, o := range all {
		if o.GroupVersionKind().Kind != model.ClusterProviderConfigKind {
			o.SetNamespace(namespaceOr(o.GetNamespace()))
		}
		out.Add(o.Unstructured)
	}
	for _, r := range m.Resources {
		stored, err := s.Instance(r)
		if err != nil {
			return nil, err
		}
		u := r.object.DeepCopy()
		u.SetNamespace(namespaceOr(u.GetNamespace()))
		if stored.Exists() && stored.State != cty.NilVal {
			foresee(u, r.Model, instance.Instance{State: stored.State, Identity: stored.Identity, SensitivePaths: stored.SensitivePaths})
		}
		out.Add(u)
	}
	return out, nil
}
