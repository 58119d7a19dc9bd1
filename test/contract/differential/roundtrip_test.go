package differential_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/differential"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// estate is a state of many resources, each of a type of its own.
type estate struct {
	run       cloud.Run
	resources []tfstate.ResourceBlock
}

func (e *estate) schemas(resourceType string) *schema.Resource {
	if a := e.run[resourceType]; a != nil {
		return a.Schema()
	}
	return nil
}

// drawEstate draws instances that hold all that the format can.
func drawEstate(n int) *estate {
	e := &estate{run: cloud.Run{}}
	for i := range n {
		name := fmt.Sprintf("hand_c%d", i)
		c, err := cases.Generate(cases.Hand, false, i).Named(name)
		if err != nil {
			panic(err)
		}
		e.run[name] = cloud.NewActive(c, 0, cloud.NewWorld())
		r := rapid.Custom(func(t *rapid.T) tfstate.ResourceBlock { return drawResource(t, name, c) }).Example(i)
		e.resources = append(e.resources, r)
	}
	return e
}

func drawResource(t *rapid.T, name string, c *cases.Case) tfstate.ResourceBlock {
	keys := rapid.SampledFrom([][]any{{nil}, {nil}, {int64(0), int64(2)}, {"a", `b"]`, "ä"}}).Draw(t, "index keys")
	out := tfstate.ResourceBlock{
		Mode: "managed", Type: name, Name: "x",
		Provider: fmt.Sprintf("provider[%q]", tofu.Host+"/"+tofu.Namespace+"/"+string(cases.Hand)),
	}
	s := c.Schemas[0]
	for _, key := range keys {
		i := tfstate.Instance{IndexKey: key, KeptDeposed: map[string]tfstate.Kept{}}
		deposed := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{8}`), 0, 2, rapid.ID).Draw(t, "deposed")
		if len(deposed) == 0 || rapid.IntRange(0, 5).Draw(t, "current") > 0 {
			// The current object is of any version, the deposed ones are not: `tofu show` would not
			// show them.
			i.Instance, i.Kept = drawObject(t, s, c.Schemas[1], rapid.IntRange(0, 6).Draw(t, "version") == 0).Instance(), drawKept(t)
		}
		for _, key := range deposed {
			d := drawObject(t, s, nil, false)
			d.Key = key
			i.Deposed = append(i.Deposed, d)
			i.KeptDeposed[key] = drawKept(t)
		}
		out.Instances = append(out.Instances, i)
	}
	return out
}

func drawKept(t *rapid.T) tfstate.Kept {
	var out tfstate.Kept
	for i := range 3 {
		if rapid.Bool().Draw(t, "dependency") {
			out.Dependencies = append(out.Dependencies, fmt.Sprintf("hand_c%d.x", i))
		}
	}
	return out
}

// drawObject draws an object; one of another version of the schema is raw.
func drawObject(t *rapid.T, s, other *schema.Resource, raw bool) instance.Deposed {
	current := s
	if raw {
		s = other
	}
	d := instance.Deposed{
		State: cases.DrawValue(t, s.Block), SchemaVersion: s.Version,
		Private:             rapid.SliceOf(rapid.Byte()).Draw(t, "private"),
		Status:              rapid.SampledFrom([]instance.Status{instance.Full, instance.Tainted}).Draw(t, "status"),
		CreateBeforeDestroy: rapid.Bool().Draw(t, "createBeforeDestroy"),
	}
	if s.Identity != nil && rapid.IntRange(0, 3).Draw(t, "identity") > 0 {
		d.Identity, d.IdentityVersion = drawIdentity(t, s.Identity), s.Identity.Version
	}
	for _, name := range slices.Sorted(maps.Keys(s.Block.Attributes)) {
		if rapid.IntRange(0, 2).Draw(t, "sensitive") == 0 {
			d.SensitivePaths = append(d.SensitivePaths, drawPath(t, cty.GetAttrPath(name), d.State.GetAttr(name)))
		}
	}
	if !raw {
		return d
	}
	d.RawState, d.State = mustJSON(d.State, s.ImpliedType()), cty.NilVal
	if d.Identity != cty.NilVal && s.Identity.Version != current.Identity.Version {
		d.RawIdentity, d.Identity = mustJSON(d.Identity, s.IdentityType()), cty.NilVal
	}
	return d
}

// drawPath is a path, or one into a collection there.
func drawPath(t *rapid.T, path cty.Path, v cty.Value) cty.Path {
	if v.IsNull() || !v.CanIterateElements() || v.Type().IsSetType() || v.Type().IsObjectType() ||
		v.LengthInt() == 0 || rapid.Bool().Draw(t, "whole") {
		return path
	}
	for it := v.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		path = path.Index(key)
		break
	}
	return path
}

func drawIdentity(t *rapid.T, i *schema.Identity) cty.Value {
	values := map[string]cty.Value{}
	for _, name := range slices.Sorted(maps.Keys(i.Attributes)) {
		b := &schema.Block{Attributes: map[string]*schema.Attribute{"v": {Type: i.Attributes[name].Type, Optional: true}}}
		values[name] = cases.DrawValue(t, b).GetAttr("v")
	}
	return cty.ObjectVal(values)
}

func mustJSON(v cty.Value, t cty.Type) json.RawMessage {
	raw, err := wire.MarshalJSON(v, t)
	if err != nil {
		panic(err)
	}
	return raw
}

var sameInstance = cmp.Options{
	cmp.Comparer(func(a, b cty.Value) bool {
		if a == cty.NilVal || b == cty.NilVal {
			return (a == cty.NilVal || a.IsNull()) && (b == cty.NilVal || b.IsNull())
		}
		return a.RawEquals(b)
	}),
	cmp.Comparer(func(a, b cty.Path) bool { return a.Equals(b) }),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type() == reflect.TypeFor[json.RawMessage]() },
		cmp.FilterValues(func(a, b json.RawMessage) bool { return len(a) > 0 || len(b) > 0 },
			cmp.Comparer(func(a, b json.RawMessage) bool { return cmp.Equal(document(a), document(b)) }))),
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(tfstate.Kept{}, "OmitIdentityVersion"), // contract § 6
}

// document is a JSON document with its numbers as they are spelled.
func document(raw []byte) any {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		panic(err)
	}
	return out
}

// byAddress are instances by their addresses, deposed objects in the order of their keys.
func byAddress(resources []tfstate.ResourceBlock) map[string]tfstate.Instance {
	out := map[string]tfstate.Instance{}
	for _, r := range resources {
		for _, i := range r.Instances {
			i.Deposed = slices.SortedFunc(slices.Values(i.Deposed), func(a, b instance.Deposed) int { return strings.Compare(a.Key, b.Key) })
			out[address(r.Type, r.Name, i.IndexKey)] = i
		}
	}
	return out
}

func address(resourceType, name string, key any) string {
	switch key := key.(type) {
	case int64:
		return fmt.Sprintf("%s.%s[%d]", resourceType, name, key)
	case string:
		return fmt.Sprintf("%s.%s[%q]", resourceType, name, key)
	}
	return resourceType + "." + name
}

// What an instance holds, a state file holds, and tofu takes it, shows it, moves it and gives it
// back.
func TestStateRoundTrip(t *testing.T) {
	path, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	if err := differential.Quiet(); err != nil {
		t.Fatal(err)
	}
	e := drawEstate(80)
	served, err := cloud.Serve6(t.Context(), "hand", func() tfprotov6.ProviderServer {
		return &cloud.Hand{Run: func() cloud.Run { return e.run }}
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, err := tofu.New(path, dir, map[string]*plugin.ReattachConfig{string(cases.Hand): served})
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		t.Helper()
		out, err := program.Run(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write := func(serial uint64, resources []tfstate.ResourceBlock) {
		t.Helper()
		file, err := tfstate.Write(tfstate.State{TerraformVersion: "1.12.0", Lineage: "l", Serial: serial, Resources: resources}, e.schemas)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "pushed.tfstate"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		run("state", "push", "pushed.tfstate")
	}
	pull := func() []tfstate.ResourceBlock {
		t.Helper()
		s, err := tfstate.Read(run("state", "pull"), e.schemas)
		if err != nil {
			t.Fatal(err)
		}
		return s.Resources
	}
	compare := func(what string, want map[string]tfstate.Instance, options ...cmp.Option) {
		t.Helper()
		if diff := cmp.Diff(want, byAddress(pull()), append(options, sameInstance)...); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", what, diff)
		}
	}

	want := byAddress(e.resources)
	write(1, e.resources)
	compare("as it was pushed", want)
	write(3, pull()) // what tofu gave back is as good as what it was given
	compare("as it was pushed again", want)

	listed := strings.Split(strings.TrimSpace(string(run("state", "list"))), "\n")
	slices.Sort(listed)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), listed); diff != "" {
		t.Errorf("state list: -want, +got:\n%s", diff)
	}

	// tofu shows no object of another version of its schema.
	var old []string
	for a, i := range want {
		if len(i.RawState) > 0 {
			old = append(old, a)
		}
	}
	if len(old) == 0 {
		t.Fatal("there is no object of another version")
	}
	run(append([]string{"state", "rm"}, old...)...)
	for _, a := range old {
		delete(want, a) // and its deposed objects with it
	}
	compare("without those of other versions", want)

	shown := showAll(t, run("show", "-json"))
	for a, i := range want {
		if i.Exists() {
			compareShown(t, e, a, i.Depose(""), shown[a])
			delete(shown, a)
		}
		for _, d := range i.Deposed {
			compareShown(t, e, a, d, shown[a+" "+d.Key])
			delete(shown, a+" "+d.Key)
		}
	}
	if len(shown) > 0 {
		t.Errorf("show: there is more: %v", slices.Sorted(maps.Keys(shown)))
	}

	moved := 0
	for _, a := range slices.Sorted(maps.Keys(want)) {
		if moved == 5 {
			break
		}
		if i := want[a]; !i.Exists() || len(i.Deposed) == 0 {
			continue
		}
		moved++
		if out := string(run("state", "show", "-no-color", a)); !strings.HasPrefix(out, "# "+a+":") {
			t.Errorf("state show %s: %s", a, out)
		}
		to := strings.Replace(a, ".x", ".y", 1)
		run("state", "mv", a, to)
		want[to] = want[a]
		delete(want, a)
	}
	if moved < 5 {
		t.Errorf("only %d were moved", moved)
	}
	compare("after moves", want, cmpopts.IgnoreFields(tfstate.Kept{}, "Dependencies")) // which tofu forgets of what depends on what it moved
}

// shown is an object as `tofu show -json` has it.
type shown struct {
	Address         string
	DeposedKey      string `json:"deposed_key"`
	SchemaVersion   int64  `json:"schema_version"`
	Values          json.RawMessage
	SensitiveValues any `json:"sensitive_values"`
	Tainted         bool
	DependsOn       []string `json:"depends_on"`
	IdentityVersion int64    `json:"identity_schema_version"`
	Identity        json.RawMessage
}

func showAll(t *testing.T, raw []byte) map[string]*shown {
	t.Helper()
	var out struct {
		Values struct {
			RootModule struct{ Resources []*shown } `json:"root_module"`
		}
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	all := map[string]*shown{}
	for _, r := range out.Values.RootModule.Resources {
		all[strings.TrimSpace(r.Address+" "+r.DeposedKey)] = r
	}
	return all
}

func compareShown(t *testing.T, e *estate, address string, d instance.Deposed, got *shown) {
	t.Helper()
	if got == nil {
		t.Errorf("%s %s is not shown", address, d.Key)
		return
	}
	values, err := ctyjson.Marshal(d.State, d.State.Type())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document(values), document(got.Values)); diff != "" {
		t.Errorf("%s: values: -want, +got:\n%s", address, diff)
	}
	if got.SchemaVersion != d.SchemaVersion && d.Key == "" || got.Tainted != (d.Status == instance.Tainted) ||
		got.IdentityVersion != d.IdentityVersion {
		t.Errorf("%s: got %+v", address, got)
	}
	var identity []byte
	if d.Identity != cty.NilVal {
		identity = mustJSON(d.Identity, d.Identity.Type())
	}
	if diff := cmp.Diff(document(identity), document(got.Identity)); diff != "" {
		t.Errorf("%s: identity: -want, +got:\n%s", address, diff)
	}
	for _, path := range d.SensitivePaths {
		if !isMarked(got.SensitiveValues, path) {
			t.Errorf("%s: %#v is not sensitive in %v", address, path, got.SensitiveValues)
		}
	}
}

// isMarked reports whether what is at a path, or around it, is sensitive.
func isMarked(v any, path cty.Path) bool {
	for _, step := range path {
		if v == true {
			return true
		}
		switch step := step.(type) {
		case cty.GetAttrStep:
			v = v.(map[string]any)[step.Name]
		case cty.IndexStep:
			if step.Key.Type() == cty.String {
				v = v.(map[string]any)[step.Key.AsString()]
				continue
			}
			i, _ := step.Key.AsBigFloat().Int64()
			v = v.([]any)[i]
		}
	}
	return v == true
}
