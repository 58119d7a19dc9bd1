package differential

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform/cli/tfjson"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// group runs tofu for the step of cases whose engine reached the same phase, and compares.
func (h *Harness) group(ctx context.Context, group []*compared, reached phase) error {
	if len(group) == 0 {
		return nil
	}
	result, err := h.theirs(ctx, group)
	if err != nil {
		return err
	}
	if h.Debug {
		h.log("%s: %s", reached, result.Output)
	}
	switch {
	case result.Crashed && len(group) == 1:
		what, _, _ := strings.Cut(result.Output, "goroutine")
		h.add(group[0], Difference{What: "crash", Tofu: strings.TrimSpace(what)})
		group[0].track.ended = true
		return nil
	case result.Crashed:
		return h.halves(ctx, group, reached)
	case reached == applies && !result.Applied:
		return h.unexpected(ctx, group, &result)
	case len(group) > 1 && h.hasUnclaimed(group, &result):
		return h.halves(ctx, group, reached)
	}
	for _, x := range group {
		if err := h.compare(x, &result); err != nil {
			return err
		}
		// Tofu applied a case that failed on our side before anything was applied.
		x.track.ended = x.track.ended || reached != applies && result.Applied
	}
	return nil
}

// theirs runs tofu for the step.
func (h *Harness) theirs(ctx context.Context, group []*compared) (tofu.Result, error) {
	for _, x := range group {
		x.alone = len(group) == 1
		x.theirs = cloud.NewActive(x.track.c, x.index, x.track.worlds[1].Clone())
		x.theirs.Prepare()
	}
	h.Runs++
	begin := time.Now()
	defer func() { h.Theirs += time.Since(begin) }()
	return h.sides.tofu(ctx, group)
}

// resourcesOf returns tofu's resources for the cases.
func resourcesOf(group []*compared) (map[string]tofu.Resource, error) {
	out := map[string]tofu.Resource{}
	for _, x := range group {
		r, err := x.resource()
		if err != nil {
			return nil, err
		}
		out[x.track.name] = r
	}
	return out, nil
}

// hasUnclaimed reports whether tofu has a diagnostic without a resource that matches none of ours.
func (h *Harness) hasUnclaimed(group []*compared, result *tofu.Result) bool {
	claimed := map[string]bool{}
	for _, x := range group {
		x.unmatched(result, claimed)
	}
	return slices.ContainsFunc(result.Diagnostics[""], func(d tofu.Diagnostic) bool { return !claimed[d.Summary] })
}

// unexpected finds the cases that failed for tofu but not on our side, and repeats the step with
// the others.
func (h *Harness) unexpected(ctx context.Context, group []*compared, result *tofu.Result) error {
	var others, culprits []*compared
	for _, x := range group {
		if slices.ContainsFunc(result.Of(x.track.name, x.movedFrom), tofu.Diagnostic.IsError) {
			h.log("case %d step %d: only tofu fails", x.track.number, x.index)
			culprits = append(culprits, x)
			continue
		}
		others = append(others, x)
	}
	switch {
	case len(culprits) > 0:
		for _, x := range culprits {
			h.compareDiagnostics(x, result)
			x.track.ended = true
		}
		return h.group(ctx, others, applies)
	case len(group) == 1:
		h.compareDiagnostics(group[0], result)
		group[0].track.ended = true
		return nil
	}
	return h.halves(ctx, group, applies)
}

// halves repeats the step with each half of the cases, to find those that make the others fail.
func (h *Harness) halves(ctx context.Context, group []*compared, reached phase) error {
	half := len(group) / 2
	if err := h.group(ctx, group[:half], reached); err != nil {
		return err
	}
	return h.group(ctx, group[half:], reached)
}

// resource returns tofu's resource for the case.
func (x *compared) resource() (tofu.Resource, error) {
	t, step := x.track, x.step()
	var out tofu.Resource
	config, err := t.c.ConfigValue(step)
	if err != nil {
		return out, err
	}
	if !config.IsNull() {
		body, locals := tfjson.Body(x.schema.Block, config, x.marked(), "secret_"+t.name)
		out.Locals = locals
		lifecycle := map[string]any{}
		if step.CreateBeforeDestroy {
			lifecycle["create_before_destroy"] = true
		}
		if slices.Equal(step.IgnoreChanges, []string{"*"}) {
			lifecycle["ignore_changes"] = "all"
		} else if len(step.IgnoreChanges) > 0 {
			lifecycle["ignore_changes"] = step.IgnoreChanges
		}
		if len(lifecycle) > 0 {
			body["lifecycle"] = lifecycle
		}
		if out.Body, err = json.Marshal(body); err != nil {
			return out, err
		}
	}
	if x.importID != "" {
		out.Import = map[string]any{"id": x.importID}
		if step.Import == cases.ImportByIdentity {
			identity := map[string]any{}
			for name, v := range x.theirs.Identity(x.importID).AsValueMap() {
				if !v.IsNull() {
					identity[name] = tfjson.Literal(v)
				}
			}
			out.Import = map[string]any{"identity": identity}
		}
	}
	out.MovedFrom = x.movedFrom
	out.State, err = x.start(t.states[1])
	return out, err
}

// marked returns which configured values are sensitive: in a manifest those that come from Secrets.
func (x *compared) marked() tfjson.Marked {
	if !x.track.c.Direct {
		return func(a *schema.Attribute, _ cty.Path) bool {
			return a != nil && (a.Sensitive || a.WriteOnly) && (a.Required || a.Optional)
		}
	}
	return func(_ *schema.Attribute, path cty.Path) bool {
		return slices.ContainsFunc(x.step().SensitivePaths(), path.Equals)
	}
}
