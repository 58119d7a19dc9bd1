package planview_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// plant replaces all sensitive texts of a value with planted, and makes some of the others
// unknown.
func plant(t *rapid.T, b *schema.Block, v cty.Value, unknown bool) cty.Value {
	out, err := cty.Transform(v, func(p cty.Path, v cty.Value) (cty.Value, error) {
		if v.IsNull() || !v.IsKnown() {
			return v, nil
		}
		for i := range p {
			if a := b.AttributeByPath(p[:i+1]); a != nil && (a.Sensitive || a.WriteOnly) {
				if v.Type() == cty.String {
					return cty.StringVal(planted + v.AsString()), nil
				}
				return v, nil
			}
		}
		if unknown && len(p) == 1 && b.Blocks[p[0].(cty.GetAttrStep).Name] == nil && rapid.IntRange(0, 3).Draw(t, "unknown") == 0 {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// With any schema and values, no sensitive value is shown, nothing panics, the JSON is valid, and
// equal values are no change.
func TestViewProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		if b.Attributes == nil {
			b.Attributes = map[string]*schema.Attribute{}
		}
		b.Attributes["always_secret"] = &schema.Attribute{Type: cty.String, Optional: true, Sensitive: true}
		p, err := model.NewProvider("x", &schema.Provider{
			Config: &schema.Block{}, Resources: map[string]*schema.Resource{"x_thing": {Type: "x_thing", Block: b}},
		}, config.Provider{})
		if err != nil {
			t.Skip(err)
		}
		before := plant(t, b, schematest.Value(t, b), false)
		after := plant(t, b, schematest.Value(t, b), true)
		null := cty.NullVal(b.ImpliedType())
		action := rapid.SampledFrom([]terraform.Action{
			terraform.Create, terraform.Update, terraform.Delete, terraform.DeleteThenCreate,
		}).Draw(t, "action")
		c := planview.Change{Model: p.Resources["x_thing"], Address: "x_thing.a", Name: "a", Label: "a"}
		c.Plan = terraform.Plan{Action: action, Prior: instance.Instance{State: before}, State: after, Config: after}
		switch action {
		case terraform.Create:
			c.Plan.Prior.State = null
		case terraform.Delete:
			c.Plan.State, c.Plan.Config = null, null
		case terraform.DeleteThenCreate:
			_ = cty.Walk(before, func(p cty.Path, v cty.Value) (bool, error) {
				if len(p) > 0 && rapid.IntRange(0, 5).Draw(t, "replaces") == 0 {
					c.Plan.RequiresReplace = append(c.Plan.RequiresReplace, p.Copy())
				}
				return !v.IsNull() && v.IsKnown(), nil
			})
		}
		var text bytes.Buffer
		if err := planview.Text(&text, planview.View{Changes: []planview.Change{c}}, planview.Style{}); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(planview.JSON([]planview.Change{c}))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), planted) || bytes.Contains(raw, []byte(planted)) {
			t.Fatalf("a sensitive value is in:\n%s\n%s", &text, raw)
		}
		if !json.Valid(raw) || strings.ContainsAny(text.String(), "\x1b\a\r") {
			t.Fatalf("%s\n%q", raw, &text)
		}

		c.Plan.Action, c.Plan.Prior.State, c.Plan.State = terraform.Update, before, before
		text.Reset()
		if err := planview.Text(&text, planview.View{Changes: []planview.Change{c}}, planview.Style{}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(text.String(), "\n") {
			if strings.HasPrefix(line, "      ") && strings.ContainsAny(line[6:7], "+-~") {
				t.Fatalf("something changes where nothing does:\n%s", &text)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	p, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		b.Fatal(err)
	}
	r := p.Resources["everything_thing"]
	list := func(from int) cty.Value {
		m := map[string]cty.Value{}
		for _, f := range r.Root().Object.All {
			m[f.Name] = f.Type.Absent
		}
		var zones []cty.Value
		for i := range 500 {
			zones = append(zones, cty.StringVal(strings.Repeat("x", from+i*3)))
		}
		m["zones"] = cty.ListVal(zones)
		return cty.ObjectVal(m)
	}
	c := planview.Change{
		Model: r, Address: "a.b", Name: "b",
		Plan: terraform.Plan{Action: terraform.Update, Prior: instance.Instance{State: list(0)}, State: list(1)},
	}
	v := planview.View{Changes: []planview.Change{c}}
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := planview.Text(&out, v, planview.Style{}); err != nil {
			b.Fatal(err)
		}
	}
}
