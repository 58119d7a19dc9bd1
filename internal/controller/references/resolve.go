package references

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Resolver resolves references.
type Resolver struct {
	// Reader reads kinds that are served here, from a cache.
	Reader client.Reader
	// Served returns the list kind of a kind, and whether it is served here.
	Served func(schema.GroupKind) (list string, ok bool)
	// Lacks returns why no resource of a kind ever has a field at a path; nil if they may have it.
	// It may be nil.
	Lacks func(kind schema.GroupKind, path string) error
	// Unknown returns the value for a field from a resource that has no value for it yet; nil if
	// the field waits for it. It may be nil, and all fields wait.
	Unknown func(target *unstructured.Unstructured) any
	// Call calls functions of the provider that the resource is of. It may be nil if that has none.
	Call expression.Caller
	// Wrote reports whether the value of a field, by its path in the resource, was set by a
	// resolver, and by no other hand since. Such values follow their targets, as Reference.copies
	// tells. It may be nil, and existing values are kept.
	Wrote func(ctx context.Context, path string) (bool, error)
	// Replaced reports whether the object of a target was replaced since the fields were set, or is
	// to be replaced. It may be nil: none was.
	Replaced func(target store.Key) bool
}

// Resolution is the result of Resolve.
type Resolution struct {
	// Changed is set if the resource was changed, but for the parts that are not written.
	Changed bool
	// Unwritten are the parts of the resource that were changed in memory only.
	Unwritten []Unwritten
	// Targets are the resources that are referred to by name, and those that are selected.
	Targets []store.Key
	// Missing describes what the resource waits for.
	Missing []string
	// Differs describes fields whose values differ from those that their references have now, and
	// do not follow them.
	Differs []string
	// Awaited are the resources whose changes may affect the result.
	Awaited []Where
}

// mistake is an error that stays until the reference is changed.
type mistake struct{ error }

func (m mistake) Unwrap() error { return m.error }

// Mistaken reports whether an error of Resolve stays until a reference is changed.
func Mistaken(err error) bool {
	var m mistake
	return errors.As(err, &m)
}

// ResolveAll is Resolve for all references of a resource.
func (r Resolver) ResolveAll(ctx context.Context, u *unstructured.Unstructured, m *model.Resource) (Resolution, error) {
	refs, err := Of(u, m)
	if err != nil || len(refs) == 0 {
		return Resolution{}, err
	}
	return r.Resolve(ctx, u, refs)
}

// Resolve sets the referencing fields of a resource in place. Existing values are kept, unless the
// policy is to resolve always. An error means that a reference cannot be resolved until it is
// changed.
func (r Resolver) Resolve(ctx context.Context, u *unstructured.Unstructured, refs []Reference) (Resolution, error) {
	var out Resolution
	var wrong []error
	for _, ref := range refs {
		if err := r.resolve(ctx, u, ref, &out); err != nil {
			wrong = append(wrong, err)
		}
	}
	return out, errors.Join(wrong...)
}

func (r Resolver) resolve(ctx context.Context, u *unstructured.Unstructured, ref Reference, out *Resolution) error {
	before, err := ref.get()
	if err != nil {
		return mistake{err}
	}
	set := before != nil
	keeps := set && !ref.always
	if keeps && ref.record != nil && (r.Replaced == nil || r.Wrote == nil) {
		return nil // the value was not set by the selector
	}
	var values []any
	var selected []*unstructured.Unstructured
	wrong := ref.mistake
	if wrong != nil {
		wrong = mistake{wrong}
	}
	complete, follows := true, false
	for _, s := range ref.sources {
		found, missing, refused, err := r.find(ctx, u, s)
		if s.Selector != nil {
			found = r.chosen(ctx, ref, s, found, before)
		}
		selected = append(selected, found...)
		where := s.where()
		for _, x := range found {
			where.Name = x.GetName()
			out.Targets = append(out.Targets, where.Key)
		}
		if found == nil && s.Selector == nil && !refused {
			out.Targets = append(out.Targets, where.Key)
		}
		if keeps {
			if refused {
				out.Awaited = append(out.Awaited, where) // it becomes a target again when it permits that
			}
			if err == nil && missing == "" {
				values = append(values, r.now(ctx, ref, s, found)...)
			}
			follows = follows || r.follows(ref, where, found)
			continue
		}
		of := make([]any, 0, len(found))
		for _, x := range found {
			if err != nil || missing != "" {
				break
			}
			var v any
			if v, missing, err = r.value(ctx, ref, s, x); missing != "" && err == nil && r.Unknown != nil {
				if v = r.unknown(ref, x); v != nil {
					missing = ""
				}
			}
			if missing == "" && err == nil {
				of = append(of, v)
			}
		}
		if err == nil && missing != "" {
			err = r.lacks(s)
		}
		switch {
		case err != nil:
			wrong = errors.Join(wrong, fmt.Errorf("%s: %w", ref.from, err))
			continue
		case missing == "":
			values = append(values, of...)
			if ref.distinct {
				values = distinct(values)
			}
		case !s.optional:
			out.Missing = append(out.Missing, ref.to+": "+missing)
			complete = false
		case s.Selector != nil:
			complete = false
		}
		if missing != "" || ref.always || ref.unwritten != nil {
			out.Awaited = append(out.Awaited, s.awaited(found)...)
		}
	}
	if keeps {
		if follows, err = r.differ(ctx, ref, before, values, selected, follows, out); err != nil || !follows {
			return errors.Join(wrong, err)
		}
	}
	if wrong != nil || !complete || len(values) == 0 {
		return wrong
	}
	if ref.record != nil && ref.record(selected) {
		out.Changed = true
	}
	var value any = values
	if !ref.many {
		value = values[0]
	}
	if set && equality.Semantic.DeepEqual(before, value) {
		return nil
	}
	if ref.unwritten != nil {
		out.keep(u, ref.unwritten)
	}
	if err := ref.set(value); err != nil {
		return mistake{err}
	}
	out.Changed = out.Changed || ref.unwritten == nil
	return nil
}

// unknown returns Unknown for a field.
func (r Resolver) unknown(ref Reference, x *unstructured.Unstructured) any {
	v := r.Unknown(x)
	if text, ok := v.(string); ok && ref.numeric {
		return numberFor(text)
	}
	return v
}

// lacks returns an error if the resources of a source never have what it needs of them.
func (r Resolver) lacks(s source) error {
	if r.Lacks == nil || s.extract != nil {
		return nil
	}
	if err := r.Lacks(s.gvk().GroupKind(), s.FieldPath); err != nil {
		return mistake{fmt.Errorf("fieldPath is %q: %w", s.FieldPath, err)}
	}
	return nil
}

// now returns the values that a source has for a field; none if it lacks one.
func (r Resolver) now(ctx context.Context, ref Reference, s source, found []*unstructured.Unstructured) []any {
	var out []any
	for _, x := range found {
		v, missing, err := r.value(ctx, ref, s, x)
		if missing != "" && err == nil && r.Unknown != nil {
			if v = r.unknown(ref, x); v != nil {
				missing = ""
			}
		}
		if err != nil || missing != "" {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// follows reports whether a field with an existing value follows what was found for one of its
// sources.
func (r Resolver) follows(ref Reference, where Where, found []*unstructured.Unstructured) bool {
	if r.Wrote == nil {
		return false
	}
	if !ref.copies {
		return true
	}
	return r.Replaced != nil && slices.ContainsFunc(found, func(x *unstructured.Unstructured) bool {
		where.Name = x.GetName()
		return r.Replaced(where.Key)
	})
}

// differ notes that the existing value of a field is not the one that its sources have now, unless
// it follows them.
func (r Resolver) differ(
	ctx context.Context, ref Reference, is any, now []any, of []*unstructured.Unstructured, follows bool,
	out *Resolution,
) (bool, error) {
	if ref.to == "" || ref.mistake != nil || len(now) < len(ref.sources) || len(now) == 0 {
		return false, nil
	}
	if ref.distinct {
		now = distinct(now)
	}
	var want any = now
	if !ref.many {
		want = now[0]
	}
	if equality.Semantic.DeepEqual(is, want) {
		return false, nil
	}
	if follows {
		if wrote, err := r.Wrote(ctx, ref.to); err != nil || wrote {
			return wrote, err
		}
	}
	if !ref.many && len(of) == 1 {
		out.Differs = append(out.Differs,
			fmt.Sprintf("%s is not the value of %s %s/%s any more, or never was. Set policy.resolve of %s to "+
				"Always, or correct the value.",
				ref.to, ref.sources[0].Kind, ref.sources[0].Namespace, of[0].GetName(), strings.TrimSuffix(ref.from, ".from")))
	}
	return false, nil
}

// awaited returns the resources whose changes may affect a source: those that were found, and those
// that the selector may select.
func (s source) awaited(found []*unstructured.Unstructured) []Where {
	var out []Where
	where := s.where()
	if s.Selector != nil {
		out = append(out, where)
	}
	for _, x := range found {
		where.Name = x.GetName()
		out = append(out, Where{Key: where.Key})
	}
	if len(out) == 0 {
		out = append(out, where)
	}
	return out
}

// find returns the resources that a source names or may select, or describes what is missing. It
// returns both for resources that are being deleted. refused is set if another namespace does not
// permit the reference.
func (r Resolver) find(
	ctx context.Context, u *unstructured.Unstructured, s source,
) (_ []*unstructured.Unstructured, missing string, refused bool, err error) {
	gvk := s.gvk()
	list, ok := r.Served(gvk.GroupKind())
	if !ok {
		return nil, fmt.Sprintf("no kind %s of %s is served here yet", gvk.Kind, gvk.GroupVersion()), false, nil
	}
	var found []*unstructured.Unstructured
	if s.Selector != nil {
		found, err = r.selected(ctx, u, s, gvk.GroupVersion().WithKind(list))
	} else {
		target := &unstructured.Unstructured{}
		target.SetGroupVersionKind(gvk)
		if err = r.Reader.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Name}, target); kerrors.IsNotFound(err) {
			err = nil
		} else if err == nil {
			found = append(found, target)
		}
	}
	switch {
	case err != nil:
		return nil, "", false, err
	case s.Namespace != u.GetNamespace() && (len(found) == 0 || !mayRefer(u, found[0])):
		// The same message for both: whether another namespace has such a resource must not be
		// disclosed.
		return nil, fmt.Sprintf("%s may not be referred to from namespace %s: there is none, or its annotation %s "+
			"does not allow it", s, u.GetNamespace(), v1alpha1.AnnotationReferableFrom), true, nil
	case len(found) == 0:
		return nil, fmt.Sprintf("there is no %s", s), false, nil
	case beingDeleted(found[0]):
		return found, fmt.Sprintf("%s %s is being deleted", s.Kind, cache.MetaObjectToName(found[0])), false, nil
	}
	return found, "", false, nil
}

// chosen returns those of the resources that a selector may select which the field refers to. An
// existing value that is kept refers to the resources that it is of, even while they are being
// deleted: they are needed until this resource is destroyed. Otherwise, resources that are being
// deleted are chosen only if there are no others.
func (r Resolver) chosen(
	ctx context.Context, ref Reference, s source, found []*unstructured.Unstructured, before any,
) []*unstructured.Unstructured {
	if before != nil && !ref.always {
		values, isList := before.([]any)
		if !isList || !ref.many {
			values = []any{before}
		}
		of := slices.DeleteFunc(slices.Clone(found), func(x *unstructured.Unstructured) bool {
			v, missing, err := r.value(ctx, ref, s, x)
			return err != nil || missing != "" || !slices.ContainsFunc(values, func(is any) bool { return equality.Semantic.DeepEqual(is, v) })
		})
		if len(of) > 0 {
			found = of
		}
	} else if n := slices.IndexFunc(found, beingDeleted); n > 0 {
		found = found[:n]
	}
	if !ref.many && len(found) > 1 {
		found = found[:1]
	}
	return found
}

func beingDeleted(u *unstructured.Unstructured) bool { return u.GetDeletionTimestamp() != nil }

// value returns the value for the field from a resource that was found, or describes what the
// resource is missing.
func (r Resolver) value(
	ctx context.Context, ref Reference, s source, target *unstructured.Unstructured,
) (v any, missing string, err error) {
	from := s.path(target)
	if s.extract != nil {
		v, from = s.extract(target.Object), "value for it"
	} else if v, err = fieldpath.Pave(target.Object).GetValue(from); err != nil && !fieldpath.IsNotFound(err) {
		return nil, "", fmt.Errorf("fieldPath is %q: %w", from, err)
	}
	if v == nil && from == dataIDPath && s.FieldPath != from && hasResult(target) {
		return nil, "", mistake{
			fmt.Errorf("the data source %s %s has no id in its result. Set fieldPath to a field of it, such as "+
				"status.atProvider.name", target.GetKind(), target.GetName()),
		}
	}
	if v != nil && v != "" && s.transform != nil {
		if v, err = s.transform.Of(ctx, v, r.Call); err != nil {
			return nil, "", fmt.Errorf("transform is %q, which fails for the %s of %s %s: %w", s.Transform, from,
				target.GetKind(), target.GetName(), err)
		}
		from += ", transformed,"
	}
	if v == nil || v == "" {
		if s.Selector != nil {
			return nil, fmt.Sprintf("%s %s/%s, which is selected, has no %s yet", s.Kind, s.Namespace, target.GetName(), from), nil
		}
		return nil, fmt.Sprintf("%s has no %s yet", s, from), nil
	}
	if ref.convert == nil {
		return v, "", nil
	}
	if v, err = ref.convert(v); err != nil {
		return nil, "", fmt.Errorf("the %s of %s %s does not fit: %w", from, target.GetKind(), target.GetName(), err)
	}
	return v, "", nil
}

// dataIDPath is the path of the value of a data source, which has no external name.
const dataIDPath = "status.atProvider.id"

// path returns the path of the field with the value in an object.
func (s source) path(target *unstructured.Unstructured) string {
	if s.FieldPath == model.ExternalNamePath && model.IsDataGroup(s.gvk().Group) &&
		target.GetAnnotations()[meta.AnnotationKeyExternalName] == "" {
		return dataIDPath
	}
	return s.FieldPath
}

// hasResult reports whether a data source was read.
func hasResult(u *unstructured.Unstructured) bool {
	_, has, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "atProvider")
	return has
}

// selected returns the resources that a source may select, sorted by name. The one that was
// selected before is first, and those that are being deleted are last.
func (r Resolver) selected(
	ctx context.Context, u *unstructured.Unstructured, s source, list schema.GroupVersionKind,
) ([]*unstructured.Unstructured, error) {
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(list)
	err := r.Reader.List(ctx, all, client.InNamespace(s.Namespace), client.MatchingLabelsSelector{
		Selector: labels.SelectorFromSet(s.Selector.MatchLabels),
	})
	if err != nil {
		return nil, err
	}
	owner := metav1.GetControllerOf(u)
	var out []*unstructured.Unstructured
	for i := range all.Items {
		x := &all.Items[i]
		switch {
		case x.GetUID() == u.GetUID(), !mayRefer(u, x):
		case s.Selector.MatchControllerRef && (owner == nil || !metav1.IsControlledBy(x, &metav1.ObjectMeta{UID: owner.UID})):
		default:
			out = append(out, x)
		}
	}
	last := func(x *unstructured.Unstructured) int {
		switch {
		case beingDeleted(x):
			return 2
		case x.GetName() == s.preferred:
			return 0
		}
		return 1
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a.GetName(), b.GetName()))
	})
	return out, nil
}

// mayRefer reports whether a resource may refer to another: one of its namespace, or one whose
// annotation permits it.
func mayRefer(from, to *unstructured.Unstructured) bool {
	return from.GetNamespace() == to.GetNamespace() || permits(to.GetAnnotations()[v1alpha1.AnnotationReferableFrom], from.GetNamespace())
}

// permits reports whether a value of the annotation permits references from another namespace.
func permits(annotation, namespace string) bool {
	for ns := range strings.SplitSeq(annotation, ",") {
		if ns = strings.TrimSpace(ns); ns == "*" || ns == namespace && ns != "" {
			return true
		}
	}
	return false
}
