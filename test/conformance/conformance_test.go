package conformance_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// behaviours has the compared operations, by name.
var behaviours = map[string]func(w *world){
	"create": func(w *world) {
		r := w.resource("thing")
		c := w.config(r, `{"name":"x","tags":{"a":"${b}","c":"%{d}"}}`)
		in := w.create(r, c)
		w.refresh(r, in)
		w.plan(r, in, c)
		w.counts()
	},
	"validate": func(w *world) {
		r := w.resource("datastore")
		w.diagnostics(w.ex.Validate(ctx, r, w.config(r, `{"name":"x","hci_cluster_uuid":"h","block:cluster_info":{"id":"c"}}`)))
		w.plan(r, instance.Instance{}, w.config(r, `{"name":"x","hci_cluster_uuid":"h"}`))
		w.counts()
	},
	"update": func(w *world) {
		r := w.resource("thing")
		in := w.create(r, w.config(r, `{"name":"x","size":1}`))
		c := w.config(r, `{"name":"x","size":3,"tags":{"k":"v"}}`)
		in = w.apply(w.plan(r, in, c))
		w.plan(r, w.refresh(r, in), c)
		w.counts()
	},
	"replace": func(w *world) {
		r := w.resource("thing")
		in := w.create(r, w.config(r, `{"name":"x","region":"us-east-1"}`))
		c := w.config(r, `{"name":"x","region":"eu-central-1"}`)
		w.plan(r, in, c)
		w.apply(w.planDestroy(r, in))
		w.create(r, c)
		w.counts()
	},
	"create_before_destroy": func(w *world) {
		r := w.resource("thing")
		c := w.config(r, `{"name":"x","region":"us-east-1"}`)
		c.CreateBeforeDestroy = true
		in := w.create(r, c)
		c.Value = w.config(r, `{"name":"x","region":"eu-central-1"}`).Value
		w.plan(r, in, c)
	},
	"taint": func(w *world) {
		r := w.resource("thing")
		c := w.config(r, `{"name":"x"}`)
		in := w.create(r, c)
		in.Status = instance.Tainted
		in = w.refresh(r, in)
		w.plan(r, in, c)
		in.Status = instance.Partial
		w.plan(r, w.refresh(r, in), c)
		in.Status = instance.Tainted
		w.apply(w.planDestroy(r, in))
		w.counts()
	},
	"drift": func(w *world) {
		r := w.resource("thing")
		c := w.config(r, `{"name":"x","size":2}`)
		in := w.create(r, c)
		id := in.State.GetAttr("id").AsString()
		w.cloud.Change(w, "things", id, map[string]any{"size": 7})
		in = w.refresh(r, in)
		in = w.apply(w.plan(r, in, c))
		w.cloud.Remove(w, "things", id)
		in = w.refresh(r, in)
		w.plan(r, in, c)
		w.planDestroy(r, in)
	},
	"ignore_changes": func(w *world) {
		r := w.resource("thing")
		in := w.create(r, w.config(r, `{"name":"x","size":2,"tags":{"a":"1","b":"2"}}`))
		c := w.config(r, `{"name":"y","size":3,"tags":{"a":"changed","b":"too"}}`)
		c.IgnoreChanges.Paths = []cty.Path{cty.GetAttrPath("size"), cty.GetAttrPath("tags").IndexString("a")}
		in = w.apply(w.plan(r, in, c))
		c.IgnoreChanges = terraform.IgnoreChanges{All: true}
		w.plan(r, in, c)
	},
	"prevent_destroy": func(w *world) {
		r := w.resource("thing")
		c := w.config(r, `{"name":"x","region":"us-east-1"}`)
		c.PreventDestroy = true
		in := w.create(r, c)
		c.Value = w.config(r, `{"name":"x","region":"eu-central-1"}`).Value
		w.plan(r, in, c)
	},
	"import_by_id": func(w *world) {
		r := w.resource("thing")
		made := w.cloud.Make(w, "things", map[string]any{"name": "x", "region": "us-east-1"})
		in := w.imports(r, terraform.ImportTarget{ID: made["id"].(string), Identity: cty.NilVal})
		w.plan(r, in, w.config(r, `{"name":"x"}`))
		w.imports(r, terraform.ImportTarget{ID: "t-0000000000000000", Identity: cty.NilVal})
		w.counts()
	},
	"import_by_identity": func(w *world) {
		r := w.resource("thing")
		made := w.cloud.Make(w, "things", map[string]any{"name": "x", "region": "eu-central-1"})
		id := cty.StringVal(made["id"].(string))
		w.imports(r, terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": id, "region": cty.StringVal("eu-central-1")})})
		w.imports(r, terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": id, "colour": cty.StringVal("red")})})
		d := w.resource("datastore")
		w.cloud.Make(w, "datastores", map[string]any{
			"name": "d", "hci_cluster_uuid": "h", "cluster_info": map[string]any{"id": "c"}, "capacity_gib": 4,
		})
		w.imports(d, terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal("d"), "hci_cluster_uuid": cty.StringVal("h"), "cluster_info_id": cty.StringVal("c"),
		})})
		w.counts()
	},
	"import_without_state": func(w *world) {
		r := w.resource("identity_import")
		made := w.cloud.Make(w, "identity_imports", map[string]any{"name": "x", "text": "y"})
		in := w.imports(r, terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(made["id"].(string))})})
		w.plan(r, in, w.config(r, `{"name":"x","text":"y"}`))
		w.imports(r, terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("t-0000000000000000")})})
		w.counts()
	},
	"import_refused": func(w *world) {
		w.imports(w.resource("no_import"), terraform.ImportTarget{ID: "x", Identity: cty.NilVal})
		w.imports(w.resource("id_import"), terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("x")})})
		w.imports(w.resource("thing"), terraform.ImportTarget{ID: "", Identity: cty.NilVal})
	},
	"upgrade": func(w *world) {
		w.release(release.V0)
		old := w.resource("volume")
		in := w.create(old, w.config(old, `{"name":"x","size":5,"public":true}`))
		w.release(release.V2)
		r := w.resource("volume")
		in = w.refresh(r, w.stored(old, in, r))
		w.plan(r, in, w.config(r, `{"name":"x","size_gib":5,"public":"true"}`))
		w.counts()
	},
	"upgrade_fails": func(w *world) {
		for _, name := range []string{"volume_no_upgrader", "volume_upgrade_gap", "volume_upgrade_fails", "volume_upgrade_invalid"} {
			w.release(release.V0)
			old := w.resource(name)
			in := w.create(old, w.config(old, `{"name":"x"}`))
			w.release(release.V2)
			r := w.resource(name)
			w.note("%s", name)
			out := w.refresh(r, w.stored(old, in, r))
			w.note("  kept %s", out.RawIdentity)
		}
	},
	"downgrade": func(w *world) {
		r := w.resource("volume")
		in := w.create(r, w.config(r, `{"name":"x"}`))
		w.release(release.V1)
		old := w.resource("volume")
		w.refresh(old, w.stored(r, in, old))
	},
	"sensitive": func(w *world) {
		r := w.resource("credential")
		c := w.config(r, `{"name":"x","password":"hunter2"}`)
		c.SensitivePaths = []cty.Path{cty.GetAttrPath("password")}
		in := w.create(r, c)
		w.plan(r, in, c)
		c.Value = w.config(r, `{"name":"x","password":"hunter4"}`).Value
		in = w.apply(w.plan(r, in, c))
		in = w.refresh(r, in)
		w.plan(r, in, c)
	},
	"write_only": func(w *world) {
		r := w.resource("credential")
		c := w.config(r, `{"name":"x","password":"hunter2","secret_wo":"hunter3","secret_wo_version":1}`)
		c.SensitivePaths = []cty.Path{cty.GetAttrPath("password"), cty.GetAttrPath("secret_wo")}
		in := w.create(r, c)
		w.plan(r, in, c)
		c.Value = w.config(r, `{"name":"x","password":"hunter4","secret_wo":"hunter5","secret_wo_version":2}`).Value
		in = w.apply(w.plan(r, in, c))
		in = w.refresh(r, in)
		w.plan(r, in, c)
		if text := w.log.String(); strings.Contains(text, "hunter3") || strings.Contains(text, "hunter5") {
			w.Error("a write-only value was stored")
		}
	},
	"marks": func(w *world) { // a change of sensitive marks does not change the object
		r := w.resource("thing")
		c := w.config(r, `{"name":"x","tags":{"a":"b"}}`)
		in := w.create(r, c)
		c.SensitivePaths = []cty.Path{cty.GetAttrPath("tags").IndexString("a")}
		in = w.apply(w.plan(r, in, c))
		in = w.refresh(r, in)
		c.SensitivePaths = nil
		w.apply(w.plan(r, in, c))
		w.counts()
	},
	"mutable_identity": func(w *world) {
		r := w.resource("alias")
		in := w.create(r, w.config(r, `{"name":"x"}`))
		c := w.config(r, `{"name":"y"}`)
		in = w.apply(w.plan(r, in, c))
		w.refresh(r, in)
	},
	"unexpected_identity": func(w *world) {
		r := w.resource("nickname")
		in := w.create(r, w.config(r, `{"name":"x"}`))
		w.apply(w.plan(r, in, w.config(r, `{"name":"y"}`)))
	},
	"values": func(w *world) {
		r := w.resource("shapes")
		c := w.config(r, shapes)
		in := w.create(r, c)
		w.plan(r, in, c)
		w.apply(w.planDestroy(r, in))
		w.counts()
	},
	"create_fails": func(w *world) {
		r := w.resource("thing")
		c := w.config(r, `{"name":"x"}`)
		w.cloud.Fault(w, map[string]any{"on": "create", "status": 400, "count": 1})
		p := w.plan(r, instance.Instance{}, c)
		w.apply(p)
		w.cloud.Fault(w, map[string]any{"on": "create", "task_outcome": "fail", "count": 1})
		in := w.apply(p)
		w.plan(r, in, c)
		w.counts()
	},
	"update_fails": func(w *world) {
		r := w.resource("thing")
		in := w.create(r, w.config(r, `{"name":"x"}`))
		w.cloud.Fault(w, map[string]any{"on": "update", "status": 400, "count": 1})
		in = w.apply(w.plan(r, in, w.config(r, `{"name":"y"}`)))
		w.refresh(r, in)
	},
	"delete_fails": func(w *world) {
		r := w.resource("thing")
		in := w.create(r, w.config(r, `{"name":"x"}`))
		w.cloud.Fault(w, map[string]any{"on": "delete", "status": 400, "count": 1})
		p := w.planDestroy(r, in)
		w.apply(p)
		w.apply(p)
		w.counts()
	},
	"read_fails": func(w *world) {
		r := w.resource("thing")
		in := w.create(r, w.config(r, `{"name":"x"}`))
		w.cloud.Fault(w, map[string]any{"on": "read", "status": 400, "count": 1})
		w.refresh(r, in)
	},
	"out_of_date": func(w *world) { // plans that do not match the configuration or the object
		r := w.resource("thing")
		c := w.config(r, `{"name":"x","region":"us-east-1"}`)
		create := w.plan(r, instance.Instance{}, c)
		in := w.create(r, c)
		create.Prior = in
		w.apply(create)
		w.apply(w.plan(r, in, w.config(r, `{"name":"x","region":"eu-central-1"}`)))
		w.apply(w.plan(r, in, c))
		w.counts()
	},
}

// shapes has a value of every type, with characters that need escaping.
const shapes = `{"name":"s","zones":["a","b"],"weight":1.5,"active":true,
	"a_bool":false,"an_int64":-3,"a_float64":0.1,"?a_number":123456789012345678901234567890,
	"?anything":{"type":["list","string"],"value":["${x}","b"]},
	"strings_list":["","${x}","%{if}","ü \"q\" \\ \n","a\u0301"],"strings_set":["b","a"],"strings_map":{"${k}":"v","":"e"},
	"?map_of_lists":{"x":[1,2],"y":[]},"?numbers_map":{"x":1},"?lists_list":[[1,2],[3]],
	"?an_object":{"key":"k","value":2},"?objects_list":[{"key":"k","value":null}],
	"block:single_block":{"note":"n","kind":null},
	"list_block":[{"name":"n","note":null,"kind":null,"numbers":[1],"deep_block":[{"note":"d"}]}],
	"set_block":[{"name":"b","note":"2"},{"name":"a","note":null}],
	"?single_nested":{"name":"n","deep":{"${k}":{"name":"d","note":null,"kind":null,"numbers":null}}},
	"?set_nested":[{"name":"b","note":"2"},{"name":"a","note":null}]}`

func TestConformance(t *testing.T) {
	t.Parallel()
	ways := conformance.Ways
	if *update { // the reference for all ways
		ways = []conformance.Way{conformance.Plugin}
	}
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			for _, way := range ways {
				t.Run(string(way), func(t *testing.T) {
					t.Parallel()
					for name, behaviour := range behaviours {
						if !conformance.Applies(name, form+"/"+string(way)) {
							continue
						}
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							w := newWorld(t, form, way)
							behaviour(w)
							w.judge(name)
						})
					}
				})
			}
		})
	}
}
