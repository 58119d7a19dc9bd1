package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	ctyjson "github.com/zclconf/go-cty/cty/json"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// ErrNotReadable is returned by Modules if the stored instances may not be read.
var ErrNotReadable = errors.New("the stored instances of modules cannot be read")

// ModuleObjects are the remote objects that instances of modules consist of.
type ModuleObjects []moduleObject

// moduleObject is a remote object of a module's instance.
type moduleObject struct {
	terraform.Object
	owner discovery.Owner
	// configurations are those of the instance, one of which is the object's.
	configurations []providerconfig.Reference
}

// Modules returns the remote objects of all instances of modules in the cluster, as they are
// stored. It returns ErrNotReadable if the user may not read stored instances.
func (c *Reader) Modules(ctx context.Context) (ModuleObjects, error) {
	modules := &v1alpha1.TerraformModuleList{}
	if err := c.Client.List(ctx, modules); err != nil {
		if meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	var out ModuleObjects
	for i := range modules.Items {
		if modules.Items[i].Status.Kind == "" {
			continue // nothing is served of it
		}
		status := modules.Items[i].Status
		kind := kschema.GroupVersionKind{Group: status.Group, Version: model.Version, Kind: status.Kind + "List"}
		objects, err := listed(ctx, c.Client, kind, func(u *unstructured.Unstructured) ([]moduleObject, error) { return c.instance(ctx, u) })
		if err != nil {
			return nil, err
		}
		out = append(out, objects...)
	}
	return out, nil
}

// instance returns the objects of an instance of a module.
func (c *Reader) instance(ctx context.Context, u *unstructured.Unstructured) (ModuleObjects, error) {
	owner := discovery.Owner{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
	rec, err := c.Stored.Load(ctx, store.Key{
		Group: u.GroupVersionKind().Group, Kind: owner.Kind, Namespace: owner.Namespace, Name: owner.Name,
	}, store.Verbatim)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil // it has no objects
	case kerrors.IsForbidden(err):
		return nil, fmt.Errorf("%w: %w", ErrNotReadable, err)
	case err != nil:
		return nil, err
	}
	held, begun := module.Consists(rec.Instance)
	out := make(ModuleObjects, 0, len(held)+len(begun))
	for _, o := range slices.Concat(held, begun) {
		out = append(out, moduleObject{o, owner, configurationsOf(u, o)})
	}
	return out, nil
}

// configurationsOf returns the provider configurations of an instance, one of which is that of an
// object. Which one it is for a source is not known without the module, which gives its providers
// local names.
func configurationsOf(u *unstructured.Unstructured, o terraform.Object) []providerconfig.Reference {
	reference := func(of any) providerconfig.Reference {
		ref, _ := of.(map[string]any)
		return providerconfig.ReferenceIn(ref, u.GetNamespace())
	}
	named, _, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRefs")
	if ref, ok := named[o.Configuration]; ok {
		return []providerconfig.Reference{reference(ref)}
	}
	all, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "providerConfigRef")
	out := []providerconfig.Reference{reference(all)}
	for name, ref := range named {
		if !strings.Contains(name, ".") { // a provider by its local name
			out = append(out, reference(ref))
		}
	}
	return out
}

// Owners returns the owners of objects of a resource type in provider configurations.
func (all ModuleObjects) Owners(r *model.Resource, in func(providerconfig.Reference) bool) []discovery.Owner {
	var out []discovery.Owner
	for _, o := range all {
		if o.Type != r.Type || !slices.ContainsFunc(o.configurations, in) {
			continue
		}
		owner := o.owner
		owner.ExternalName = o.ID
		if r.Schema.Identity != nil && o.Identity != "" && o.IdentityVersion == r.Schema.Identity.Version {
			if v, err := ctyjson.Unmarshal([]byte(o.Identity), r.Schema.IdentityType()); err == nil {
				owner.Identity = v
			}
		}
		out = append(out, owner)
	}
	return out
}
