package differential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
)

// Previews runs our side of a case, and previews each step before it is planned: what the preview
// says is what the plan of an apply says then. It returns the number of previews, and how they
// differ.
func Previews(ctx context.Context, c *cases.Case, dir string) (n int, differences []string, _ error) {
	l := &linked{Harness: &Harness{Counters: NewCounters()}, scratch: dir}
	provider := providerOf(c)
	name := provider + "_c0"
	named, err := c.Named(name)
	if err != nil {
		return 0, nil, err
	}
	t := &track{name: name, c: named, provider: provider, worlds: [2]cloud.World{cloud.NewWorld(), cloud.NewWorld()}}
	for index := range named.Steps {
		x, err := newCompared(t, index)
		if err != nil {
			return n, differences, err
		}
		previews := x.before.Exists() && x.step().Config != nil && x.movedFrom == ""
		said := upgrade.Unchanged
		if previews {
			if said, err = l.preview(ctx, x); err != nil {
				return n, differences, fmt.Errorf("step %d: %w", index, err)
			}
		}
		r, err := l.launch(ctx, provider, makers[provider](func() cloud.Run { return cloud.Run{name: x.ours} }))
		if err == nil {
			x.engine, err = l.byManifest(ctx, x, r)
		}
		if err != nil {
			return n, differences, fmt.Errorf("step %d: %w", index, err)
		}
		if previews {
			n++
			if does := x.outcomeOfPlan(); does != said && !(does == upgrade.Refused && said.Failed()) {
				differences = append(differences, fmt.Sprintf("step %d: the preview says %s, and the plan %s (%v)",
					index, said, does, x.engine.errors()))
			}
		}
		t.states[0], t.worlds[0] = x.engine.raw, x.ours.World()
	}
	return n, differences, nil
}

// outcomeOfPlan returns what the plan of an apply says. It is Refused if there is no plan.
func (x *compared) outcomeOfPlan() upgrade.Outcome {
	if x.engine.reached != applies {
		return upgrade.Refused
	}
	for _, c := range x.engine.planned {
		return map[string]upgrade.Outcome{"update": upgrade.Update, "replace": upgrade.Replace, "create": upgrade.Create}[c.Action]
	}
	return upgrade.Unchanged
}

// preview returns what the preview of a step says. It has a world of its own.
func (l *linked) preview(ctx context.Context, x *compared) (upgrade.Outcome, error) {
	t := x.track
	active := cloud.NewActive(t.c, x.index, x.ours.World())
	r, err := l.launch(ctx, t.provider, makers[t.provider](func() cloud.Run { return cloud.Run{t.name: active} }))
	if err != nil {
		return "", err
	}
	m := r.model.Resources[t.name]
	kind, err := evolution.FromResource(m)
	if err != nil {
		return "", err
	}
	config, err := t.c.ConfigValue(x.step())
	if err != nil {
		return "", err
	}
	raw, err := manifestOf(m, x.step(), config, "", cty.NilVal)
	if err != nil {
		return "", err
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(list.Items[0]); err != nil {
		return "", err
	}
	var secret struct{ Data map[string][]byte }
	if len(list.Items) > 1 {
		if err := json.Unmarshal(list.Items[1], &secret); err != nil {
			return "", err
		}
	}
	b, err := instance.Encode(x.before, x.schema)
	if err != nil {
		return "", err
	}
	stored, err := instance.Decode(b, store.Verbatim)
	if err != nil {
		return "", err
	}
	acquire := func(err diagnostic.Diagnostics) upgrade.Acquire {
		return func(context.Context, *unstructured.Unstructured) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return engine.New(r.server), func() {}, err
		}
	}
	p := upgrade.NewPreview(
		upgrade.Version{Model: m, Kind: kind, Acquire: acquire(diagnostic.Errorf("Not installed", "Nothing is told apart here."))},
		upgrade.Version{Model: m, Kind: kind, Acquire: acquire(nil)}, true, nil)
	found := p.Of(ctx, upgrade.Resource{Object: u, Stored: stored, Secrets: func(ref translate.SecretKeySelector) ([]byte, error) {
		if v, ok := secret.Data[ref.Key]; ok {
			return v, nil
		}
		return nil, errors.New("there is no such key")
	}})
	if difference := active.World().Difference(x.ours.World()); difference != "" {
		return "", fmt.Errorf("the preview has changed something: %s", difference)
	}
	return found[0].Outcome, nil
}
