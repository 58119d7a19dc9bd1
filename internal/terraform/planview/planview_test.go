package planview_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// planted is in every sensitive value of these tests.
const planted = "hunter2"

func thing(t *testing.T) *model.Resource {
	t.Helper()
	p, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources["everything_thing"]
}

// state returns a state from YAML with the names of the custom resource; the text "?" means
// unknown.
func state(t *testing.T, r *model.Resource, text string) cty.Value {
	t.Helper()
	var in map[string]any
	if err := yaml.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	var unknown []cty.Path
	for k, v := range in {
		if v == "?" {
			delete(in, k)
			unknown = append(unknown, cty.GetAttrPath(r.Root().Object.ByJSON(k).Name))
		}
	}
	v, diags := translate.Decode(r.Root(), in)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	v, err := cty.Transform(v, func(p cty.Path, v cty.Value) (cty.Value, error) {
		for _, u := range unknown {
			if u.Equals(p) {
				return cty.UnknownVal(v.Type()), nil
			}
		}
		if v.Type() == cty.String && !v.IsNull() && v.AsString() == "?" {
			return cty.UnknownVal(cty.String), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const full = `
id: i-1
name: web
namespace: prod
size: 3
enabled: true
result: r
password: hunter2
pin: 42
settings: {a: hunter2}
generated: hunter2
tags: {team: a, cost center: "7"}
zones: [a, b]
groups: [g, h]
anything: {list: [1, two], map: {k: v}}
pair: [p, 1]
endpoint: {hostName: h, port: 80}
endpoints: [{hostName: h, port: 80}]
namedEndpoints: {main: {hostName: h}}
singleAttribute: {maxAgeDays: 1, token: hunter2}
secretAttribute: {maxAgeDays: 1, label: hunter2}
singleBlock: {maxAgeDays: 1}
listBlock: [{maxAgeDays: 1, token: hunter2, deep: [{maxAgeDays: 2}]}]
setBlock: [{maxAgeDays: 1}]
mapBlock: {k: {maxAgeDays: 1}}
singletonList: [{maxAgeDays: 1}]
singletonSet: [{maxAgeDays: 1}]
someBlock: [{maxAgeDays: 1}]
dynamicBlock: [{value: 1}]
`

const small = "id: i-1\nname: web\nnamespace: prod\nresult: r\npassword: hunter2\n"

func TestText(t *testing.T) {
	t.Parallel()
	r := thing(t)
	gone := cty.NullVal(r.Root().Cty)
	attr := cty.GetAttrPath
	type in struct {
		before, after string // YAML; empty is null
		plan          terraform.Plan
		change        planview.Change
		identity      [2]cty.Value
		drift         bool
		style         planview.Style
	}
	id := func(number cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"account_id": cty.StringVal("acc"), "number": number, "region": cty.NullVal(cty.String), "path": cty.NullVal(cty.List(cty.String)),
		})
	}
	tests := map[string]in{
		"create": {
			after:    strings.Replace(full, "id: i-1", "id: '?'\nvpcId: '?'", 1) + "listAttribute: '?'\n",
			plan:     terraform.Plan{Action: terraform.Create},
			identity: [2]cty.Value{{}, id(cty.UnknownVal(cty.Number))},
		},
		"delete": {before: full, plan: terraform.Plan{Action: terraform.Delete}, identity: [2]cty.Value{id(cty.NumberIntVal(1))}},
		"no-op":  {before: full, after: full, plan: terraform.Plan{Action: terraform.NoOp}},
		"update of primitives": {
			before: small + "size: 3\nenabled: true\nold: x\npin: 42\n",
			after:  strings.Replace(small, "password: hunter2", "password: hunter2!", 1) + "size: 4\nvpcId: v\nenabled: '?'\n",
			plan:   terraform.Plan{Action: terraform.Update},
		},
		"update of collections": {
			before: small + "tags: {same: s, went: w, changed: a}\nzones: [a, b, c, d]\ngroups: [g, " +
				"h]\nnamedEndpoints: {main: {hostName: h, port: 1}}\nendpoints: [{hostName: a, port: 1}, {hostName: " +
				"b, port: 1}]\npair: [a, 1]\n",
			after: small + "tags: {same: s, came: c, changed: b}\nzones: [b, c, e]\ngroups: [h, " +
				"i]\nnamedEndpoints: {main: {hostName: h, port: 2}}\nendpoints: [{hostName: a, port: 2}, {hostName: " +
				"b, port: 1}, {hostName: c}]\npair: [a, 2]\n",
			plan: terraform.Plan{Action: terraform.Update},
		},
		"collections that come and go": {
			before: small + "tags: {a: b}\nzones: []\nendpoint: {hostName: h, port: 1}\ngroups: [g]\n",
			after: small + "tags: '?'\nzones: [a]\ngroups: []\nlistAttribute: [{maxAgeDays: 1}]\nsetAttribute: " +
				"[{maxAgeDays: 1, token: hunter2}]\nmapAttribute: {k: {maxAgeDays: 1}}\n",
			plan: terraform.Plan{Action: terraform.Update},
		},
		"update of blocks": {
			before: full,
			after: strings.NewReplacer(
				"listBlock: [{maxAgeDays: 1, token: hunter2, deep: [{maxAgeDays: 2}]}]",
				"listBlock: [{maxAgeDays: 1, token: hunter2!, deep: [{maxAgeDays: 3}]}, {maxAgeDays: 9}]",
				"setBlock: [{maxAgeDays: 1}]", "setBlock: [{maxAgeDays: 2}]",
				"mapBlock: {k: {maxAgeDays: 1}}", "mapBlock: {k: {maxAgeDays: 2}, l: {maxAgeDays: 1}}",
				"singletonList: [{maxAgeDays: 1}]", "singletonList: [{maxAgeDays: 2}]",
				"singletonSet: [{maxAgeDays: 1}]", "singletonSet: []",
				"dynamicBlock: [{value: 1}]", "dynamicBlock: [{value: [1]}]",
				"secretAttribute: {maxAgeDays: 1, label: hunter2}", "secretAttribute: {maxAgeDays: 1, label: hunter22}",
			).Replace(full),
			plan: terraform.Plan{Action: terraform.Update},
		},
		"update of dynamic values": {
			before: small + "anything: {list: [1, 2], map: {k: v}, text: a, kind: 1}\n",
			after:  small + "anything: {list: [1, 3], map: {k: w}, text: b, kind: [one]}\n",
			plan:   terraform.Plan{Action: terraform.Update},
		},
		"text of several lines": {
			before: small + "old: \"one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\\nnine\\n\"\nvpcId: \"a\\nb\"\n",
			after:  small + "old: \"one\\ntwo\\nthree\\nfour\\nfive\\nSIX\\nseven\\neight\\nnine\\n\"\nvpcId: \"a\\nb\\n\"\n",
			plan:   terraform.Plan{Action: terraform.Update},
		},
		"replace": {
			before: small + "size: 3\nsingletonList: [{maxAgeDays: 1}]\nlistBlock: [{maxAgeDays: 1}]\ngroups: [g]\n",
			after: strings.NewReplacer("id: i-1", "id: '?'", "result: r", "result: '?'", "name: web", "name: api").
				Replace(small) + "size: 3\nsingletonList: [{maxAgeDays: 2}]\nlistBlock: [{maxAgeDays: " +
				"2}]\ngroups: [h]\n",
			plan: terraform.Plan{
				Action: terraform.DeleteThenCreate, Reason: terraform.ReplaceBecauseCannotUpdate,
				RequiresReplace: []cty.Path{
					attr("name"), attr("singleton_list").IndexInt(0).GetAttr("max_age_days"), attr("list_block").IndexInt(0).GetAttr("max_age_days"),
					attr("groups"), attr("size"),
				},
			},
			identity: [2]cty.Value{id(cty.NumberIntVal(1)), id(cty.UnknownVal(cty.Number))},
		},
		"replace, creating first": {
			before: small, after: strings.Replace(small, "id: i-1", "id: '?'", 1),
			plan: terraform.Plan{
				Action: terraform.CreateThenDelete, Reason: terraform.ReplaceBecauseCannotUpdate,
				RequiresReplace: []cty.Path{attr("password")},
			},
		},
		"replace a tainted object": {
			before: small, after: strings.Replace(small, "id: i-1", "id: '?'", 1),
			plan: terraform.Plan{Action: terraform.DeleteThenCreate, Reason: terraform.ReplaceBecauseTainted},
		},
		"sensitive by origin": {
			before: small + "tags: {t: hunter2}\nzones: [hunter2, b]\ngroups: [hunter2]\nanything: {a: hunter2}\n",
			after: small + "tags: {t: hunter2!}\nzones: [hunter2!, b]\ngroups: [hunter2!]\nanything: {a: " +
				"hunter2!}\nendpoint: {hostName: hunter2}\n",
			plan: terraform.Plan{Action: terraform.Update, SensitivePaths: []cty.Path{
				attr("tags").IndexString("t"), attr("zones").IndexInt(0), attr("groups").Index(cty.StringVal("hunter2")),
				attr("anything").GetAttr("a"), attr("endpoint").GetAttr("host_name"),
			}},
		},
		"import": {
			before: small, after: small, plan: terraform.Plan{Action: terraform.NoOp},
			change: planview.Change{Importing: &terraform.ImportTarget{ID: "i-1"}},
		},
		"import and update": {
			before: small, after: small + "size: 1\n", plan: terraform.Plan{Action: terraform.Update},
			change: planview.Change{Importing: &terraform.ImportTarget{Identity: id(cty.NumberIntVal(1))}},
		},
		"import by what is secret": {
			before: small, after: small, plan: terraform.Plan{Action: terraform.NoOp},
			change: planview.Change{Importing: &terraform.ImportTarget{ID: "acc/hunter2"}},
		},
		"held": {
			before: small, after: strings.Replace(small, "name: web", "name: api", 1),
			plan: terraform.Plan{
				Action: terraform.DeleteThenCreate, Reason: terraform.ReplaceBecauseCannotUpdate,
				RequiresReplace: []cty.Path{attr("name")},
			},
			change: planview.Change{Held: "spec.lifecycle.replacePolicy is Never"},
		},
		"deposed": {before: small, plan: terraform.Plan{Action: terraform.Delete}, change: planview.Change{Deposed: "0123abcd"}},
		"write-only": {
			after: small, plan: terraform.Plan{Action: terraform.Create, Config: state(t, r, small+"passwordWo: hunter2\n")},
		},
		"drift": {
			before: small, after: strings.Replace(small, "result: r", "result: other", 1),
			plan: terraform.Plan{Action: terraform.Update}, drift: true,
		},
		"deleted": {before: small, plan: terraform.Plan{Action: terraform.Delete}, drift: true},
		"refresh only": {
			before: small, after: small + "size: 1\n", plan: terraform.Plan{Action: terraform.Update}, drift: true,
			style: planview.Style{RefreshOnly: true},
		},
		"hostile text": {
			before: small, after: small + "old: \"\\e[2J\\a\"\nvpcId: \"a\\n\\e[2Jb\"\ntags: {\"\\e[2J\": \"\\r\"}\n",
			plan: terraform.Plan{Action: terraform.Update},
		},
		"colours": {
			before: small + "size: 3\nold: x\n", after: strings.Replace(small, "name: web", "name: api", 1) + "size: 4\nvpcId: v\n",
			plan:  terraform.Plan{Action: terraform.DeleteThenCreate, RequiresReplace: []cty.Path{attr("name")}},
			style: planview.Style{Colour: true},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := test.change
			c.Model, c.Address, c.Namespace, c.Name, c.Label = r, "everything_thing.web", "prod", "web", "web"
			c.Provider, c.Plan = "registry.terraform.io/acme/everything", test.plan
			c.Plan.State = gone
			if test.before != "" {
				c.Plan.Prior = instance.Instance{State: state(t, r, test.before), SensitivePaths: test.plan.SensitivePaths}
			}
			if test.after != "" {
				c.Plan.State = state(t, r, test.after)
			}
			c.Plan.Prior.Identity, c.Plan.Identity = test.identity[0], test.identity[1]
			v := planview.View{Changes: []planview.Change{c}}
			if test.drift {
				v.Drift = v.Changes
				again := c
				again.Plan.Prior.State, again.Plan.State = c.Plan.State, c.Plan.Prior.State
				again.Plan.Action = terraform.Update
				if test.after == "" {
					again.Plan.Action = terraform.Create
				}
				v.Changes = []planview.Change{again}
			}
			var text, raw bytes.Buffer
			if err := planview.Text(&text, v, test.style); err != nil {
				t.Fatal(err)
			}
			e := json.NewEncoder(&raw)
			e.SetIndent("", " ")
			if err := e.Encode(planview.JSON(v.Changes)); err != nil {
				t.Fatal(err)
			}
			file := strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")
			written(t, file+".txt", text.Bytes())
			written(t, file+".json", raw.Bytes())
			for _, c := range v.Changes {
				summary := strings.Join(planview.Summary(r, c.Plan), "\n")
				var comment bytes.Buffer
				if err := planview.Markdown(&comment, v); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(summary+comment.String(), planted) {
					t.Errorf("a sensitive value is in:\n%s\n%s", summary, &comment)
				}
			}
			if name != "colours" && strings.ContainsAny(text.String(), "\x1b\a\r") {
				t.Error("a control character is in the text")
			}
		})
	}
}

func written(t *testing.T, name string, got []byte) {
	t.Helper()
	if bytes.Contains(got, []byte(planted)) {
		t.Errorf("a sensitive value is in:\n%s", got)
	}
	golden.Check(t, name, got)
}

func TestCount(t *testing.T) {
	t.Parallel()
	change := func(a terraform.Action) planview.Change { return planview.Change{Plan: terraform.Plan{Action: a}} }
	held, imported := change(terraform.Update), change(terraform.NoOp)
	held.Held, imported.Importing = "no", &terraform.ImportTarget{ID: "x"}
	got := planview.Count([]planview.Change{
		change(terraform.NoOp), change(terraform.Create), change(terraform.Update), change(terraform.Delete),
		change(terraform.DeleteThenCreate), change(terraform.CreateThenDelete), held, imported,
	})
	if want := (planview.Counts{Import: 1, Add: 3, Change: 1, Destroy: 3, Held: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want := "Plan: 1 to import, 3 to add, 1 to change, 3 to destroy."; got.String() != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got.Empty() || !planview.Count([]planview.Change{held, change(terraform.NoOp)}).Empty() {
		t.Error("Empty is wrong")
	}
}

// The key of a set's element is its value, which may be sensitive.
func TestReplacePathsEndAtSets(t *testing.T) {
	t.Parallel()
	r := thing(t)
	v := state(t, r, full)
	tests := map[string]struct {
		path cty.Path
		want []any
	}{
		"attribute":         {path: cty.GetAttrPath("name"), want: []any{"name"}},
		"element of a list": {path: cty.GetAttrPath("zones").IndexInt(1), want: []any{"zones", json.Number("1")}},
		"element of a map":  {path: cty.GetAttrPath("tags").IndexString("team"), want: []any{"tags", "team"}},
		"element of a set":  {path: cty.GetAttrPath("groups").IndexString("g"), want: []any{"groups"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := planview.JSON([]planview.Change{{
				Model: r,
				Plan: terraform.Plan{
					Action: terraform.DeleteThenCreate, Prior: instance.Instance{State: v}, State: v,
					RequiresReplace: []cty.Path{test.path},
				},
			}})
			raw, err := json.Marshal(changes[0].Change.ReplacePaths)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]any
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.UseNumber()
			if err := decoder.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]any{test.want}, got); diff != "" {
				t.Errorf("replace_paths: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	m, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_server": {Type: "cloud_server", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "size": {Type: cty.Number, Optional: true}, "region": {Type: cty.String, Optional: true},
			"password": {Type: cty.String, Optional: true, Sensitive: true}, "tags": {Type: cty.Map(cty.String), Optional: true},
		}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	object := func(id cty.Value, size int64, region, password string, tags int) cty.Value {
		all := map[string]cty.Value{"a": cty.StringVal(strings.Repeat("ä", 100))}
		for i := range tags {
			all[fmt.Sprintf("t%02d", i)] = cty.StringVal("x")
		}
		return cty.ObjectVal(map[string]cty.Value{
			"id": id, "size": cty.NumberIntVal(size), "region": cty.StringVal(region), "password": cty.StringVal(password), "tags": cty.MapVal(all),
		})
	}
	id, unknown := cty.StringVal("i"), cty.UnknownVal(cty.String)
	before := instance.Instance{State: object(id, 1, "eu", planted, 0)}
	for name, x := range map[string]struct {
		plan terraform.Plan
		want []string
	}{
		"nothing": {plan: terraform.Plan{Action: terraform.NoOp, Prior: before, State: before.State}},
		"update": {
			plan: terraform.Plan{Action: terraform.Update, Prior: before, State: object(id, 2, "eu", "new-"+planted, 1)},
			want: []string{"~ password: (sensitive value) → (sensitive value)", "~ size: 1 → 2", `+ tags["t00"]: "x"`},
		},
		"replacement": {
			plan: terraform.Plan{
				Action: terraform.DeleteThenCreate, RequiresReplace: []cty.Path{cty.GetAttrPath("region")},
				Prior: before, State: object(unknown, 1, "us", planted, 0),
			},
			want: []string{"-/+ replaces the object because of region", `~ id: "i" → (known after apply)`, `~ region: "eu" → "us"`},
		},
		"create": {
			plan: terraform.Plan{Action: terraform.Create, State: object(unknown, 1, "us", planted, 0)},
			want: []string{
				"+ creates the object", "+ password: (sensitive value)", `+ region: "us"`, "+ size: 1",
				`+ tags["a"]: "` + strings.Repeat("ä", 29) + "…",
			},
		},
		"many changes": {
			plan: terraform.Plan{Action: terraform.Update, Prior: before, State: object(id, 2, "eu", planted, 40)},
			want: append([]string{"~ size: 1 → 2"}, append(tagged(11), "… and 29 more: landbridge diff shows the whole plan")...),
		},
		"destruction": {plan: terraform.Plan{Action: terraform.Delete, Prior: before}, want: []string{"- destroys the object"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(x.want, planview.Summary(m.Resources["cloud_server"], x.plan)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func tagged(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(`+ tags["t%02d"]: "x"`, i))
	}
	return out
}
