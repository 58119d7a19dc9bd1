package module

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Executor is a terraform.Journaled for the instances of one module. Make one with New.
type Executor struct {
	runner  *cli.Runner
	module  *Module
	servers map[string]provider.Server
}

var _ terraform.Journaled = (*Executor)(nil)

// New is an executor that has the configured servers of the module's providers, by their sources.
func New(runner *cli.Runner, m *Module, servers map[string]provider.Server) *Executor {
	return &Executor{runner: runner, module: m, servers: servers}
}

func (e *Executor) version() string { return e.runner.Program().Version.String() }

// resourceType finds resource types of the module's providers.
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

var (
	common     = []string{"-json", "-input=false", "-lock=false"}
	refreshing = append([]string{"apply", "-refresh-only", "-auto-approve", "-backup=-"}, common...)
	planning   = append([]string{"plan", "-out=" + planFile}, common...)
	applying   = append([]string{"apply", "-backup=-"}, common...)
)

// work is a directory with a configuration in it, and what the program told there.
type work struct {
	*Executor
	dir           *cli.Directory
	conversation  *conversation
	configuration []byte
	diags         diagnostic.Diagnostics
	progress      func(string)
}

// open makes a directory with a configuration, attached providers, and a state; nil is none.
func (e *Executor) open(ctx context.Context, given values, sensitive []cty.Path, state []byte, j *journal) (*work, diagnostic.Diagnostics) {
	fail := func(err error) (*work, diagnostic.Diagnostics) {
		return nil, diagnostic.Errorf("Workspace cannot be made", "%s cannot be run: %s.", e.runner.Program(), err)
	}
	config, err := e.module.configuration(given, func(name string) bool {
		return slices.ContainsFunc(sensitive, func(p cty.Path) bool { return len(p) > 0 && p[:1].Equals(cty.GetAttrPath(name)) })
	})
	if err != nil {
		return fail(err)
	}
	variables, err := given.encode()
	if err != nil {
		return nil, diagnostic.Errorf("Configuration cannot be written", "%s.", err)
	}
	dir, err := e.runner.Open()
	if err != nil {
		return fail(err)
	}
	w := &work{Executor: e, dir: dir, conversation: converse(ctx, j), configuration: config, progress: provider.Progress(ctx)}
	w.conversation.secrets = e.secrets(ctx, given, sensitive, state)
	files := map[string][]byte{configFile: config, variablesFile: variables}
	if state != nil {
		files[stateFile] = state
	}
	for name, content := range files {
		if err := dir.Write(name, content); err != nil {
			dir.Close()
			return fail(err)
		}
	}
	for source, server := range e.servers {
		s, diags := server.Schema(ctx)
		if diags.HasErrors() {
			dir.Close()
			return nil, diags
		}
		session, err := newSession(ctx, w.conversation, source, server, s)
		if err != nil {
			dir.Close()
			return nil, provider.CallError(err)
		}
		if err := dir.Attach(source, session); err != nil {
			dir.Close()
			return fail(err)
		}
	}
	return w, nil
}

func (w *work) close() {
	w.dir.Detach()
	w.conversation.end()
	w.dir.Close()
}

// run runs the program with -json. What it tells is in diags, besides why it failed.
func (w *work) run(ctx context.Context, args []string) bool {
	strange := ""
	out, err := w.dir.Run(ctx, cli.Command{
		Args: args, Env: w.module.environment(), Busy: w.conversation.busy, Changes: w.conversation.journal != nil,
		Line: func(line []byte) {
			e, ok := parse(line)
			switch {
			case !ok && strange == "":
				strange = strings.TrimSpace(string(line))
			case e.Diagnostic != nil:
				w.diags = append(w.diags, w.module.diagnostic(*e.Diagnostic, w.configuration))
			case e.Hook == nil:
			case e.Type == "apply_start" && e.Hook.Action != "read": // of a data source
				w.conversation.tell(e.Hook.Resource)
			case e.Type == "apply_progress" && w.progress != nil:
				w.progress(fmt.Sprintf("%s: %s, %s elapsed", strings.TrimPrefix(e.Hook.Resource.Address, callAddress), e.Hook.Action, time.Duration(e.Hook.Elapsed)*time.Second))
			}
		},
	})
	if err != nil {
		w.diags = append(w.diags, diagnostic.Errorf("The command line failed", "%s cannot be run: %s.", w.runner.Program(), err)...)
		return false
	}
	if !out.OK && !w.diags.HasErrors() {
		detail := fmt.Sprintf("%s did not do its work: %s.", w.runner.Program(), out.How)
		for _, text := range []string{plainText(out.Stderr), strange} {
			if text != "" {
				detail += " It wrote: " + w.module.shorten(text)
				break
			}
		}
		w.diags = append(w.diags, diagnostic.Errorf("The command line failed", "%s", detail)...)
	}
	w.diags = redacted(w.diags, w.conversation.secrets)
	return out.OK && !w.diags.HasErrors()
}

// Refresh implements terraform.Executor.
func (e *Executor) Refresh(ctx context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	asIs := terraform.Refreshed{Instance: in}
	mem, err := recall(in.Private)
	if err != nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	before, err := mem.state()
	if err != nil || before == nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "There is no state of it.")
	}
	given := e.module.remembered(mem)
	w, diags := e.open(ctx, given, in.SensitivePaths, before, nil)
	if diags.HasErrors() {
		return asIs, diags
	}
	defer w.close()
	if !w.run(ctx, refreshing) {
		if len(in.RawState) > 0 || len(given) < len(mem.Variables) || e.missing(given) {
			// The module is another one now, which cannot do with what was given before. What there is now is
			// read when the change is planned.
			out, err := e.module.instance(mem, in.SensitivePaths)
			if err != nil {
				return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
			}
			return terraform.Refreshed{Instance: out, Upgraded: out.State}, nil
		}
		return asIs, w.diags
	}
	after, err := w.dir.Read(stateFile)
	if err != nil || after == nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s left no state.", e.runner.Program())
	}
	if same(before, after) && len(in.RawState) == 0 && len(given) == len(mem.Variables) {
		return terraform.Refreshed{Instance: in, Unchanged: true, Upgraded: in.State}, nil
	}
	mem, err = e.module.remember(given, after)
	if err != nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	out, err := e.module.instance(mem, in.SensitivePaths)
	if err != nil {
		return asIs, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	return terraform.Refreshed{Instance: out, Upgraded: out.State}, w.diags.Warnings()
}

// missing says whether the module needs a value that is not given.
func (e *Executor) missing(given values) bool {
	for name, v := range e.module.Variables {
		if _, ok := given[name]; !ok && !v.Default {
			return true
		}
	}
	return false
}

// Validate implements terraform.Executor. Whether values are right is found when they are planned.
func (e *Executor) Validate(context.Context, terraform.ResourceType, terraform.Config) diagnostic.Diagnostics {
	return nil
}

// planned is what the program's plan says, in the words of its JSON.
type planned struct {
	ResourceChanges []struct {
		Address      string `json:"address"`
		Mode         string `json:"mode"`
		Type         string `json:"type"`
		ProviderName string `json:"provider_name"`
		Deposed      string `json:"deposed"`
		ActionReason string `json:"action_reason"`
		Change       struct {
			Actions []string `json:"actions"`
		} `json:"change"`
	} `json:"resource_changes"`
	OutputChanges map[string]struct {
		Actions      []string        `json:"actions"`
		After        json.RawMessage `json:"after"`
		AfterUnknown json.RawMessage `json:"after_unknown"`
	} `json:"output_changes"`
}

var actions = map[string]terraform.Action{
	"create": terraform.Create, "update": terraform.Update, "delete": terraform.Delete,
	"delete create": terraform.DeleteThenCreate, "create delete": terraform.CreateThenDelete,
	"forget": "Forget",
}

// contained are the changes of resources, and the providers of those, by address.
func (p planned) contained() (changes []terraform.Contained, providers map[string]string) {
	providers = map[string]string{}
	for _, c := range p.ResourceChanges {
		action, ok := actions[strings.Join(c.Change.Actions, " ")]
		if c.Mode != "managed" || !ok {
			continue
		}
		providers[c.Address] = fmt.Sprintf("provider[%q]", c.ProviderName)
		address := strings.TrimPrefix(c.Address, callAddress)
		if c.Deposed != "" {
			address += " (deposed " + c.Deposed + ")"
		}
		changes = append(changes, terraform.Contained{Address: address, Action: action, Reason: terraform.Reason(c.ActionReason)})
	}
	return changes, providers
}

// outputs are the planned outputs.
func (p planned) outputs(before values) (after values, changed bool) {
	after = maps.Clone(before)
	if after == nil {
		after = values{}
	}
	for name, c := range p.OutputChanges {
		if len(c.Actions) == 1 && c.Actions[0] == "no-op" {
			continue
		}
		changed = true
		switch {
		case strings.Contains(string(c.AfterUnknown), "true"):
			after[name] = cty.DynamicVal
		case len(c.After) == 0 || string(c.After) == "null":
			delete(after, name)
		default:
			t, err := ctyjson.ImpliedType(c.After)
			if err != nil {
				after[name] = cty.DynamicVal
				continue
			}
			if b, ok := before[name]; ok {
				if v, err := wire.UnmarshalJSON(c.After, b.Type()); err == nil {
					after[name] = v
					continue
				}
			}
			if after[name], err = wire.UnmarshalJSON(c.After, t); err != nil {
				after[name] = cty.DynamicVal
			}
		}
	}
	return after, changed
}

// digest changes with what is done to which resource.
func digest(changes []terraform.Contained) []byte {
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = c.Address + " " + string(c.Action)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return []byte(hex.EncodeToString(sum[:]))
}

// plan has the program plan, and reads what it planned.
func (w *work) plan(ctx context.Context, more ...string) (planned, diagnostic.Diagnostics) {
	var out planned
	if !w.run(ctx, append(slices.Clone(planning), more...)) {
		return out, w.diags
	}
	shown, err := w.dir.Run(ctx, cli.Command{Args: []string{"show", "-json", planFile}, Env: w.module.environment(), Busy: w.conversation.busy})
	if err != nil {
		return out, diagnostic.Errorf("The command line failed", "%s cannot be run: %s.", w.runner.Program(), err)
	}
	if !shown.OK || json.Unmarshal(shown.Stdout, &out) != nil {
		return out, diagnostic.Errorf("The command line failed", "%s did not show its plan: %s. %s", w.runner.Program(), shown.How, w.module.shorten(plainText(shown.Stderr)))
	}
	return out, w.diags.Warnings()
}

// Plan implements terraform.Executor.
func (e *Executor) Plan(ctx context.Context, r terraform.ResourceType, in instance.Instance, config terraform.Config) (terraform.Plan, diagnostic.Diagnostics) {
	given := e.module.given(config.Value)
	p, diags := e.planned(ctx, r, in, given, config.SensitivePaths)
	p.Config, p.SensitivePaths = config.Value, config.SensitivePaths
	return p, diags
}

func (e *Executor) planned(ctx context.Context, r terraform.ResourceType, in instance.Instance, given values, sensitive []cty.Path) (terraform.Plan, diagnostic.Diagnostics) {
	out := terraform.Plan{Resource: r, Prior: in, Action: terraform.Create}
	mem, before, diags := e.prior(in)
	if diags.HasErrors() {
		return out, diags
	}
	w, diags := e.open(ctx, given, sensitive, before, nil)
	if diags.HasErrors() {
		return out, diags
	}
	defer w.close()
	// What there is was just read, unless it could not be.
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
	out.Contained, _ = plan.contained()
	out.State, out.Private = e.module.object(given, after), digest(out.Contained)
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
	mem, err := recall(in.Private)
	if err != nil {
		return mem, nil, diagnostic.Errorf("Module cannot be planned", "%s.", err)
	}
	state, err := mem.state()
	if err != nil {
		return mem, nil, diagnostic.Errorf("Module cannot be planned", "%s.", err)
	}
	return mem, state, nil
}

// PlanDestroy implements terraform.Executor. What is to be destroyed is found when it is done.
func (e *Executor) PlanDestroy(_ context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Plan, diagnostic.Diagnostics) {
	return terraform.Plan{
		Resource: r, Action: terraform.Delete, Prior: in, SensitivePaths: in.SensitivePaths,
		Config: cty.NullVal(r.Schema.ImpliedType()), State: cty.NullVal(r.Schema.ImpliedType()),
	}, nil
}

// Apply implements terraform.Executor. Nothing is recorded: whoever can record uses ApplyJournaled.
func (e *Executor) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	return e.ApplyJournaled(ctx, p, func([]byte) error { return nil })
}

// ApplyJournaled implements terraform.Journaled. The program plans again; if that is another plan, nothing
// is done.
func (e *Executor) ApplyJournaled(ctx context.Context, p terraform.Plan, record func([]byte) error) (instance.Instance, diagnostic.Diagnostics) {
	mem, before, diags := e.prior(p.Prior)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	given, args := e.module.given(p.Config), []string(nil)
	if p.Action == terraform.Delete {
		given, args = e.module.remembered(mem), []string{"-destroy"}
	}
	encoded, err := e.module.remember(given, nil)
	if err != nil {
		return p.Prior, diagnostic.Errorf("Configuration cannot be written", "%s.", err)
	}
	j := &journal{Variables: encoded.Variables, record: record}
	w, diags := e.open(ctx, given, p.SensitivePaths, before, j)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	defer w.close()
	plan, diags := w.plan(ctx, args...)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	changes, providers := plan.contained()
	if p.Action != terraform.Delete && string(digest(changes)) != string(p.Private) {
		return p.Prior, diagnostic.Errorf("The plan has changed", "What there is changed after it was planned what to do. It is planned anew.")
	}
	w.conversation.providers = providers
	w.diags = nil
	ok := w.run(ctx, append(slices.Clone(applying), plan.parallelism(), planFile))
	// The providers are not left alone with what they were asked to change.
	w.conversation.end()
	said := w.diags
	if !ok && !said.HasErrors() {
		said = diagnostic.Errorf("The command line failed", "%s did not do its work.", e.runner.Program())
	}
	after, err := w.dir.Read(stateFile)
	if err != nil || after == nil || !j.has(after) {
		if after, err = j.replay(before, e.resourceType(ctx), e.version()); err != nil {
			return p.Prior, append(append(said, diagnostic.Errorf("State cannot be put together", "%s.", err)...), terraform.OutcomeUnknownError(p.Resource.Schema.Type)...)
		}
		if ok {
			said, ok = append(said, diagnostic.Errorf("The command line failed", "%s left another state than the providers answered.", e.runner.Program())...), false
		}
	}
	if unknown := j.unknown(); len(unknown) > 0 {
		return p.Prior, append(said, terraform.OutcomeUnknownError(unknown[0].Resource.Type)...)
	}
	if n := managed(after); n == 0 && (p.Action == terraform.Delete || !p.Prior.Exists() && !ok) {
		return instance.Instance{}, said
	}
	if mem, err = e.module.remember(given, after); err == nil {
		var out instance.Instance
		if out, err = e.module.instance(mem, p.SensitivePaths); err == nil {
			return out, said
		}
	}
	return p.Prior, append(append(said, diagnostic.Errorf("State cannot be read", "%s.", err)...), terraform.OutcomeUnknownError(p.Resource.Schema.Type)...)
}

// parallelism has changes of the same type made one after the other: the program tells which resource it
// is about, and asks the provider of that type, in one order.
func (p planned) parallelism() string {
	seen := map[string]string{}
	for _, c := range p.ResourceChanges {
		if _, ok := actions[strings.Join(c.Change.Actions, " ")]; c.Mode != "managed" || !ok {
			continue
		}
		at := c.Address + " " + c.Deposed
		if other, ok := seen[c.Type]; ok && other != at {
			return "-parallelism=1"
		}
		seen[c.Type] = at
	}
	return "-parallelism=10"
}

// Import implements terraform.Executor: what a module is made of cannot be told by one id.
func (e *Executor) Import(_ context.Context, r terraform.ResourceType, _ terraform.ImportTarget) (instance.Instance, diagnostic.Diagnostics) {
	return instance.Instance{}, diagnostic.Errorf("Modules cannot be imported", "Leave spec.import out: a module makes all that is in it.")
}
