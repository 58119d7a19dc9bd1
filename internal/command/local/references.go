package local

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// References are resolved among the resources of the manifest: from what the state has of them, or
// what is planned. What is known only after another resource was applied is unknown in the plan.
// Apply resolves it then, and plans again: the result must fit the plan that was shown.

const unresolved = "Reference not resolved"

// Refers implements Referrer.
func (r *ManifestResource) Refers() (*unstructured.Unstructured, []references.Reference) {
	return r.object, r.references
}

// refer makes the object of the resource, and reads its references.
func (t *resourceReader) refer(d document) {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": t.resource.Spec}}
	u.SetGroupVersionKind(d.GroupVersionKind())
	u.SetNamespace(t.resource.Namespace)
	u.SetName(t.resource.Name)
	u.SetLabels(t.out.Labels)
	u.SetAnnotations(t.resource.Annotations)
	if t.resource.AtProvider != nil {
		_ = unstructured.SetNestedMap(u.Object, t.resource.AtProvider, "status", "atProvider")
	}
	t.out.object, t.out.resource, t.out.secrets = u, t.resource, t.reader.read(t.resource.Namespace, false)
	refs, err := references.Of(u.DeepCopy(), t.out.Model)
	if err != nil {
		t.refuse("", "Invalid reference", "%s.", err)
	}
	t.out.references = refs
}

// resolver resolves references of one session.
type resolver struct {
	objects      *Objects
	placeholders *references.Placeholders
	// planned are the resources that were planned. Others cannot be referred to: they are in a
	// circle.
	planned *Objects
	// read are the data sources that were read, and pending what is to be changed before others can
	// be: resources, and data sources that refer to these.
	read    map[*ManifestResource]bool
	pending []*ManifestResource
}

func (s *Session) resolver() *resolver {
	if s.resolves == nil {
		s.resolves = &resolver{NewObjects(nil), references.NewPlaceholders(), NewObjects(nil), map[*ManifestResource]bool{}, nil}
		for _, r := range slices.Concat(s.Manifest.Resources, s.Manifest.Data) {
			s.resolves.objects.Add(r.object)
		}
	}
	return s.resolves
}

// resolve resolves the references of a resource, and reads it. While it is planned, values may be
// unknown.
func (s *Session) resolve(ctx context.Context, r *ManifestResource, planning bool) Messages {
	if len(r.references) == 0 {
		return nil
	}
	x := s.resolver()
	u := r.object.DeepCopy()
	u.Object["spec"] = runtime.DeepCopyJSON(r.resource.Spec)
	refs, err := references.Of(u, r.Model)
	if err != nil {
		return r.say(errorf("", "Invalid reference", "%s.", err))
	}
	with := references.Resolver{Reader: x.objects, Served: s.served, Call: s.Functions(r)}
	if planning {
		with.Unknown = func(target *unstructured.Unstructured) any {
			if x.planned.Like(target) == nil {
				return nil
			}
			return x.placeholders.Of(target)
		}
	}
	found, err := with.Resolve(ctx, u, refs)
	if err != nil {
		return r.say(errorf("", "Invalid reference", "%s.", err))
	}
	var out Messages
	for _, missing := range found.Missing {
		out = append(out, r.say(errorf("", unresolved, "%s. References are resolved among the resources of the manifest.", missing))...)
	}
	if out.HasErrors() {
		return out
	}
	custom := r.resource
	custom.Spec, _, _ = unstructured.NestedMap(u.Object, "spec")
	read, diags := desired.Read(r.Model, custom)
	r.Spec = read
	if !diags.HasErrors() && read.Described() {
		var more diagnostic.Diagnostics
		r.Config, more = read.Configuration(r.secrets)
		if diags = append(diags, more...); !diags.HasErrors() {
			if r.Config.Value, err = x.placeholders.In(r.Config.Value); err != nil {
				return r.say(errorf("", "Invalid reference", "%s.", err))
			}
		}
	}
	r.object.Object["spec"] = custom.Spec
	return s.say(r, diags)
}

// Functions returns what calls the functions of the provider, with the provider configuration of a
// resource.
func (s *Session) Functions(r *ManifestResource) expression.Caller {
	return references.Caller(r.Model, func(ctx context.Context) (terraform.Executor, func(), error) {
		ex, release, messages := s.acquire(ctx, r)
		if messages.HasErrors() {
			return nil, nil, errors.New(conceal(s.Manifest.secrets, messages).String())
		}
		return ex, release, nil
	})
}

func (r *ManifestResource) say(m Message) Messages {
	m.Source, m.Address = r.Source, r.Address()
	return Messages{m}
}

// served returns the list kind of a kind of the provider.
func (s *Session) served(kind schema.GroupKind) (string, bool) {
	for _, m := range s.Provider.All() {
		if m.GroupVersionKind().GroupKind() == kind {
			return kind.Kind + "List", true
		}
	}
	return "", false
}

// awaits reports whether the configuration has values that are known only after others were
// applied.
func (r *ManifestResource) awaits() bool {
	return len(r.references) > 0 && r.Config != nil && !r.Config.Value.IsWhollyKnown()
}

// foresee sets what others may refer to, as it is planned.
func (s *Session) foresee(planned []*ManifestResource, changes []*Change) {
	for _, r := range planned {
		s.resolver().planned.Add(r.object)
	}
	for _, c := range changes {
		c.Foresee(c.Resource.object)
		if c.Plan.Action != terraform.NoOp {
			s.resolver().pending = append(s.resolver().pending, c.Resource)
		}
	}
}

// learn sets what others may refer to, as it was applied.
func (s *Session) learn(r *ManifestResource) {
	s.resolver().settled(r)
	if in, err := s.State.Instance(r); err == nil && in.Exists() {
		foresee(r.object, r.Model, in)
	}
}
