package simulation

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// pair is a module with a named and an anonymous object of the same arguments.
const (
	pair         = "sim_pair"
	source       = "example.org/sim/sim"
	moduleCall   = "module.this"
	resourceName = "one"
)

// contained are the resource types of a pair, in the order of their creates.
var contained = []string{named, anonymous}

func pairModule() *module.Module {
	text := func() *module.Variable { return &module.Variable{Type: cty.String} }
	d := &module.Definition{
		Variables: map[string]*module.Variable{"name": text(), "zone": text(), "tag": text(), "size": {Type: cty.Number}},
		Providers: map[string]string{"sim": source},
	}
	r, diags := d.Schema(pair)
	if diags.HasErrors() {
		panic(diags.String())
	}
	return &module.Module{Definition: d, Sources: []string{source}, Resource: r}
}

// terraform is a command line that answers as Terraform does, for the configuration of a pair. Each
// of its runs is a call in the process, which the driver may end at any point.
type terraform struct{ server *server }

var tofu = &commandline.Program{Product: commandline.OpenTofu, Version: version.Must(version.NewVersion("1.12.0"))}

// Program implements module.Runner.
func (terraform) Program() *commandline.Program { return tofu }

// Turn implements module.Runner.
func (terraform) Turn(context.Context, commandline.Use) (*commandline.Turn, error) {
	return &commandline.Turn{}, nil
}

// Open implements module.Runner.
func (t terraform) Open() (module.Directory, error) {
	return &directory{terraform: t, files: map[string][]byte{}}, nil
}

// objects are the objects in a state file, by type.
type objects map[string]instance.Instance

// directory is a module.Directory.
type directory struct {
	terraform
	files    map[string][]byte
	attached tfprotov6.ProviderServer
	// refreshed and actions are the plan: what was read, and the actions by resource type.
	refreshed objects
	actions   map[string][]string
	destroys  bool
}

// Write implements module.Directory.
func (d *directory) Write(name string, content []byte) error {
	d.files[name] = content
	return nil
}

// Read implements module.Directory.
func (d *directory) Read(name string) ([]byte, error) { return d.files[name], nil }

// Attach implements module.Directory.
func (d *directory) Attach(_ string, server tfprotov6.ProviderServer) error {
	d.attached = server
	return nil
}

// Detach implements module.Directory.
func (d *directory) Detach() {}

// Close implements module.Directory.
func (d *directory) Close() {}

const stateFile, variablesFile = "terraform.tfstate", "terraform.tfvars.json"

// killed is the result of a run that ended by a signal.
var killed = commandline.Result{Status: -1}

// Run implements module.Directory.
func (d *directory) Run(ctx context.Context, _ *commandline.Turn, c commandline.Command) (commandline.Result, error) {
	if c.Args[0] == "show" {
		return commandline.Result{Stdout: d.show()}, nil
	}
	r := &terraformRun{directory: d, event: c.Event}
	if !r.goesOn(ctx, c.Args[0]) {
		return killed, nil
	}
	switch {
	case slices.Contains(c.Args, "-refresh-only"):
		state := d.state()
		if r.refresh(ctx, state) {
			d.store(state)
		}
	case c.Args[0] == "plan":
		d.destroys = slices.Contains(c.Args, "-destroy")
		d.refreshed = d.state()
		if slices.Contains(c.Args, "-refresh=false") || r.refresh(ctx, d.refreshed) {
			d.plan()
			r.planCreates(ctx)
			r.planUpdates(ctx)
		}
	default:
		if !r.apply(ctx) {
			return killed, nil
		}
	}
	if r.failed {
		return commandline.Result{Status: 1}, nil
	}
	return commandline.Result{}, nil
}

// variables are the arguments of both objects.
func (d *directory) variables() state {
	var v struct {
		Name, Zone, Tag string
		Size            int64
	}
	if err := json.Unmarshal(d.files[variablesFile], &v); err != nil {
		panic(err)
	}
	return state{"name": cty.StringVal(v.Name), "zone": cty.StringVal(v.Zone), "tag": cty.StringVal(v.Tag), "size": cty.NumberIntVal(v.Size)}
}

func (d *directory) state() objects {
	out := objects{}
	if d.files[stateFile] == nil {
		return out
	}
	s, err := tfstate.Read(d.files[stateFile], tfstate.Of(d.server.schema))
	if err != nil {
		panic(err)
	}
	for r, i := range s.All() {
		out[r.Type] = i.Instance
	}
	return out
}

func (d *directory) store(o objects) {
	s := tfstate.State{TerraformVersion: tofu.Version.String(), Serial: 1, Lineage: "sim"}
	for _, t := range contained {
		if in, ok := o[t]; ok {
			s.Resources = append(s.Resources, tfstate.ResourceBlock{
				Module: moduleCall, Mode: "managed", Type: t, Name: resourceName, Provider: `provider["` + source + `"]`,
				Instances: []tfstate.Instance{{Instance: in}},
			})
		}
	}
	b, err := tfstate.Write(s, tfstate.Of(d.server.schema))
	if err != nil {
		panic(err)
	}
	d.files[stateFile] = b
}

// plan plans from what was read.
func (d *directory) plan() {
	d.actions = map[string][]string{}
	wanted := d.variables()
	for _, t := range contained {
		in, ok := d.refreshed[t]
		switch {
		case d.destroys && ok:
			d.actions[t] = []string{"delete"}
		case d.destroys:
		case !ok:
			d.actions[t] = []string{"create"}
		default:
			now := state(in.State.AsValueMap())
			moves := slices.ContainsFunc([]string{"name", "zone", "tag"}, func(name string) bool { return now.text(name) != wanted.text(name) })
			if moves || in.Status == instance.Tainted {
				d.actions[t] = []string{"delete", "create"}
			} else if now.size() != wanted.size() {
				d.actions[t] = []string{"update"}
			}
		}
	}
}

// show returns the plan as JSON.
func (d *directory) show() []byte {
	changes := []any{}
	for _, t := range contained {
		if len(d.actions[t]) > 0 {
			changes = append(changes, map[string]any{
				"address": moduleCall + "." + t + "." + resourceName, "mode": "managed", "type": t, "provider_name": source,
				"change": d.change(t),
			})
		}
	}
	b, err := json.Marshal(map[string]any{"resource_changes": changes})
	if err != nil {
		panic(err)
	}
	return b
}

// change returns a planned change as JSON has it, with the values of what exists. All arguments but
// the size replace an object.
func (d *directory) change(t string) map[string]any {
	out := map[string]any{"actions": d.actions[t]}
	in, exists := d.refreshed[t]
	if !exists || d.destroys {
		return out
	}
	before, after := map[string]any{}, map[string]any{}
	now, wanted := state(in.State.AsValueMap()), d.variables()
	for _, name := range []string{"name", "zone", "tag"} {
		before[name], after[name] = now.text(name), wanted.text(name)
	}
	before["size"], after["size"] = now.size(), wanted.size()
	out["before"], out["after"], out["replace_paths"] = before, after, [][]string{{"name"}, {"zone"}, {"tag"}}
	return out
}

// terraformRun is one run of the program.
type terraformRun struct {
	*directory
	event  func(commandline.Event)
	failed bool
}

// goesOn reports whether the program still runs.
func (r *terraformRun) goesOn(ctx context.Context, step string) bool {
	v := r.server.p.wait(ctx, "tofu "+step+" "+r.variables().text("tag"))
	return v == proceed && ctx.Err() == nil
}

// fail reports the error of a resource, if there is one.
func (r *terraformRun) fail(err error, diags []*tfprotov6.Diagnostic) bool {
	diags = slices.DeleteFunc(slices.Clone(diags), func(d *tfprotov6.Diagnostic) bool {
		return d.Severity != tfprotov6.DiagnosticSeverityError
	})
	d := commandline.Diagnostic{Severity: "error"}
	switch {
	case err != nil:
		d.Summary = err.Error()
	case len(diags) > 0:
		d.Summary, d.Detail = diags[0].Summary, diags[0].Detail
	default:
		return false
	}
	r.failed = true
	r.event(commandline.Event{Type: "diagnostic", Diagnostic: &d})
	return true
}

// encode returns an object as it is sent; null without one.
func (r *terraformRun) encode(t string, v state) *tfprotov6.DynamicValue {
	out, err := r.server.encode(t, v)
	if err != nil {
		panic(err)
	}
	return out
}

// refresh reads all objects, and reports whether it succeeded.
func (r *terraformRun) refresh(ctx context.Context, o objects) bool {
	for _, t := range contained {
		in, ok := o[t]
		if !ok {
			continue
		}
		answer, err := r.attached.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: t, CurrentState: r.encode(t, in.State.AsValueMap()), Private: in.Private,
		})
		if err != nil {
			r.fail(err, nil)
			return false
		}
		if r.fail(nil, answer.Diagnostics) {
			return false
		}
		read, err := r.server.decode(t, answer.NewState)
		if err != nil {
			panic(err)
		}
		if delete(o, t); read != nil {
			in.State = cty.ObjectVal(read)
			o[t] = in
		}
	}
	return true
}

// planCreates has the provider plan what is to be created, by which it is known which objects these
// will be.
func (r *terraformRun) planCreates(ctx context.Context) {
	for _, t := range contained {
		if slices.Contains(r.actions[t], "create") {
			_, err := r.planned(ctx, t, instance.Instance{}, false)
			r.fail(err, nil)
		}
	}
}

// planUpdates has the provider plan what is to be updated. It may leave an object as it is.
func (r *terraformRun) planUpdates(ctx context.Context) {
	for _, t := range contained {
		if !slices.Contains(r.actions[t], "update") {
			continue
		}
		answer, err := r.planned(ctx, t, r.refreshed[t], true)
		if r.fail(err, nil) {
			continue
		}
		planned, err := r.server.decode(t, answer.PlannedState)
		if err != nil {
			panic(err)
		}
		if planned.size() == state(r.refreshed[t].State.AsValueMap()).size() {
			delete(r.actions, t)
		}
	}
}

// planned returns the provider's plan of an object, which may not exist.
func (r *terraformRun) planned(
	ctx context.Context, t string, in instance.Instance, exists bool,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	proposed, before := r.variables(), state(nil)
	proposed["id"], proposed["password"] = cty.NullVal(cty.String), cty.NullVal(cty.String)
	if r.server.distinct(t) {
		proposed[uid] = cty.NullVal(cty.String)
	}
	if exists {
		before = in.State.AsValueMap()
		for name := range before {
			if proposed[name].IsNull() {
				proposed[name] = before[name]
			}
		}
	}
	return r.attached.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: t, PriorState: r.encode(t, before), ProposedNewState: r.encode(t, proposed),
	})
}

// apply carries out the plan. It reports false if the program was killed: then it has not written
// its state.
func (r *terraformRun) apply(ctx context.Context) bool {
	o := maps.Clone(r.refreshed)
	order := slices.Clone(contained)
	if r.destroys {
		slices.Reverse(order)
	}
	for _, t := range order {
		for _, action := range r.actions[t] {
			done, alive := r.change(ctx, o, t, action)
			if !alive {
				return false
			}
			if !done {
				break
			}
		}
	}
	r.store(o)
	return true
}

// change carries out one action. It reports whether it succeeded, and whether the program is still
// alive.
func (r *terraformRun) change(ctx context.Context, o objects, t, action string) (done, alive bool) {
	if !r.goesOn(ctx, action+" "+t) {
		return false, false
	}
	q := &tfprotov6.ApplyResourceChangeRequest{TypeName: t, PriorState: r.encode(t, nil), PlannedState: r.encode(t, nil)}
	in, exists := o[t]
	if exists {
		q.PriorState, q.PlannedPrivate = r.encode(t, in.State.AsValueMap()), in.Private
	}
	if action != "delete" {
		planned, err := r.planned(ctx, t, in, exists)
		if err != nil {
			r.fail(err, nil)
			return false, true
		}
		q.PlannedState = planned.PlannedState
	}
	r.event(commandline.Event{Type: "apply_start", Hook: &commandline.Hook{Action: action, Resource: commandline.ResourceAddress{
		Address: moduleCall + "." + t + "." + resourceName, Module: moduleCall, Type: t, Name: resourceName,
	}}})
	p := r.server.p
	v := p.waitFor(ctx, "tofu sends "+action+" of "+t, change)
	r.server.verdicts[t] = v
	var answer *tfprotov6.ApplyResourceChangeResponse
	var err error
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answer, err = r.attached.ApplyResourceChange(ctx, q)
	}()
	if p.waitFor(ctx, "tofu waits for "+action+" of "+t, answering) != proceed {
		p.w.note("%s: tofu dies during %s of %s", p, action, t)
		return false, false
	}
	<-answered
	if p.dead.Load() {
		p.after(vanish)
	}
	if err != nil {
		r.fail(err, nil)
		return false, true
	}
	after, bad := r.server.decode(t, answer.NewState)
	if bad != nil {
		panic(bad)
	}
	failed := r.fail(nil, answer.Diagnostics)
	switch {
	case after == nil && failed: // as it was
	case after == nil:
		delete(o, t)
	case failed && action != "create":
		in.State, in.Private = cty.ObjectVal(after), answer.Private // it keeps its status
		o[t] = in
	case failed:
		o[t] = instance.Instance{State: cty.ObjectVal(after), Private: answer.Private, Status: instance.Tainted}
	default:
		o[t] = instance.Instance{State: cty.ObjectVal(after), Private: answer.Private, Status: instance.Full}
	}
	return !failed, true
}
