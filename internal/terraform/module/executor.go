package module

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/schema"
)

// Executor implements terraform.Journaled for instances of one module. Make one with New.
type Executor struct {
	runner  Runner
	module  *Module
	servers map[string]provider.Server
	// configure may be nil.
	configure Configure
	// key is that of the hashes of settings.
	key []byte
	// grace is how long an object may be missing after its create.
	grace time.Duration
}

// Configure leases a server whose configuration has further settings, which take precedence. The
// configuration is that of a source or of a named configuration.
type Configure func(
	ctx context.Context, configuration string, settings cty.Value,
) (_ provider.Server, release func(), _ diagnostic.Diagnostics)

var _ terraform.Journaled = (*Executor)(nil)

// New returns an executor with the configured servers of the module's providers, by source, and
// those of its named configurations, by name.
func New(r *commandline.Runner, m *Module, servers map[string]provider.Server) *Executor {
	return NewOver(runner{r}, m, servers)
}

// NewOver is New over another runner, such as that of a simulation.
func NewOver(r Runner, m *Module, servers map[string]provider.Server) *Executor {
	return &Executor{runner: r, module: m, servers: servers, grace: terraform.DefaultCreationGracePeriod}
}

// WithSettings returns the executor with a way to configure providers as provider blocks of the
// module demand. key is that of the hashes of their settings that are stored.
func (e *Executor) WithSettings(c Configure, key []byte) *Executor {
	e.configure, e.key = c, key
	return e
}

// WithCreationGracePeriod returns the executor with another time for which an object may be missing
// after its create. 0 is the default; negative is none.
func (e *Executor) WithCreationGracePeriod(d time.Duration) *Executor {
	e.grace = cmp.Or(d, terraform.DefaultCreationGracePeriod)
	return e
}

func (e *Executor) version() string { return e.runner.Program().Version.String() }

// resourceType returns a function that finds resource types of the module's providers.
func (e *Executor) resourceType(ctx context.Context) types {
	return func(source, resourceType string) *schema.Resource {
		server := e.servers[source]
		if server == nil {
			return nil
		}
		p, diags := server.Schema(ctx)
		if diags.HasErrors() {
			return nil
		}
		return p.Resources[resourceType]
	}
}

// Refresh implements terraform.Executor.
func (e *Executor) Refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	asIs := terraform.Refreshed{Instance: in}
	mem, err := recall(in)
	if err != nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	before, err := mem.state()
	if err != nil || before == nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "The instance has no state.")
	}
	given := e.module.remembered(mem)
	w, diags := e.open(ctx, job{given: given, sensitive: in.SensitivePaths, state: before, recent: mem.recent})
	if diags.HasErrors() {
		return asIs, diags
	}
	defer w.close()
	if !w.run(ctx, refreshing) {
		if len(in.RawState) > 0 || len(given) < len(mem.Variables) || e.missing(given) {
			// The module has changed and rejects the stored variables. The objects are read when
			// the change is planned.
			out, err := e.module.instance(mem, in.SensitivePaths)
			if err != nil {
				return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
			}
			out.Incomplete = in.Incomplete
			return terraform.Refreshed{Instance: out, Upgraded: out.State}, nil
		}
		return asIs, w.diags
	}
	after, err := w.dir.Read(stateFile)
	if err != nil || after == nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s wrote no state file.", e.runner.Program())
	}
	objects := w.session.objects.existing(mem.objects(), true)
	if same(before, after) && len(in.RawState) == 0 && len(given) == len(mem.Variables) && slices.Equal(objects, mem.objects()) {
		return terraform.Refreshed{Instance: in, Unchanged: true, Upgraded: in.State}, nil
	}
	recent := w.session.visibility.recent(mem.Appearing, nil, time.Now())
	mem, err = e.module.remember(given, after)
	mem = mem.withObjects(objects)
	mem.recent = recent
	if err != nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	out, err := e.module.instance(mem, in.SensitivePaths)
	if err != nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	out.Incomplete = in.Incomplete
	return terraform.Refreshed{Instance: out, Upgraded: out.State}, w.diags.Warnings()
}

// missing reports whether a required variable is not given.
func (e *Executor) missing(given values) bool {
	for name, v := range e.module.Variables {
		if _, ok := given[name]; !ok && !v.Default {
			return true
		}
	}
	return false
}

// Validate implements terraform.Executor. Planning validates the values.
func (e *Executor) Validate(context.Context, terraform.ResourceType, terraform.Config) diagnostic.Diagnostics {
	return nil
}

// Plan implements terraform.Executor.
func (e *Executor) Plan(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, config terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	given := e.module.given(config.Value)
	p, diags := e.planned(ctx, r, in, given, config)
	p.Keeps, p.Config, p.SensitivePaths = config.Keeps, config.Value, config.SensitivePaths
	return p, diags
}

func (e *Executor) planned(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, given values, config terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	out := terraform.Plan{Resource: r, Prior: in, Action: terraform.Create}
	mem, before, diags := e.prior(in)
	if diags.HasErrors() {
		return out, diags
	}
	w, diags := e.open(ctx, job{
		given: given, sensitive: config.SensitivePaths, state: before, recent: mem.recent,
		keeps: config.Keeps, imports: true,
	})
	if diags.HasErrors() {
		return out, diags
	}
	defer w.close()
	plan, diags := w.plan(ctx)
	if diags.HasErrors() {
		return out, diags
	}
	var outputs values
	if before != nil {
		var err error
		if outputs, err = outputsOf(before); err != nil {
			return out, diagnostic.Errorf("Module cannot be planned", "%s.", err)
		}
	}
	after, changed := plan.outputs(outputs)
	out.Contained, _ = plan.contained(w.session.secrets)
	out.State, out.Private = e.module.object(given, after), digest(out.Contained)
	out.Content = plan.content()
	out.Creates, out.Imports = w.session.objects.planned()
	out.Outdated = w.session.visibility.showsOutdated
	if in.Exists() {
		out.Action = terraform.Update
		if len(out.Contained) == 0 && !changed && e.sameGiven(mem, given) {
			out.Action, out.State = terraform.NoOp, in.State
		}
	}
	return out, diags
}

func (e *Executor) sameGiven(mem memory, given values) bool {
	before := e.module.remembered(mem)
	return len(before) == len(mem.Variables) && maps.EqualFunc(before, given, func(a, b cty.Value) bool { return a.RawEquals(b) })
}

func (e *Executor) prior(in instance.Instance) (memory, []byte, diagnostic.Diagnostics) {
	if !in.Exists() {
		return memory{}, nil, nil
	}
	mem, err := recall(in)
	if err != nil {
		return mem, nil, diagnostic.Errorf("Module cannot be planned", "%s.", err)
	}
	state, err := mem.state()
	if err != nil {
		return mem, nil, diagnostic.Errorf("Module cannot be planned", "%s.", err)
	}
	return mem, state, nil
}

// PlanDestroy implements terraform.Executor. Apply finds the objects to destroy.
func (e *Executor) PlanDestroy(_ context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Plan, diagnostic.Diagnostics) {
	return terraform.Plan{
		Resource: r, Action: terraform.Delete, Prior: in, SensitivePaths: in.SensitivePaths,
		Config: cty.NullVal(r.Schema.ImpliedType()), State: cty.NullVal(r.Schema.ImpliedType()),
	}, nil
}

// Apply implements terraform.Executor. It records nothing; prefer ApplyJournaled.
func (e *Executor) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	return e.ApplyJournaled(ctx, p, func([]byte) error { return nil })
}

// ApplyJournaled implements terraform.Journaled. The program plans again; if the plan is a
// different one, nothing is changed.
func (e *Executor) ApplyJournaled(
	ctx context.Context, p terraform.Plan, record func([]byte) error,
) (instance.Instance, diagnostic.Diagnostics) {
	mem, before, diags := e.prior(p.Prior)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	timeout := timeLeft(ctx, time.Now())
	given, args := e.module.given(p.Config), []string(nil)
	if p.Action == terraform.Delete {
		given, args = e.module.remembered(mem), []string{"-destroy"}
		if p.WithoutRefresh {
			args = append(args, "-refresh=false")
		}
	}
	encoded, err := e.module.remember(given, nil)
	if err != nil {
		return p.Prior, diagnostic.Errorf("Configuration cannot be written", "%s.", err)
	}
	j := &journal{Variables: encoded.Variables, record: record}
	w, diags := e.open(ctx, job{
		given: given, sensitive: p.SensitivePaths, state: before, recent: mem.recent, keeps: p.Keeps,
		unchecked: p.CreateUnchecked, journal: j, imports: p.Action != terraform.Delete,
	})
	if diags.HasErrors() {
		return p.Prior, diags
	}
	defer w.close()
	w.session.visibility.unread, w.session.refuses = p.WithoutRefresh, p.Refuses
	plan, diags := w.plan(ctx, args...)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	changes, providers := plan.contained(w.session.secrets)
	if p.Action != terraform.Delete &&
		(string(digest(changes)) != string(p.Private) || p.Exact && string(plan.content()) != string(p.Content)) {
		return p.Prior, diagnostic.Errorf("The plan has changed", "The objects have changed since the plan was made. A new plan is made.")
	}
	w.session.providers = providers
	w.diags = nil
	ok := w.run(ctx, slices.Concat(applying, []string{plan.parallelism(), planFile}))
	// Changes that the providers are making may take longer than the program.
	w.session.end()
	diags = slices.Concat(j.inconsistencies(w.diags), w.session.met)
	after, err := w.dir.Read(stateFile)
	if err != nil || after == nil || !j.has(after, e.resourceType(ctx), !ok) {
		if after, err = j.replay(before, e.resourceType(ctx), e.version()); err != nil {
			return p.Prior, slices.Concat(diags, diagnostic.Errorf("State cannot be rebuilt", "%s.", err),
				terraform.OutcomeUnknownError(p.Resource.Schema.Type))
		}
		if ok {
			diags, ok = append(diags, diagnostic.Errorf("The command line failed",
				"The state file that %s wrote differs from the providers' answers.", e.runner.Program())...), false
		}
	}
	if unknown := j.unknown(); len(unknown) > 0 {
		return p.Prior, append(diags, terraform.OutcomeUnknownError(unknown[0].Resource.Type)...)
	}
	if n := managed(after); n == 0 && (p.Action == terraform.Delete || !p.Prior.Exists() && !ok) {
		return instance.Instance{}, diags
	}
	now := time.Now()
	appearing, objects := j.appearing(mem.Appearing, e.resourceType(ctx), now, now.Add(timeout)), w.session.objects.existing(mem.objects(), ok)
	recent := w.session.visibility.recent(appearing, j, now)
	if mem, err = e.module.remember(given, after); err == nil {
		mem = mem.withObjects(objects)
		mem.recent = recent
		var out instance.Instance
		if out, err = e.module.instance(mem, p.SensitivePaths); err == nil {
			out.Incomplete = !ok
			return out, diags
		}
	}
	return p.Prior, slices.Concat(diags, diagnostic.Errorf("State cannot be read", "%s.", err),
		terraform.OutcomeUnknownError(p.Resource.Schema.Type))
}

// Import implements terraform.Executor. One id cannot name all objects of a module.
func (e *Executor) Import(
	_ context.Context, r terraform.ResourceType, _ terraform.ImportTarget,
) (instance.Instance, diagnostic.Diagnostics) {
	return instance.Instance{}, diagnostic.Errorf("Modules cannot be imported", "A module creates all of its objects. Remove spec.import.")
}
