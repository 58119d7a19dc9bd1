package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Declared is what another system has declared of an object, and what it has observed of it.
type Declared struct {
	// ForProvider and InitProvider are in the form of spec. Arguments that they lack are added if
	// the first reconcile changes nothing with them.
	ForProvider, InitProvider map[string]any
	// Secrets returns the values of the Secrets that they refer to.
	Secrets translate.Secrets
	// Name is the name of the object that the other system takes for an argument of it; empty for
	// none.
	Name string
	// Observed is the object as the other system has observed it; nil if that is unknown. The
	// object that is imported must be equal to it. If it is not, or cannot be imported, the
	// observed one is refreshed and stored.
	Observed *instance.Instance
	// Taken is set if the custom resource exists already. Its manifest is made for the references
	// of others.
	Taken bool
	// Alternatives are tried if the object cannot be imported by Item.Target.
	Alternatives []terraform.ImportTarget
}

// readDeclared reads an object that another system manages. If it cannot be imported, the draft is
// nil and the reason is returned.
func readDeclared(ctx context.Context, item Item) (*draft, string) {
	var best *draft
	var reasons []string
	for _, target := range append([]terraform.ImportTarget{item.Target}, item.Declared.Alternatives...) {
		d := &draft{Item: item}
		d.Target = target
		in, diags := item.Provider.Executor.Import(ctx, terraform.ResourceType{Schema: item.Resource.Schema}, target)
		if diags.HasErrors() {
			reasons = append(reasons, d.message(diags))
			continue
		}
		d.reads(in)
		d.conceal()
		d.configureDeclared(ctx)
		if paths := d.contradictions(); len(paths) > 0 && d.why == "" {
			d.why = fmt.Sprintf("the object that was imported differs from the observed one in %s", listed(paths))
		}
		if d.why == "" {
			return d, ""
		}
		if best == nil {
			best = d
		}
	}
	if observed, reason := readObserved(ctx, item); observed != nil {
		if observed.why == "" || best == nil {
			return observed, ""
		}
		// What an import does not read is no difference.
		if n := len(observed.changed); n > 0 && n < len(best.changed) {
			best.why, best.changed = observed.why, observed.changed
		}
	} else if reason != "" {
		reasons = append(reasons, reason)
	}
	if best != nil {
		return best, ""
	}
	slices.Sort(reasons)
	return nil, strings.Join(slices.Compact(reasons), "; ")
}

// readObserved refreshes the object as the other system has observed it; nil without one.
func readObserved(ctx context.Context, item Item) (*draft, string) {
	if item.Declared.Observed == nil {
		return nil, ""
	}
	d := &draft{Item: item}
	d.Stored = item.Declared.Observed
	d.reads(*d.Stored)
	d.conceal()
	refreshed, diags := item.Provider.Executor.Refresh(ctx, terraform.ResourceType{Schema: item.Resource.Schema}, *d.Stored)
	switch {
	case diags.HasErrors():
		return nil, d.message(diags)
	case !refreshed.Instance.Exists():
		return nil, "it does not exist any more"
	}
	d.reads(refreshed.Instance)
	stored := refreshed.Instance
	d.Stored = &stored
	d.conceal()
	d.configureDeclared(ctx)
	d.notes = append(d.notes, "It is taken over with what was observed of it, in a stored instance, since an import would not change nothing.")
	return d, ""
}

// listed returns paths for people.
func listed(paths []string) string {
	if more := len(paths) - 8; more > 0 {
		paths = append(slices.Clone(paths[:8]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(paths, ", ")
}

// contradictions returns the fields that were observed with other values than those that the object
// has. What was not observed contradicts nothing.
func (d *draft) contradictions() []string {
	if d.Declared.Observed == nil || d.Declared.Observed.State == cty.NilVal || d.Declared.Observed.State.IsNull() {
		return nil
	}
	state, _ := d.found.State.UnmarkDeep()
	observed, _ := d.Declared.Observed.State.UnmarkDeep()
	var out []cty.Path
	// An error cannot occur: the function returns none.
	_ = cty.Walk(observed, func(path cty.Path, v cty.Value) (bool, error) {
		if isUnset(v) || !v.IsKnown() {
			return false, nil
		}
		if v.CanIterateElements() && !v.Type().IsSetType() {
			return true, nil
		}
		if x, err := path.Apply(state); err != nil || !x.RawEquals(v) {
			out = append(out, path.Copy())
		}
		return false, nil
	})
	return translate.FieldPaths(d.Resource, out)
}

// configureDeclared selects the first configuration that changes nothing, of those that have what
// was declared. If there is none, it selects what was declared.
func (d *draft) configureDeclared(ctx context.Context) {
	all, _ := configurations(ctx, d.Provider, d.Resource.Schema, d.found.State)
	for i, rest := range append([]cty.Value{cty.NilVal}, all...) {
		added := d.missingOf(rest)
		in := translate.ForProvider(d.Resource, added, inputsPlaceholder)
		x := *d
		x.why, x.changed = "", nil
		x.forProvider, x.inputs = over(d.Declared.ForProvider, in.ForProvider), in.Secrets
		plan, diags := x.planDeclared(ctx, all)
		nothing := !diags.HasErrors() && plan.Action == terraform.NoOp
		if i > 0 && !nothing {
			continue
		}
		switch {
		case diags.HasErrors():
			x.why = "the provider does not accept its configuration: " + x.message(diags)
		case !nothing:
			x.why = "its first reconcile would " + x.changes(plan)
			x.changed = translate.Changes(d.Resource, plan.Prior.State, plan.State)
		}
		if missing := x.missing(); x.config != cty.NilVal && len(missing) > 0 {
			x.why = strings.Join(missing, " and ") + " cannot be read, and must be given by you"
		}
		if i > 0 {
			x.notes = append(slices.Clone(d.notes),
				fmt.Sprintf("Added: %s, which the object has, and without which it would be changed.",
					listed(d.addedNames(added))))
		}
		*d = x
		if nothing {
			return
		}
	}
}

// inputsPlaceholder is the name of the Secret with inputs until the resource has a name. No Secret
// can have it.
const inputsPlaceholder = "<inputs>"

// missingOf returns the arguments of a configuration that were not declared. Without a
// configuration, only those that the object cannot be without: required ones, and those that have
// its name.
func (d *draft) missingOf(rest cty.Value) cty.Value {
	values := d.Resource.Schema.Block.EmptyValue().AsValueMap()
	state, _ := d.found.State.UnmarkDeep()
	for _, f := range d.Resource.Root().Object.All {
		if !f.Input || f.Settled || f.WriteOnly || f.Name == "id" && rest == cty.NilVal {
			continue
		}
		if _, given := d.Declared.ForProvider[f.InputName()]; given {
			continue
		}
		if _, given := d.Declared.InitProvider[f.InputName()]; given {
			continue
		}
		v := state.GetAttr(f.Name)
		switch {
		case rest != cty.NilVal:
			v, _ = rest.GetAttr(f.Name).UnmarkDeep()
		case f.Type.Block != "":
			continue
		case f.Required:
		case d.Declared.Name == "" || v.Type() != cty.String || v.IsNull() || v.AsString() != d.Declared.Name:
			continue
		}
		if !v.IsNull() && v.IsWhollyKnown() {
			values[f.Name] = v
		}
	}
	return cty.ObjectVal(values)
}

// addedNames returns the fields that a configuration sets.
func (d *draft) addedNames(config cty.Value) []string {
	var out []string
	for _, f := range d.Resource.Root().Object.All {
		if f.Input && !f.Type.IsAbsent(config.GetAttr(f.Name)) {
			out = append(out, "spec.forProvider."+f.InputName())
		}
	}
	return out
}

// over returns what was declared with what is added to it.
func over(declared, added map[string]any) map[string]any {
	out := maps.Clone(added)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, declared)
	return out
}

// planDeclared plans the resource as the controller would read it from the manifest. all are
// configurations with all arguments.
func (d *draft) planDeclared(ctx context.Context, all []cty.Value) (terraform.Plan, diagnostic.Diagnostics) {
	initProvider := d.Declared.InitProvider
	state, _ := d.found.State.UnmarkDeep()
	inState := map[translate.SecretKeySelector][]byte{}
	secretsOf(d.Resource.Root(), d.forProvider, state, inState)
	assumed := map[string]bool{}
	c, diags := translate.Config(d.Resource, d.forProvider, initProvider, func(s translate.SecretKeySelector) ([]byte, error) {
		if b, ok := d.inputs[s.Key]; ok && s.Name == inputsPlaceholder {
			return b, nil
		}
		b, err := d.Declared.Secrets(s)
		if err == nil {
			d.Provider.Secrets.Add(b)
		} else if value, ok := inState[s]; ok {
			assumed[fmt.Sprintf("Sensitive: the Secret %s could not be read. Its key %s must have the value that "+
				"the object has.", s.Name, s.Key)] = true
			return value, nil
		}
		return b, err
	})
	d.notes = append(slices.Clone(d.notes), sortedKeys(assumed)...)
	if diags.HasErrors() {
		d.config = cty.NilVal
		return terraform.Plan{}, diags
	}
	c.Value = translate.WithSettled(d.Resource, c.Value, all[0])
	d.config = c.Value
	found := d.found
	found.Status = instance.Full
	return d.Provider.Executor.Plan(ctx, terraform.ResourceType{Schema: d.Resource.Schema}, found, terraform.Config{
		Value: c.Value, SensitivePaths: c.SensitivePaths, CreateBeforeDestroy: found.CreateBeforeDestroy,
		IgnoreChanges: terraform.IgnoreChanges{Paths: translate.InitOnly(d.Resource, d.forProvider, initProvider)},
	})
}

// secretsOf adds the values that the object has for references to Secrets: texts, outside of lists
// of several elements.
func secretsOf(t *model.Type, in map[string]any, v cty.Value, out map[translate.SecretKeySelector][]byte) {
	if v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() {
		return
	}
	for _, f := range t.Object.All {
		x := v.GetAttr(f.Name)
		content, _ := in[f.InputName()].(map[string]any)
		switch {
		case content == nil || x.IsNull() || !x.IsKnown():
		case f.SecretRef != "":
			name, _ := content["name"].(string)
			key, _ := content["key"].(string)
			if x.Type() == cty.String {
				out[translate.SecretKeySelector{Name: name, Key: key}] = []byte(x.AsString())
			}
		case f.Type.Kind == model.Object:
			secretsOf(f.Type, content, x, out)
		case f.Type.Singleton && x.LengthInt() == 1 && f.Type.Element.Object != nil:
			secretsOf(f.Type.Element, content, x.AsValueSlice()[0], out)
		}
	}
}
