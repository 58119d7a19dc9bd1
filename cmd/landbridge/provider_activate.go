package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

type activateFlags struct {
	remoteFlags
	manifests    []string
	only, dryRun bool
	wait         time.Duration
}

func newProviderActivateCommand() *cobra.Command {
	var flags activateFlags
	cmd := &cobra.Command{
		Use:   "activate --filename FILE",
		Short: "Activate the resource types, data sources, ephemeral resources and actions that manifests use",
		Long: `Activate the resource types, data sources, ephemeral resources and actions that manifests use: those of their kinds are
added to spec.activate, spec.activateDataSources, spec.activateEphemeralResources and spec.activateActions of the
TerraformProviders, and the command waits until the cluster serves the kinds. kubectl apply then accepts the manifests. The actions
that spec.actions of resources name are among them. Objects of other kinds are ignored.

With --only, these fields have exactly what the manifests use afterwards. This is refused if there are objects of
another kind that is active, since nothing would manage them any more.

The providers' programs run on this machine to read their schemas, found in a mirror or downloaded.`,
		Example: `  landbridge provider activate -f manifests/ && kubectl apply -f manifests/
  # What would be activated
  landbridge provider activate -f manifests/ --only --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd) },
	}
	flags.clusterFlags.add(cmd)
	flags.addPrograms(cmd)
	f := cmd.Flags()
	f.DurationVar(&flags.providerFlags.timeout, "timeout", time.Minute, "how long a provider may take to start and to return its schema")
	f.StringSliceVarP(&flags.manifests, "filename", "f", nil, "manifests: a file, a directory, or - for standard input")
	f.BoolVar(&flags.only, "only", false, "deactivate all other types")
	f.BoolVar(&flags.dryRun, "dry-run", false, "only print what would be activated")
	f.DurationVar(&flags.wait, "wait", 5*time.Minute, "how long to wait until the kinds are served; 0 does not wait")
	if err := cmd.MarkFlagRequired("filename"); err != nil {
		panic(err)
	}
	return cmd
}

// activation is what one provider serves afterwards.
type activation struct {
	provider *remoteProvider
	// used are the kinds of the manifests.
	used []*model.Resource
	// activate has the new patterns.
	activate terraformprovider.Patterns
}

// changes reports whether the provider serves something else afterwards.
func (a activation) changes() bool {
	return !a.activate.Equal(a.provider.activate)
}

// String returns the new values of the fields of spec that change.
func (a activation) String() string {
	var out []string
	for _, mode := range terraformprovider.Modes {
		if now := a.activate[mode]; !slices.Equal(now, a.provider.activate[mode]) {
			out = append(out, fmt.Sprintf("%s would be [%s]", terraformprovider.FieldOf(mode), strings.Join(now, ", ")))
		}
	}
	return strings.Join(out, ", ")
}

func (f *activateFlags) run(cmd *cobra.Command) error {
	sources, err := local.ReadSources(f.manifests, cmd.InOrStdin())
	if err != nil {
		return err
	}
	objects, messages := local.ReadObjects(sources)
	if messages.HasErrors() {
		return errors.New(messages.String())
	}
	f.need = forObjects(objects, triggered(objects)...)
	r, err := f.open(cmd, true)
	if err != nil {
		return err
	}
	defer r.close()
	all, err := activations(r.providers, objects, f.only)
	if err != nil {
		return err
	}
	for _, u := range r.unopened {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %s\n", printable(u.err.Error()))
	}
	if len(all) == 0 {
		return errors.New("the manifests have no object of a provider's kind")
	}
	var kinds []kschema.GroupVersionKind
	for _, a := range all {
		changed := a.changes()
		if changed && f.only {
			if err := r.unused(cmd.Context(), a); err != nil {
				return err
			}
		}
		names := make([]string, 0, len(a.used))
		for _, m := range a.used {
			names = append(names, m.Address())
			kinds = append(kinds, m.GroupVersionKind())
		}
		switch what := strings.Join(names, ", "); {
		case !changed:
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: active already\n", a.provider.title, what)
			continue
		case f.dryRun:
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", a.provider.title, a)
			continue
		default:
			if err := r.activate(cmd.Context(), a); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: activated\n", a.provider.title, what)
		}
	}
	if f.dryRun || f.wait == 0 {
		return nil
	}
	return r.served(cmd.Context(), kinds, f.wait)
}

// triggered returns the actions that resources of manifests have invoked.
func triggered(objects []local.Object) (out []kschema.GroupResource) {
	for _, o := range objects {
		out = append(out, trigger.Actions(o.Unstructured)...)
	}
	return out
}

// usedKinds are the kinds that manifests use: those of their objects, and of the actions that these
// have invoked.
type usedKinds struct {
	by map[*remoteProvider]map[string]*model.Resource
	// unknown are those that no provider of their group has, with where each is used.
	unknown map[string]string
}

// use adds the kinds of a group that a function selects.
func (k *usedKinds) use(providers []*remoteProvider, group string, is func(*model.Resource) bool) (groupKnown, found bool) {
	for _, p := range providers {
		for address, m := range p.model.All() {
			groupKnown = groupKnown || m.Group == group
			if m.Group != group || !is(m) {
				continue
			}
			found = true
			if k.by[p] == nil {
				k.by[p] = map[string]*model.Resource{}
			}
			k.by[p][address] = m
		}
	}
	return groupKnown, found
}

// usedBy returns the kinds that objects use.
func usedBy(providers []*remoteProvider, objects []local.Object) usedKinds {
	out := usedKinds{map[*remoteProvider]map[string]*model.Resource{}, map[string]string{}}
	for _, o := range objects {
		kind := o.GroupVersionKind().GroupKind()
		if kind.Kind == model.ProviderConfigKind || kind.Kind == model.ClusterProviderConfigKind {
			continue // always served
		}
		if known, found := out.use(providers, kind.Group, func(m *model.Resource) bool { return m.Kind == kind.Kind }); known && !found {
			out.unknown["kind "+kind.String()] = o.Source
		}
		for _, a := range trigger.Actions(o.Unstructured) {
			if _, found := out.use(providers, a.Group, func(m *model.Resource) bool { return m.Plural == a.Resource }); !found {
				out.unknown["action "+a.String()] = o.Source
			}
		}
	}
	return out
}

// activations returns what providers have to serve for the objects of manifests, in the order of
// the providers. A kind that a provider of its group does not have is an error, and so is an action
// of spec.actions that no provider has.
func activations(providers []*remoteProvider, objects []local.Object, only bool) ([]activation, error) {
	used := usedBy(providers, objects)
	var problems []error
	for what, source := range used.unknown {
		problems = append(problems, fmt.Errorf("%s: no provider has the %s; landbridge provider inspect lists those it has", source, what))
	}
	if len(problems) > 0 {
		slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(problems...)
	}
	var out []activation
	for _, p := range providers {
		if len(used.by[p]) == 0 {
			continue
		}
		a := activation{provider: p, activate: terraformprovider.Patterns{}}
		if !only {
			a.activate = maps.Clone(p.activate)
		}
		for _, t := range slices.Sorted(maps.Keys(used.by[p])) {
			of := used.by[p][t]
			a.used = append(a.used, of)
			if patterns := a.activate[of.Mode]; !active(patterns, of.Type) {
				a.activate[of.Mode] = append(slices.Clone(patterns), of.Type)
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// active reports whether a name is activated by patterns.
func active(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// unused returns an error if there are resources of types that an activation deactivates.
func (r *remote) unused(ctx context.Context, a activation) error {
	var problems []error
	for t, of := range a.provider.model.All() {
		if !active(a.provider.activate[of.Mode], of.Type) || active(a.activate[of.Mode], of.Type) {
			continue
		}
		all, err := r.cluster.Resources(ctx, of)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			problems = append(problems,
				fmt.Errorf("%s: %s cannot be deactivated: there is %s, and nothing would manage it; leave out --only",
					a.provider.title, t, all[0].Owner))
		}
	}
	return errors.Join(problems...)
}

// activate changes what a TerraformProvider activates, unless the TerraformProvider was changed
// since.
func (r *remote) activate(ctx context.Context, a activation) error {
	p := &v1alpha1.TerraformProvider{}
	if err := r.client.Get(ctx, types.NamespacedName{Name: a.provider.installed}, p); err != nil {
		return err
	}
	if !terraformprovider.PatternsOf(&p.Spec).Equal(a.provider.activate) {
		return fmt.Errorf("%s: the spec's activated kinds were changed meanwhile; repeat the command", a.provider.title)
	}
	before := p.DeepCopy()
	a.activate.Set(&p.Spec)
	return r.client.Patch(ctx, p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner("landbridge-activate"))
}

// served waits until kinds are served.
func (r *remote) served(ctx context.Context, kinds []kschema.GroupVersionKind, timeout time.Duration) error {
	defer showProgress(r.flags.cmd, "Waiting until "+plural(len(kinds), "kind")+" are served")()
	var missing kschema.GroupVersionKind
	err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, timeout, true, func(context.Context) (bool, error) {
		for _, k := range kinds {
			if _, err := r.client.RESTMapper().RESTMapping(k.GroupKind(), k.Version); meta.IsNoMatchError(err) {
				missing = k
				return false, nil
			} else if err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("%s is not served after %s; the conditions of its TerraformProvider have the reason", missing.GroupKind(), timeout)
	}
	return err
}
