package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// parallelism is the maximum of objects that are read concurrently, as in Terraform.
const parallelism = 10

// draft is an object that was read, and the content of its custom resource.
type draft struct {
	Item
	// found is the current object.
	found instance.Instance
	// config is the configuration that forProvider is made from.
	config cty.Value
	// ignored are the paths in spec.lifecycle.ignoreChanges.
	ignored []cty.Path
	// why is the reason why the resource only observes: what would change, or is not known. Empty
	// when the first reconcile changes nothing.
	why   string
	notes []string
	// forProvider and inputs are set instead of config for what another system has declared:
	// spec.forProvider, and the values of the Secret with inputs.
	forProvider map[string]any
	inputs      map[string][]byte
	// changed are the changes of the first reconcile.
	changed []translate.Change
}

// window is the maximum of objects that are read before their turn.
const window = 4 * parallelism

// readAll reads items, several at a time, and calls each in their order. The draft is nil if an
// object cannot be imported. It stops with the first error of each.
func readAll(ctx context.Context, items []Item, each func(i int, d *draft, reason string) error) error {
	type result struct {
		d      *draft
		reason string
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan result, window)
	go func() {
		defer close(queue)
		var group errgroup.Group
		group.SetLimit(parallelism)
		for _, item := range items {
			turn := make(chan result, 1)
			queue <- turn
			group.Go(func() error {
				var r result
				if ctx.Err() == nil {
					r.d, r.reason = readLeased(ctx, item)
				}
				turn <- r
				return nil
			})
		}
		_ = group.Wait()
	}()
	var failed error
	i := 0
	for turn := range queue {
		r := <-turn
		if failed == nil {
			if failed = ctx.Err(); failed == nil {
				failed = each(i, r.d, r.reason)
			}
			if failed != nil {
				cancel() // the others end at once
			}
		}
		i++
	}
	return failed
}

// readLeased is read, with a provider that is leased for it.
func readLeased(ctx context.Context, item Item) (*draft, string) {
	if item.Provider.Lease == nil {
		return read(ctx, item)
	}
	p, release, err := item.Provider.Lease(ctx)
	if err != nil {
		return nil, strings.TrimSuffix(err.Error(), ".")
	}
	defer release()
	item.Provider = p
	return read(ctx, item)
}

// reads notes the object as it was read. An identity without values is none.
func (d *draft) reads(in instance.Instance) {
	if d.found = in; !instance.Identified(in.Identity) {
		d.found.Identity = cty.NilVal
	}
}

// read reads an object. If it cannot be imported, the draft is nil and the reason is returned.
func read(ctx context.Context, item Item) (*draft, string) {
	if item.Declared != nil {
		return readDeclared(ctx, item)
	}
	d := &draft{Item: item}
	p, r := item.Provider, terraform.ResourceType{Schema: item.Resource.Schema}
	if item.Stored != nil {
		d.reads(*item.Stored)
		d.conceal()
	}
	switch {
	case item.Stored == nil && p.Executor == nil:
		return nil, "it can only be imported by looking at it"
	case item.Stored == nil:
		in, diags := p.Executor.Import(ctx, r, item.Target)
		if diags.HasErrors() {
			return nil, d.message(diags)
		}
		d.reads(in)
	case p.Executor != nil:
		refreshed, diags := p.Executor.Refresh(ctx, r, *item.Stored)
		switch {
		case diags.HasErrors():
			return nil, d.message(diags)
		case !refreshed.Instance.Exists():
			return nil, "it does not exist any more"
		}
		if s := item.Stored; len(s.RawState) == 0 && !s.State.RawEquals(refreshed.Instance.State) {
			d.notes = append(d.notes, "It has changed since the state was written. This is as it is now.")
		}
		d.reads(refreshed.Instance)
	case len(item.Stored.RawState) > 0:
		return nil, "the state is of another version of the provider, so that the object must be looked at"
	}
	d.conceal()
	d.ignored = translate.Concealed(d.Resource, d.found.SensitivePaths)
	d.configure(ctx)
	return d, ""
}

// conceal adds the object's sensitive values to the redactor.
func (d *draft) conceal() {
	for _, value := range translate.ConnectionDetails(d.Resource, d.found.State) {
		d.Provider.Secrets.Add(value)
	}
	for _, path := range d.found.SensitivePaths {
		if d.found.State == cty.NilVal {
			break
		}
		if v, err := path.Apply(d.found.State); err == nil {
			d.Provider.Secrets.AddValue(v)
		}
	}
}

// message formats errors for people, without secrets.
func (d *draft) message(diags diagnostic.Diagnostics) string {
	text := strings.Join(strings.Fields(translate.Message(d.Resource, diags.Errors())), " ")
	return strings.TrimSuffix(d.Provider.Secrets.Replacer().Replace(text), ".")
}

// configure selects the first configuration that changes nothing, or else the first that the
// provider accepts.
func (d *draft) configure(ctx context.Context) {
	candidates, _ := configurations(ctx, d.Provider, d.Resource.Schema, d.found.State)
	accepted := cty.NilVal
	var refusal, changes string
	for _, c := range candidates {
		if c = without(d.Resource.Schema.Block, c, d.ignored); c == cty.NilVal {
			continue
		}
		if d.Provider.Executor == nil {
			d.config = c
			return
		}
		plan, diags := d.plan(ctx, c)
		switch {
		case diags.HasErrors():
			if refusal == "" {
				refusal = d.message(diags)
			}
		case plan.Action == terraform.NoOp:
			d.config = c
			return
		case accepted == cty.NilVal:
			accepted, changes = c, d.changes(plan)
		}
	}
	if d.config, d.why = accepted, "its first reconcile would "+changes; accepted == cty.NilVal {
		d.config, d.why = without(d.Resource.Schema.Block, candidates[0], d.ignored), "the provider does not accept the configuration: "+refusal
	}
	if missing := d.missing(); len(missing) > 0 {
		d.why = fmt.Sprintf("%s cannot be read, and must be given by you", strings.Join(missing, " and "))
	}
}

// plan plans a configuration as the controller would read it from the manifest.
func (d *draft) plan(ctx context.Context, config cty.Value) (terraform.Plan, diagnostic.Diagnostics) {
	in := translate.ForProvider(d.Resource, config, "inputs")
	c, diags := translate.Config(d.Resource, in.ForProvider, nil, func(s translate.SecretKeySelector) ([]byte, error) {
		b, ok := in.Secrets[s.Key]
		if !ok {
			return nil, errors.New("there is no such key")
		}
		return b, nil
	})
	if diags.HasErrors() {
		return terraform.Plan{}, diags
	}
	c.Value = translate.WithSettled(d.Resource, c.Value, config)
	found := d.found
	found.Status = instance.Full // a tainted one is kept
	return d.Provider.Executor.Plan(ctx, terraform.ResourceType{Schema: d.Resource.Schema}, found, terraform.Config{
		Value: c.Value, SensitivePaths: c.SensitivePaths,
		IgnoreChanges: terraform.IgnoreChanges{Paths: d.ignored}, CreateBeforeDestroy: found.CreateBeforeDestroy,
	})
}

// changes describes a plan: "update size and tags.team".
func (d *draft) changes(plan terraform.Plan) string {
	what := strings.ToLower(string(plan.Action))
	paths := make([]string, 0, 8)
	if plan.Action.IsReplace() {
		what = "replace it because of"
		paths = append(paths, translate.FieldPaths(d.Resource, plan.RequiresReplace)...)
	} else {
		for _, c := range translate.Changes(d.Resource, plan.Prior.State, plan.State) {
			if c.After != nil || !c.AfterUnknown {
				paths = append(paths, c.Path)
			}
		}
	}
	if more := len(paths) - 8; more > 0 {
		paths = append(paths[:8], fmt.Sprintf("%d more", more))
	}
	if len(paths) == 0 {
		return what + " what the kind does not have"
	}
	return what + " " + strings.Join(paths, ", ")
}

// missing returns the paths of required fields that the configuration lacks.
func (d *draft) missing() []string {
	var out []string
	for _, f := range d.Resource.Root().Object.All {
		if !f.Required || !f.Input || f.Type.Block != "" {
			continue
		}
		if d.config.GetAttr(f.Name).IsNull() {
			out = append(out, "spec.forProvider."+f.InputName())
		}
	}
	return out
}
