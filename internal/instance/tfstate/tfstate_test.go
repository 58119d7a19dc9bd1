package tfstate_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func schemas() tfstate.Schemas {
	return tfstate.Of(&schema.Provider{Resources: map[string]*schema.Resource{"test_thing": {
		Type: "test_thing", Version: 2,
		Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"name":   {Type: cty.String, Optional: true},
			"size":   {Type: cty.Number, Optional: true},
			"labels": {Type: cty.Map(cty.String), Optional: true},
		}},
		Identity: &schema.Identity{Version: 1, Attributes: map[string]*schema.IdentityAttribute{
			"id": {Type: cty.String, RequiredForImport: true},
		}},
	}}})
}

func read(t *testing.T, name string, schemas tfstate.Schemas) (tfstate.State, string) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tfstate.Read(b, schemas)
	if err != nil {
		t.Fatal(err)
	}
	return s, string(b)
}

// A state file by Terraform is written back byte for byte. The same file after OpenTofu 1.12 has
// rewritten it, with its fields in another order, is written back without loss.
func TestReadWrite(t *testing.T) {
	for name, schemas := range map[string]tfstate.Schemas{"with schemas": schemas(), "without schemas": nil} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"terraform.tfstate", "opentofu.tfstate"} {
				s, want := read(t, file, schemas)
				got, err := tfstate.Write(s, schemas)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(document(t, want), document(t, string(got))); diff != "" {
					t.Errorf("%s: %s", file, diff)
				}
				if diff := cmp.Diff(want, string(got)); file == "terraform.tfstate" && diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// document returns a JSON document whose numbers keep their digits.
func document(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRead(t *testing.T) {
	s, _ := read(t, "terraform.tfstate", schemas())
	if s.Serial != 7 || s.TerraformVersion != "1.15.9" || !strings.HasPrefix(s.Lineage, "0f1e") || len(s.Resources) != 3 {
		t.Fatalf("read %+v", s)
	}
	thing := s.Resources[1]
	if thing.Module != `module.m["x"]` || len(thing.Instances) != 2 {
		t.Fatalf("read %+v", thing)
	}
	got := thing.Instances[0]
	want := instance.Instance{
		State: cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal("a"), "size": cty.MustParseNumberVal("12345678901234567890"),
			"labels": cty.MapVal(map[string]cty.Value{"x": cty.StringVal("y")}),
		}),
		SchemaVersion: 2, IdentityVersion: 1,
		Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("i-1")}),
		Private:  []byte(`{"schema_version":"2"}`), Status: instance.Tainted, CreateBeforeDestroy: true,
		SensitivePaths: []cty.Path{cty.GetAttrPath("labels").IndexString("x")},
	}
	deposed := got.Deposed
	got.Deposed = nil
	if diff := cmp.Diff(want, got.Instance, equal); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"test_other.a", "test_other.b"}, got.Dependencies); diff != "" {
		t.Error(diff)
	}
	if len(deposed) != 1 || deposed[0].Key != "0a1b2c3d" || deposed[0].SchemaVersion != 1 ||
		!deposed[0].Instance().Exists() || len(deposed[0].RawState) == 0 {
		t.Errorf("deposed: %+v", deposed)
	}
	if thing.Instances[0].IndexKey != int64(0) || thing.Instances[1].IndexKey != "east" || thing.Instances[1].Status != instance.Full {
		t.Errorf("instances: %+v", thing.Instances)
	}
	if unknown := s.Resources[2].Instances[0]; string(unknown.RawIdentity) == "" || unknown.IdentityVersion != 9 {
		t.Errorf("without a schema: %+v", unknown)
	}
}

var equal = cmp.Options{
	cmp.Comparer(func(a, b cty.Value) bool {
		if a == cty.NilVal || b == cty.NilVal {
			return (a == cty.NilVal || a.IsNull()) && (b == cty.NilVal || b.IsNull())
		}
		return a.RawEquals(b)
	}),
	cmp.Comparer(func(a, b cty.Path) bool { return a.Equals(b) }),
	cmpopts.EquateEmpty(),
}

func TestReadErrors(t *testing.T) {
	resource := func(instances string) string {
		return `{"version":4,"resources":[{"mode":"managed","type":"test_thing","name":"t","instances":[` + instances + `]}]}`
	}
	tests := map[string]struct{ in, want string }{
		"not JSON":     {`hunter2`, "malformed JSON"},
		"null":         {`null`, "it is null"},
		"older format": {`{"version":3}`, "format version 3, where only 4 can be read. Let Terraform 1.0 or newer"},
		"newer format": {`{"version":5}`, "format version 5, where only 4 can be read. A newer version of Terraform"},
		"encrypted": {
			`{"serial":1,"lineage":"l","meta":{"k":"hunter2"},"encrypted_data":"hunter2","encryption_version":"v0"}`,
			"encrypted by OpenTofu. Give the output of tofu state pull",
		},
		"wrong type":          {`{"version":4,"serial":"hunter2"}`, "the field serial has the wrong type"},
		"resource":            {`{"version":4,"resources":["hunter2"]}`, "resource 0: malformed JSON"},
		"instance":            {resource(`"hunter2"`), "test_thing.t, instance 0: malformed JSON"},
		"instance field":      {resource(`{"private":7}`), "the field private has the wrong type"},
		"Terraform 0.11":      {resource(`{"attributes_flat":{"id":"1"}}`), "Terraform 0.11"},
		"status":              {resource(`{"status":"planned"}`), "unknown status"},
		"index key":           {resource(`{"index_key":1.5}`), "neither a whole number nor a string"},
		"same index key":      {resource(`{"index_key":1},{"index_key":1}`), "another object of the same index key"},
		"same deposed key":    {resource(`{"deposed":"0a1b2c3d"},{"deposed":"0a1b2c3d"}`), "another deposed object"},
		"sensitive attribute": {resource(`{"sensitive_attributes":[[{"type":"splat"}]]}`), "the field sensitive_attributes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := tfstate.Read([]byte(test.in), schemas())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells a value: %s", err)
			}
		})
	}
}

func TestWriteErrors(t *testing.T) {
	value := instance.Instance{State: cty.StringVal("x"), Status: instance.Full}
	write := func(i tfstate.Instance, s tfstate.Schemas) error {
		_, err := tfstate.Write(tfstate.State{
			Resources: []tfstate.ResourceBlock{{Mode: "managed", Type: "test_thing", Instances: []tfstate.Instance{i}}},
		}, s)
		return err
	}
	if err := write(tfstate.Instance{Instance: value}, nil); err == nil {
		t.Error("a value without a schema was written")
	}
	if err := write(tfstate.Instance{Instance: value}, schemas()); err == nil {
		t.Error("a value of another type was written")
	}
	if err := write(tfstate.Instance{IndexKey: 1.5, Instance: instance.Instance{Status: instance.Full}}, schemas()); err == nil {
		t.Error("a strange index key was written")
	}
	if err := write(tfstate.Instance{
		Instance: instance.Instance{Status: instance.Full},
		Kept:     tfstate.Kept{Extra: map[string]json.RawMessage{"attributes": json.RawMessage("1")}},
	}, schemas()); err == nil {
		t.Error("a field was written twice")
	}
}

// Reading a written instance returns the same instance, as far as the format has its fields.
func TestWriteReadProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &schema.Resource{Type: "test_thing", Version: 2, Block: schematest.Block(t)}
		find := func(string) *schema.Resource { return r }
		object := func(label string) instance.Deposed {
			return instance.Deposed{
				State: schematest.Value(t, r.Block), SchemaVersion: 2,
				Private: rapid.SliceOf(rapid.Byte()).Draw(t, label),
				Status:  rapid.SampledFrom([]instance.Status{instance.Full, instance.Tainted}).Draw(t, "status"),
			}
		}
		in := tfstate.Instance{Instance: object("private").Instance()}
		in.IndexKey = rapid.SampledFrom([]any{nil, int64(3), "x"}).Draw(t, "index key")
		in.CreateBeforeDestroy = rapid.Bool().Draw(t, "create_before_destroy")
		in.Dependencies = rapid.SliceOf(rapid.String()).Draw(t, "dependencies")
		for _, key := range rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{8}`), 0, 2, rapid.ID).Draw(t, "deposed") {
			d := object("deposed private")
			d.Key = key
			in.Deposed = append(in.Deposed, d)
			if in.KeptDeposed == nil {
				in.KeptDeposed = map[string]tfstate.Kept{}
			}
			in.KeptDeposed[key] = tfstate.Kept{Dependencies: rapid.SliceOf(rapid.String()).Draw(t, "dependencies")}
		}
		state := tfstate.State{
			Lineage: "l", Serial: 1, Resources: []tfstate.ResourceBlock{{
				Mode: "managed", Type: "test_thing", Name: "t", Instances: []tfstate.Instance{in},
			}},
		}
		b, err := tfstate.Write(state, find)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tfstate.Read(b, find)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(in, got.Resources[0].Instances[0], equal); diff != "" {
			t.Fatalf("%s\n%s", diff, b)
		}
		again, err := tfstate.Write(got, find)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(b) {
			t.Fatalf("first %s\nthen %s", b, again)
		}
	})
}

// Reading any bytes neither panics nor loses accepted values.
func FuzzRead(f *testing.F) {
	b, err := os.ReadFile("testdata/terraform.tfstate")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"version":4}`))
	f.Add([]byte(`{"version":4,"resources":[{"mode":"managed","type":"test_thing","instances":[{"index_key":1,"attributes":{"size":1e9}}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := tfstate.Read(b, schemas())
		if err != nil {
			return
		}
		first, err := tfstate.Write(s, schemas())
		if err != nil {
			t.Fatalf("read, but cannot be written: %s", err)
		}
		again, err := tfstate.Read(first, schemas())
		if err != nil {
			t.Fatalf("cannot be read again: %s\n%s", err, first)
		}
		second, err := tfstate.Write(again, schemas())
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Fatalf("first %s\nthen %s", first, second)
		}
	})
}
