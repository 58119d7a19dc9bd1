package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/stage"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// Programs makes a harness of programs alone: landbridge and tofu with the same provider binaries,
// which are processes. What both plan is shown as JSON and compared, too. Only cases with a
// manifest can be run so.
func Programs(ctx context.Context, path, dir string) (*Harness, error) {
	landbridge, err := testbin.Build(ctx, testbin.Landbridge)
	if err != nil {
		return nil, err
	}
	provider, err := testbin.Build(ctx, testbin.Target{
		Module: "test/contract", Package: "./cmd/terraform-provider-differential", Output: "bin/terraform-provider-differential",
		Sources: []string{"go.mod", "apis", "config", "internal", "schema", "test/contract"},
	})
	if err != nil {
		return nil, err
	}
	h := &Harness{Counters: NewCounters()}
	p := &programs{Harness: h, landbridge: landbridge, dir: dir, stage: filepath.Join(dir, "stage"), binaries: filepath.Join(dir, "bin")}
	h.sides = p
	dirs := map[string]string{}
	for name := range makers {
		at := filepath.Join(p.binaries, name)
		if err := errors.Join(os.MkdirAll(at, 0o700), os.Symlink(provider, filepath.Join(at, "terraform-provider-"+name))); err != nil {
			return nil, err
		}
		if _, direct := styleOf(name); !direct {
			dirs[name] = at
		}
	}
	p.program, err = tofu.NewWithBinaries(path, dir, dirs, stage.Env+"="+p.stage)
	return h, err
}

type programs struct {
	*Harness
	landbridge string
	program    *tofu.Program
	// dir is where our side is, stage where the providers find what they know, and binaries where
	// they are.
	dir, stage, binaries string
}

// together is cases that share runs of landbridge: those of one provider, of which all or none are
// to be destroyed.
type together struct {
	provider string
	destroy  bool
}

func (p *programs) ours(ctx context.Context, going []*compared) error {
	groups := map[together][]*compared{}
	for _, x := range going {
		key := together{x.track.provider, x.step().Config == nil}
		groups[key] = append(groups[key], x)
	}
	for key, group := range groups {
		run := cloud.Run{}
		for _, x := range group {
			run[x.track.name] = x.ours
		}
		// The models are those that landbridge makes of the same schemas.
		r, err := (&linked{Harness: &Harness{}}).launch(ctx, key.provider, makers[key.provider](func() cloud.Run { return run }))
		if err != nil {
			return err
		}
		for _, x := range group {
			x.schema = r.schema.Resources[x.track.name]
		}
		for len(group) > 0 {
			if group, err = p.run(ctx, key, r, group); err != nil {
				return err
			}
		}
	}
	return nil
}

// document is what landbridge prints.
type document struct {
	Errored         bool
	ResourceChanges []planview.ResourceChange `json:"resource_changes"`
	ResourceDrift   []planview.ResourceChange `json:"resource_drift"`
	Diagnostics     local.Messages
}

// run plans cases, and applies them if all can be. Where some cannot, these are done, and the
// others are returned.
func (p *programs) run(ctx context.Context, key together, r *running, group []*compared) (others []*compared, err error) {
	if err := p.write(r, group); err != nil {
		return nil, err
	}
	args := []string{
		"-f", filepath.Join(p.dir, "manifest.json"), "--provider", filepath.Join(p.binaries, key.provider), "--name", key.provider,
		"--source", r.source, "--provider-env", stage.Env + "=" + p.stage, "--state", p.statePath(), "-o", "json", "--admission=false",
	}
	if key.destroy {
		args = append(args, "--destroy")
	}
	before, err := os.ReadFile(p.statePath())
	if err != nil {
		return nil, err
	}
	plan, err := p.landbridgeRun(ctx, "plan", args...)
	if err != nil {
		return nil, err
	}
	if after, err := os.ReadFile(p.statePath()); err != nil || !bytes.Equal(before, after) {
		return nil, errors.Join(err, fmt.Errorf("landbridge plan has written a state:\n%s", after))
	}
	if !plan.Errored {
		if err := p.write(r, group); err != nil {
			return nil, err
		}
		applied, err := p.landbridgeRun(ctx, "apply", append(args, "--auto-approve")...)
		if err != nil {
			return nil, err
		}
		return nil, p.applied(r, group, plan, applied)
	}
	if err := p.left(group); err != nil {
		return nil, err
	}
	for _, x := range group {
		x.engine = outcome{raw: x.stored, said: p.said(r, x, plan.Diagnostics)}
		if !slices.ContainsFunc(x.engine.said, said.isError) {
			others = append(others, x)
			continue
		}
		x.engine.reached = plans
		if x.onlyValidated() {
			x.engine.reached = validates
		}
	}
	// What the others were asked was in vain.
	for _, x := range others {
		x.ours.Restore(x.ours.World(), nil)
	}
	if len(others) < len(group) {
		return others, nil
	}
	// It is the provider as a whole that fails.
	if len(group) == 1 {
		group[0].engine = outcome{
			reached: validates, raw: group[0].stored,
			said: saidByMessages(r.model.Resources[group[0].track.name], plan.Diagnostics),
		}
		return nil, nil
	}
	for i := range group {
		if _, err := p.run(ctx, key, r, group[i:i+1]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// applied is what came of an apply.
func (p *programs) applied(r *running, group []*compared, plan, applied document) error {
	if err := p.left(group); err != nil {
		return err
	}
	if a, b := mustJSON(plan.ResourceChanges), mustJSON(applied.ResourceChanges); a != b {
		return fmt.Errorf("landbridge plan and apply planned differently:\n%s\n%s", a, b)
	}
	file, err := os.ReadFile(p.statePath())
	if err != nil {
		return err
	}
	states, err := tofu.Resources(file)
	if err != nil {
		return err
	}
	for _, x := range group {
		x.engine = outcome{reached: applies, raw: states[x.track.name], said: p.said(r, x, applied.Diagnostics)}
		for _, c := range applied.ResourceChanges {
			if c.Type != x.track.name || c.Deposed != "" {
				continue
			}
			x.engine.shown = mustJSON(c)
			if change, ok := shownChange(c); ok {
				x.engine.planned = append(x.engine.planned, change)
			}
		}
		for _, c := range applied.ResourceDrift {
			if change, ok := shownChange(c); ok && c.Type == x.track.name {
				x.engine.drift = append(x.engine.drift, change)
			}
		}
	}
	return nil
}

func (p *programs) statePath() string { return filepath.Join(p.dir, "landbridge.tfstate") }

// write sets the stage, and writes the manifest and the state.
func (p *programs) write(r *running, group []*compared) error {
	run := cloud.Run{}
	var items []json.RawMessage
	var states []json.RawMessage
	for _, x := range group {
		run[x.track.name] = x.ours
		step := p.wanted(x)
		config, err := x.track.c.ConfigValue(step)
		if err != nil {
			return err
		}
		identity := cty.NilVal
		if x.importID != "" && step.Import == cases.ImportByIdentity {
			identity = x.ours.Identity(x.importID)
		}
		raw, err := manifestOf(r.model.Resources[x.track.name], step, config, x.importID, identity)
		if err != nil {
			return err
		}
		items = append(items, raw)
		if x.stored != nil {
			states = append(states, x.stored)
		}
	}
	manifest, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	state, err := tofu.StateFile(states...)
	if err != nil {
		return err
	}
	return errors.Join(
		stage.Set(p.stage, group[0].track.provider, run),
		os.WriteFile(filepath.Join(p.dir, "manifest.json"), manifest, 0o600),
		os.WriteFile(p.statePath(), state, 0o600),
	)
}

// left reads what the provider's processes have left behind.
func (p *programs) left(group []*compared) error {
	run := cloud.Run{}
	for _, x := range group {
		run[x.track.name] = x.ours
	}
	return stage.Left(p.stage, group[0].track.provider, run)
}

func (p *programs) landbridgeRun(ctx context.Context, command string, args ...string) (document, error) {
	cmd := exec.CommandContext(ctx, p.landbridge, append([]string{command}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + os.TempDir()}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var d document
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return d, err
	}
	if jsonErr := decodeJSON(out.Bytes(), &d); jsonErr != nil {
		return d, fmt.Errorf("landbridge %s: %w\n%s%s", command, errors.Join(err, jsonErr), out.Bytes(), errOut.Bytes())
	}
	if (err != nil) != d.Errored {
		return d, fmt.Errorf("landbridge %s exited with status %d, and errored: %t", command, cmd.ProcessState.ExitCode(), d.Errored)
	}
	return d, nil
}

// said are the messages about a resource.
func (p *programs) said(r *running, x *compared, messages local.Messages) []said {
	about := slices.DeleteFunc(slices.Clone(messages), func(m local.Message) bool { return m.Address != x.track.name+"."+objectName })
	return saidByMessages(r.model.Resources[x.track.name], about)
}

// shownChange is a change in the words of tofu's log; ok is false where that has none.
func shownChange(c planview.ResourceChange) (change tofu.Change, ok bool) {
	change = tofu.Change{Action: strings.Join(c.Change.Actions, " "), Reason: reason(c.ActionReason)}
	switch change.Action {
	case "delete create", "create delete":
		change.Action = "replace"
	case "no-op":
		change.Action = "import"
		return change, c.Change.Importing != nil
	}
	return change, true
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (p *programs) tofu(ctx context.Context, group []*compared) (tofu.Result, error) {
	runs := map[string]cloud.Run{}
	for name := range makers {
		runs[name] = cloud.Run{}
	}
	for _, x := range group {
		runs[x.track.provider][x.track.name] = x.theirs
	}
	for name, run := range runs {
		if err := stage.Set(p.stage, name, run); err != nil {
			return tofu.Result{}, err
		}
	}
	resources, err := resourcesOf(group)
	if err != nil {
		return tofu.Result{}, err
	}
	result, err := p.program.Apply(ctx, resources)
	if err != nil {
		return result, err
	}
	for name, run := range runs {
		if err := stage.Left(p.stage, name, run); err != nil {
			return result, err
		}
	}
	return result, nil
}
