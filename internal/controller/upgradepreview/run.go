package upgradepreview

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/schema"
)

// Options of Preview and Deprecations.
type Options struct {
	// Provider is the name of the TerraformProvider.
	Provider string
	// Reader reads the cluster. It must not be a cache.
	Reader client.Reader
	Mapper meta.RESTMapper
	// Stored are the stored instances.
	Stored Records
	// Types are the resource types; nil for those whose kinds the cluster serves.
	Types []string
	// Unknown permits references to resources that have no value for them yet: the values are
	// unknown. Otherwise the resources that refer to them are not previewed.
	Unknown bool
	// Installed and New are the versions of the provider.
	Installed, New Version
	// Secrets are those of provider configurations. Diagnostics do not show them.
	Secrets *redact.Redactor
	// Namespace is that of the resources; empty for each that may be read.
	Namespace string
	// Selector selects resources. Nil selects all.
	Selector labels.Selector
	// Refresh reads the remote objects first, by both versions.
	Refresh bool
	// Examples is the number of resources that a row of the report names.
	Examples int
	// Parallelism is the maximum of resources that are previewed at once. Defaults to 10.
	Parallelism int
	// After is the last resource type that was previewed already; empty to begin. Types are
	// previewed in the order of their names, after provider configurations.
	After string
	// Done is called after each type, with the report of those since After. It may be nil.
	Done func(Progress)
}

// Records are the stored instances of resources, as store.Secrets has them.
type Records interface {
	Load(ctx context.Context, key store.Key, decode *schema.Resource) (store.Record, error)
	Each(ctx context.Context, group, kind string, some func([]store.Key)) error
	Forget(key store.Key)
}

// Version is a version of the provider.
type Version struct {
	Provider *model.Provider
	// Acquire leases an executor with the provider configuration of a resource.
	Acquire upgrade.Acquire
}

// Progress is how much is previewed.
type Progress struct {
	// Type is the last resource type, the Number-th of Types.
	Type          string
	Number, Types int
	Report        *upgrade.Report
}

// Preview returns what the new version would do to the live resources.
func Preview(ctx context.Context, o Options) (*upgrade.Report, error) {
	r := newRun(o)
	served, err := r.served(ctx)
	if err != nil {
		return nil, err
	}
	if r.namespaces, err = r.readable(ctx, served); err != nil {
		return nil, err
	}
	if o.After == "" {
		if err := r.compareConfigurations(ctx); err != nil {
			return nil, err
		}
	}
	for i, t := range served {
		if t <= o.After {
			continue
		}
		if err := r.kind(ctx, t); err != nil {
			return nil, err
		}
		if o.Done != nil {
			o.Done(Progress{Type: t, Number: i + 1, Types: len(served), Report: r.grouper.Report()})
		}
	}
	out := r.grouper.Report()
	out.Provider, out.Refreshed, out.Notes = o.Provider, o.Refresh, r.notes
	return out, nil
}

// run is one preview.
type run struct {
	Options
	// namespaces are those of the resources; "" is all of them.
	namespaces []string
	grouper    *upgrade.Grouper
	notes      []string
}

func newRun(o Options) *run {
	if o.Selector == nil {
		o.Selector = labels.Everything()
	}
	if o.Parallelism == 0 {
		o.Parallelism = 10
	}
	return &run{Options: o, grouper: &upgrade.Grouper{Examples: o.Examples}}
}

// served returns the resource types whose kinds the cluster serves, sorted.
func (r *run) served(ctx context.Context) ([]string, error) {
	if r.Types != nil {
		return slices.Sorted(slices.Values(r.Types)), nil
	}
	crds, err := kinds.ListCRDs(ctx, r.Reader, client.MatchingLabels{v1alpha1.LabelProvider: r.Provider})
	if err != nil {
		return nil, fmt.Errorf("cannot list the provider's CRDs: %w", err)
	}
	found := map[string]bool{}
	for _, d := range crds {
		if t := d.Annotations[v1alpha1.AnnotationResourceType]; r.Installed.Provider.Resources[t] != nil {
			found[t] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// readable returns the namespaces whose resources the user may list: "" for all, else each.
func (r *run) readable(ctx context.Context, served []string) ([]string, error) {
	if r.Namespace != "" || len(served) == 0 {
		return []string{r.Namespace}, nil
	}
	try := func(namespace string) error {
		return r.list(ctx, r.Installed.Provider.Resources[served[0]].ListGroupVersionKind(),
			func([]unstructured.Unstructured) (bool, error) { return false, nil }, client.InNamespace(namespace), client.Limit(1))
	}
	err := try("")
	if !kerrors.IsForbidden(err) {
		return []string{""}, err
	}
	all := &unstructured.UnstructuredList{}
	all.SetAPIVersion("v1")
	all.SetKind("NamespaceList")
	if listErr := r.Reader.List(ctx, all); listErr != nil {
		return nil, fmt.Errorf("%w; name a namespace with --namespace", err)
	}
	var out []string
	for _, n := range all.Items {
		err := try(n.GetName())
		switch {
		case err == nil:
			out = append(out, n.GetName())
		case !kerrors.IsForbidden(err):
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, err
	}
	if left := len(all.Items) - len(out); left > 0 {
		r.notes = append(r.notes, fmt.Sprintf("Resources of %d other namespaces are not previewed: you may not list them.", left))
	}
	return out, nil
}

// list calls a function with the objects of a list kind, in pages, until it returns false.
func (r *run) list(
	ctx context.Context, gvk kschema.GroupVersionKind, page func([]unstructured.Unstructured) (bool, error),
	options ...client.ListOption,
) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk)
	for {
		err := r.Reader.List(ctx, list, append([]client.ListOption{client.Limit(listSize), client.Continue(list.GetContinue())}, options...)...)
		if err != nil {
			return err
		}
		if more, err := page(list.Items); err != nil || !more || list.GetContinue() == "" {
			return err
		}
	}
}

// kind previews the resources of a type.
func (r *run) kind(ctx context.Context, resourceType string) error {
	k := &kind{run: r, model: r.Installed.Provider.Resources[resourceType]}
	if m := r.New.Provider.Resources[resourceType]; m != nil {
		old, err := evolution.FromResource(k.model)
		if err != nil {
			return err
		}
		now, err := evolution.FromResource(m)
		if err != nil {
			return err
		}
		k.preview = upgrade.NewPreview(
			upgrade.Version{Model: k.model, Kind: old, Acquire: r.Installed.Acquire},
			upgrade.Version{Model: m, Kind: now, Acquire: r.New.Acquire}, r.Refresh, r.Secrets)
	}
	defer k.waiting.close()
	for _, n := range r.namespaces {
		err := r.list(ctx, k.model.ListGroupVersionKind(), func(all []unstructured.Unstructured) (bool, error) {
			return true, k.add(ctx, all)
		}, client.InNamespace(n), client.MatchingLabelsSelector{Selector: r.Selector})
		if err != nil {
			return fmt.Errorf("cannot list %s: %w", k.model.CRDName(), err)
		}
	}
	return k.flush(ctx)
}

// kind are the resources of a type that are previewed.
type kind struct {
	*run
	model *model.Resource
	// preview is nil if the new version does not have the type.
	preview *upgrade.Preview
	// waiting are the resources whose records are to be read.
	waiting waiting
	// unanswered counts the resources without an answer even when they were previewed alone.
	unanswered int
}

// Limits of what is read at once.
const (
	listSize = 500
	// few is the number of resources whose records are read one by one.
	few = 50
	// maxUnanswered is the number of resources of a type that are previewed alone, because they had
	// no answer. If the provider always crashes, more do not help.
	maxUnanswered = 20
)

// add adds resources, and previews those that wait when they are many.
func (k *kind) add(ctx context.Context, all []unstructured.Unstructured) error {
	for i := range all {
		raw, err := packed(&all[i], k.model)
		if err != nil {
			return err
		}
		key := store.Key{Group: k.model.Group, Kind: k.model.Kind, Namespace: all[i].GetNamespace(), Name: all[i].GetName()}
		if err := k.waiting.add(key, raw); err != nil {
			return err
		}
		if k.waiting.full() {
			if err := k.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// packed returns what a preview needs of a resource, as JSON.
func packed(u *unstructured.Unstructured, m *model.Resource) ([]byte, error) {
	out := &unstructured.Unstructured{Object: map[string]any{"spec": u.Object["spec"]}}
	out.SetGroupVersionKind(u.GroupVersionKind())
	out.SetNamespace(u.GetNamespace())
	out.SetName(u.GetName())
	out.SetLabels(u.GetLabels())
	annotations := u.GetAnnotations()
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	out.SetAnnotations(annotations)
	out.SetDeletionTimestamp(u.GetDeletionTimestamp())
	if at, ok, _ := unstructured.NestedMap(u.Object, "status", "atProvider"); ok && m.Settings.Argument != nil {
		name := m.Settings.Argument.JSONName
		_ = unstructured.SetNestedMap(out.Object, map[string]any{name: at[name]}, "status", "atProvider")
	}
	return out.MarshalJSON()
}

// flush previews the resources that wait. Records are read in pages, unless there are few.
func (k *kind) flush(ctx context.Context) error {
	if k.waiting.len() > few && k.preview != nil {
		var failed error
		err := k.Stored.Each(ctx, k.model.Group, k.model.Kind, func(keys []store.Key) {
			keys = slices.DeleteFunc(keys, func(key store.Key) bool { return !k.waiting.has(key) })
			if failed == nil {
				failed = k.page(ctx, keys)
			}
		})
		if err = errors.Join(err, failed); err != nil {
			return noPermission(err)
		}
	}
	for keys := range slices.Chunk(k.waiting.keys(), 2*few) {
		if err := k.page(ctx, keys); err != nil {
			return noPermission(err)
		}
	}
	return nil
}

func noPermission(err error) error {
	if kerrors.IsForbidden(err) {
		return fmt.Errorf("reading what Landbridge stores needs the permission to get and list Secrets in its namespace: %w", err)
	}
	return err
}

// page previews some of the resources that wait, and adds what is found to the report.
func (k *kind) page(ctx context.Context, keys []store.Key) error {
	found := make([][]upgrade.Finding, len(keys))
	var group errgroup.Group
	group.SetLimit(k.Parallelism)
	for i, key := range keys {
		group.Go(func() (err error) {
			found[i], err = k.one(ctx, key)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, key := range keys {
		// The provider may have crashed at another resource.
		if slices.ContainsFunc(found[i], func(f upgrade.Finding) bool { return f.Unanswered }) && k.unanswered < maxUnanswered {
			var err error
			if found[i], err = k.one(ctx, key); err != nil {
				return err
			}
			if slices.ContainsFunc(found[i], func(f upgrade.Finding) bool { return f.Unanswered }) {
				k.unanswered++
			}
		}
		k.grouper.Add(upgrade.Subject{Kind: kindOf(k.model), Namespace: key.Namespace, Name: key.Name}, found[i])
		k.waiting.remove(key)
		k.Stored.Forget(key)
	}
	return ctx.Err()
}

func kindOf(m *model.Resource) upgrade.Kind {
	return upgrade.Kind{ResourceType: m.Type, Group: m.Group, Kind: m.Kind}
}

func notPreviewed(summary string, err error) []upgrade.Finding {
	c := upgrade.Cause{Summary: summary}
	if err != nil {
		c.Detail = strings.TrimSuffix(err.Error(), ".") + "."
	}
	return []upgrade.Finding{{Outcome: upgrade.NotPreviewed, Cause: c}}
}

// one previews a resource.
func (k *kind) one(ctx context.Context, key store.Key) ([]upgrade.Finding, error) {
	if k.preview == nil {
		return notPreviewed("The new version does not have the resource type "+k.model.Type, nil), nil
	}
	raw, err := k.waiting.of(key)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	rec, err := k.Stored.Load(ctx, key, store.Verbatim)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case errors.Is(err, store.ErrUnreadable):
		return notPreviewed("The record cannot be read", err), nil
	case err != nil:
		return nil, err
	}
	if op := rec.Instance.Operation; op != nil && op.Kind == instance.Move {
		return notPreviewed("The resource is being moved to another cluster", nil), nil
	}
	secrets := func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = key.Namespace
		return providerconfig.ReadSecret(ctx, k.Reader, ref)
	}
	of := upgrade.Resource{Object: u, Stored: rec.Instance, Secrets: secrets}
	var placeholders *references.Placeholders
	if k.Unknown {
		placeholders = references.NewPlaceholders()
		of.Unknown = placeholders.In
	}
	if missing, err := k.resolve(ctx, u, placeholders); err != nil || len(missing) > 0 {
		if err == nil {
			err = errors.New(strings.Join(missing, "; "))
		}
		return notPreviewed("A reference cannot be resolved", err), nil
	}
	of.Earlier = func(s *schema.Resource) (instance.Instance, bool) {
		back, ok := rec.RolledBack(s)
		return back.Instance, ok
	}
	return k.preview.Of(ctx, of), nil
}

// resolve sets the fields that come from other resources: to placeholders, unless these are nil,
// where a resource has no value yet.
func (k *kind) resolve(
	ctx context.Context, u *unstructured.Unstructured, placeholders *references.Placeholders,
) (missing []string, _ error) {
	resolver := references.Resolver{
		Reader: k.Reader,
		Served: func(kind kschema.GroupKind) (string, bool) {
			_, err := k.Mapper.RESTMapping(kind)
			return kind.Kind + "List", err == nil
		},
		Call: references.Caller(k.model, func(ctx context.Context) (terraform.Executor, func(), error) {
			ex, release, diags := k.run.Installed.Acquire(ctx, u)
			return ex, release, diags.Err()
		}),
	}
	if placeholders != nil {
		resolver.Unknown = placeholders.Of
	}
	out, err := resolver.ResolveAll(ctx, u, k.model)
	return out.Missing, err
}
