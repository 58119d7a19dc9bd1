package differential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// running is a provider that runs in this program, for the cases of a step.
type running struct {
	server provider.Server
	schema *schema.Provider
	model  *model.Provider
	source string
}

func (l *linked) launch(ctx context.Context, name string, m maker) (*running, error) {
	server, err := m.launch(ctx, name)
	if err != nil {
		return nil, err
	}
	if l.Mangle != nil {
		server = l.Mangle(server)
	}
	r := &running{server: server, source: tofu.Host + "/" + tofu.Namespace + "/" + name}
	var diags diagnostic.Diagnostics
	if r.schema, diags = server.Schema(ctx); diags.HasErrors() {
		return nil, diags.Err()
	}
	r.model, err = model.NewProvider(name, r.schema, config.Provider{})
	return r, err
}

// lent is a server that outlives the session it is lent to.
type lent struct {
	provider.Server
	done chan struct{}
	once sync.Once
}

func (l *lent) Done() <-chan struct{} { return l.done }

func (l *lent) Close(context.Context) error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Launch and Key implement provider.Launcher: a session's server is one that runs already.
func (r *running) Launch(context.Context) (provider.Server, error) {
	return &lent{Server: r.server, done: make(chan struct{})}, nil
}

func (r *running) Key() string { return r.source }

// byManifest does a step as `landbridge apply` does: a manifest, a provider and a state file in,
// the state file out.
func (l *linked) byManifest(ctx context.Context, x *compared, r *running) (outcome, error) {
	t := x.track
	path := filepath.Join(l.scratch, t.name+".tfstate")
	if err := writeState(path, x.stored); err != nil {
		return outcome{}, err
	}
	m, step := r.model.Resources[t.name], l.wanted(x)
	config, err := t.c.ConfigValue(step)
	if err != nil {
		return outcome{}, err
	}
	identity := cty.NilVal
	if x.importID != "" && step.Import == cases.ImportByIdentity {
		identity = x.ours.Identity(x.importID)
	}
	raw, err := manifestOf(m, step, config, x.importID, identity)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{raw: x.stored, reached: validates}
	manifest, said := local.ReadManifest(r.model, []local.Source{{Name: t.name + ".json", Data: raw}}, local.WithoutAdmission())
	if !said.HasErrors() {
		more, err := out.standalone(ctx, r, manifest, path, modeOf(config))
		if err != nil {
			return outcome{}, err
		}
		said = append(said, more...)
	}
	out.said = saidByMessages(m, said)
	if out.reached == validates && !x.onlyValidated() {
		out.reached = plans
	}
	return out, nil
}

// standalone plans and applies.
func (o *outcome) standalone(
	ctx context.Context, r *running, manifest *local.Manifest, path string, mode local.Mode,
) (local.Messages, error) {
	state, err := local.OpenState(path, r.source, r.schema)
	if err != nil {
		return nil, err
	}
	s := local.New(r.model, r.source, r, manifest, state)
	defer s.Close(ctx) //nolint:errcheck // the server is not the session's
	plan, said := s.Plan(ctx, mode)
	if said.HasErrors() {
		return said, nil
	}
	for _, c := range plan.Changes {
		if c.Deposed == "" && (c.Plan.Action != terraform.NoOp || c.Importing != nil) {
			o.planned = append(o.planned, plannedChange(c.Plan, c.Importing != nil))
		}
	}
	for _, c := range plan.Drift {
		o.drift = append(o.drift, plannedChange(c.Plan, false))
	}
	o.reached = applies
	_, more := s.Apply(ctx, plan, local.Hooks{})
	o.raw, err = readStateFile(path)
	return append(said, more...), err
}

func modeOf(config cty.Value) local.Mode {
	if config.IsNull() {
		return local.Destroy
	}
	return local.Normal
}

// onlyValidated reports whether the engine asked for nothing but a validation.
func (x *compared) onlyValidated() bool {
	for _, c := range x.ours.Calls() {
		if c.RPC != "Validate" {
			return false
		}
	}
	return true
}

// plannedChange is a plan in the words of tofu's log.
func plannedChange(p terraform.Plan, importing bool) tofu.Change {
	out := tofu.Change{Action: map[terraform.Action]string{
		terraform.NoOp: "noop", terraform.Create: "create", terraform.Update: "update", terraform.Delete: "delete",
		terraform.DeleteThenCreate: "replace", terraform.CreateThenDelete: "replace",
	}[p.Action]}
	if importing && p.Action == terraform.NoOp {
		out.Action = "import"
	}
	out.Reason = reason(string(p.Reason))
	return out
}

// reason is a reason as tofu's log has it, which is shorter than its plans.
func reason(in string) string { return strings.TrimPrefix(in, "replace_because_") }

// writeState makes a state file that holds a resource, or none.
func writeState(path string, resource json.RawMessage) error {
	for _, name := range []string{path, path + ".backup"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if resource == nil {
		return nil
	}
	raw, err := tofu.StateFile(resource)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}

// readStateFile is the one resource in a state file; nil where there is none.
func readStateFile(path string) (json.RawMessage, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	all, err := tofu.Resources(raw)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if len(all) > 1 {
			return nil, fmt.Errorf("%s: there are %d resources", path, len(all))
		}
		return r, nil
	}
	return nil, nil
}
