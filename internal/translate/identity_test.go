package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func identity(account, region string, path ...string) cty.Value {
	r := cty.NullVal(cty.String)
	if region != "" {
		r = cty.StringVal(region)
	}
	p := cty.NullVal(cty.List(cty.String))
	for i, x := range path {
		if i == 0 {
			p = cty.ListVal([]cty.Value{cty.StringVal(x)})
			continue
		}
		p = cty.ListVal(append(p.AsValueSlice(), cty.StringVal(x)))
	}
	return cty.ObjectVal(map[string]cty.Value{"account_id": cty.StringVal(account), "number": cty.NumberIntVal(7), "region": r, "path": p})
}

func TestImportIdentity(t *testing.T) {
	t.Parallel()
	p := everything(t)
	tests := map[string]struct {
		in    map[string]any
		plain bool
		want  cty.Value
		err   string
	}{
		"required only": {in: map[string]any{"accountId": "a", "number": int64(7)}, want: identity("a", "")},
		"all": {
			in:   map[string]any{"accountId": "a", "number": int64(7), "region": "r", "path": []any{"x", "y"}},
			want: identity("a", "r", "x", "y"),
		},
		"optional null": {in: map[string]any{"accountId": "a", "number": int64(7), "region": nil}, want: identity("a", "")},
		"converted":     {in: map[string]any{"accountId": "a", "number": "7"}, want: identity("a", "")},
		"required missing": {
			in: map[string]any{"accountId": "a"},
			err: "spec.import.identity.number: Invalid import identity argument: The attribute is required " +
				"to import Thing.",
		},
		"required null": {
			in: map[string]any{"accountId": nil, "number": int64(7)},
			err: "spec.import.identity.accountId: Invalid import identity argument: The attribute is required and " +
				"cannot be null to import Thing.",
		},
		"unknown key": {
			in:  map[string]any{"accountId": "a", "number": int64(7), "colour": "red"},
			err: "spec.import.identity.colour: Unsupported argument: There is no such field.",
		},
		"wrong type": {
			in:  map[string]any{"accountId": "a", "number": "x"},
			err: `spec.import.identity.number: Incorrect attribute value type: It must be a number, not the string "x".`,
		},
		"wrong in a list": {
			in:  map[string]any{"accountId": "a", "number": int64(7), "path": []any{[]any{}}},
			err: "spec.import.identity.path[0]: Incorrect attribute value type: It must be a string, not a list.",
		},
		"no identity schema": {
			in: map[string]any{"id": "x"}, plain: true,
			err: "Unsupported import by identity: everything_plain has no identity. Use spec.import.id instead.",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := p.Resources["everything_thing"]
			if test.plain {
				r = p.Resources["everything_plain"]
			}
			got, diags := translate.ImportIdentity(r, test.in)
			if test.err != "" {
				if len(diags) != 1 {
					t.Fatalf("got %v", diags)
				}
				text := diags[0].Format(func(path cty.Path) string { return translate.IdentityPath(r, path) })
				if diff := cmp.Diff(test.err, text); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
				return
			}
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if !got.RawEquals(test.want) {
				t.Errorf("got %#v", got)
			}
			// What is shown can be given again.
			again, diags := translate.ImportIdentity(r, translate.Identity(r, got))
			if len(diags) > 0 || !again.RawEquals(got) {
				t.Errorf("%v %#v", diags, again)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	r := thing(t)
	want := map[string]any{"accountId": "a", "number": int64(7), "path": []any{"x"}}
	if diff := cmp.Diff(want, translate.Identity(r, identity("a", "", "x"))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := translate.Identity(r, cty.NilVal); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestCanonicalIdentity(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]cty.Value{
		"":                      cty.NilVal,
		"account_id=a,number=7": identity("a", ""),
		`account_id=a,number=7,path=["x","y=,"],region=r`: identity("a", "r", "x", "y=,"),
		`account_id="a,number=8",number=7`:                identity("a,number=8", ""),
	} {
		if got := translate.CanonicalIdentity(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParseIdentity(t *testing.T) {
	t.Parallel()
	r := everything(t).Resources["everything_thing"]
	for text, want := range map[string]cty.Value{
		"account_id=a,number=7":                           identity("a", ""),
		`account_id=a,number=7,path=["x","y=,"],region=r`: identity("a", "r", "x", "y=,"),
		`account_id="a,number=8",number=7`:                identity("a,number=8", ""),
		`region=r,number=7,account_id="a"`:                identity("a", "r"),
		"":                                                cty.NilVal,
		"i-1":                                             cty.NilVal, // an id
		"projects/p=1":                                    cty.NilVal,
		"account_id=a":                                    cty.NilVal, // number is required
		"account_id=a,number=seven":                       cty.NilVal,
		"account_id=a,number=7,account_id=b":              cty.NilVal,
		"account_id=a,number=7,other=x":                   cty.NilVal,
		"account_id=a,number=7,":                          cty.NilVal,
		`account_id="a"b,number=7`:                        cty.NilVal,
		`account_id="a,number=7`:                          cty.NilVal,
		`account_id=a,number=7,path=["x"`:                 cty.NilVal,
	} {
		if got := translate.ParseIdentity(r, text); (got == cty.NilVal) != (want == cty.NilVal) || got != cty.NilVal && !got.RawEquals(want) {
			t.Errorf("%s: got %#v, want %#v", text, got, want)
		}
	}
}

func TestParseIdentityProperty(t *testing.T) {
	t.Parallel()
	r := everything(t).Resources["everything_thing"]
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[,="\[\]a-z\\]*`))
		region := text.Draw(t, "region")
		want := identity(text.Draw(t, "account"), region, rapid.SliceOf(text).Draw(t, "path")...)
		got := translate.ParseIdentity(r, translate.CanonicalIdentity(want))
		if got == cty.NilVal || !got.RawEquals(want) {
			t.Fatalf("%s: got %#v, want %#v", translate.CanonicalIdentity(want), got, want)
		}
	})
}

func TestExternalName(t *testing.T) {
	t.Parallel()
	str, num := cty.StringVal, cty.NumberIntVal
	attributes := map[string]*schema.Attribute{
		"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Required: true}, "number": {Type: cty.Number, Computed: true},
	}
	one := &schema.Identity{
		Attributes: map[string]*schema.IdentityAttribute{
			"key": {Type: cty.Number, RequiredForImport: true}, "region": {Type: cty.String, OptionalForImport: true},
		},
	}
	two := &schema.Identity{
		Attributes: map[string]*schema.IdentityAttribute{
			"a": {Type: cty.String, RequiredForImport: true}, "b": {Type: cty.String, RequiredForImport: true},
		},
	}
	state := cty.ObjectVal(map[string]cty.Value{"id": str("i"), "name": str("n"), "number": num(5)})
	secret := map[string]*schema.Attribute{
		"id": {Type: cty.String, Computed: true, Sensitive: true}, "name": {Type: cty.String, Required: true},
		"number": {Type: cty.Number, Computed: true},
	}
	tests := map[string]struct {
		attributes      map[string]*schema.Attribute
		schema          *schema.Identity
		config          config.Resource
		state, identity cty.Value
		want            string
	}{
		"id":         {state: state, want: "i"},
		"nothing":    {},
		"null state": {state: cty.NullVal(state.Type())},
		"unknown id": {
			state: cty.ObjectVal(map[string]cty.Value{
				"id": cty.UnknownVal(cty.String), "name": str("n"), "number": num(5),
			}),
		},
		"sensitive id": {attributes: secret, state: state},
		"configured":   {config: config.Resource{ExternalName: &config.ExternalName{Attribute: "number"}}, state: state, want: "5"},
		"configured before identity": {
			config: config.Resource{ExternalName: &config.ExternalName{Attribute: "name"}}, schema: one, state: state,
			identity: cty.ObjectVal(map[string]cty.Value{"key": num(9), "region": str("r")}), want: "n",
		},
		"one required": {
			schema: one, state: state,
			identity: cty.ObjectVal(map[string]cty.Value{"key": num(9), "region": str("r")}), want: "9",
		},
		"whole identity": {
			schema: two, state: state, identity: cty.ObjectVal(map[string]cty.Value{"a": str("1"), "b": str("2")}),
			want: "a=1,b=2",
		},
		"identity not known": {schema: two, state: state, identity: cty.NilVal, want: "i"},
		"identity with unknowns": {
			schema: two, state: state,
			identity: cty.ObjectVal(map[string]cty.Value{"a": str("1"), "b": cty.UnknownVal(cty.String)}), want: "i",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.attributes == nil {
				test.attributes = attributes
			}
			p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
				"test_thing": {Type: "test_thing", Block: &schema.Block{Attributes: test.attributes}, Identity: test.schema},
			}}, config.Provider{Resources: map[string]config.Resource{"test_thing": test.config}})
			if err != nil {
				t.Fatal(err)
			}
			if got := translate.ExternalName(p.Resources["test_thing"], test.state, test.identity); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Numbers of identities are exact as text, in both directions, where the configuration says so.
// Otherwise those that JSON cannot hold are told.
func TestIdentityNumbers(t *testing.T) {
	t.Parallel()
	configure := func(fields map[string]config.Field) (*model.Provider, error) {
		return model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": {
			Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{"number": {Type: cty.Number, Required: true}}},
			Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
				"number": {Type: cty.Number, RequiredForImport: true}, "all": {Type: cty.List(cty.Number), OptionalForImport: true},
			}},
		}}}, config.Provider{Resources: map[string]config.Resource{"test_thing": {Fields: fields}}})
	}
	made := func(fields map[string]config.Field) *model.Resource {
		p, err := configure(fields)
		if err != nil {
			t.Fatal(err)
		}
		return p.Resources["test_thing"]
	}
	for _, wrong := range []config.Field{{Type: config.FieldInteger}, {Type: config.FieldString, Name: "every"}} {
		_, err := configure(map[string]config.Field{"all": wrong})
		want := "resources.test_thing.fields.all: all is an attribute of the identity only, of which the type can be configured to be string"
		if err == nil || err.Error() != want {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	plain, text := made(nil), made(map[string]config.Field{"number": {Type: config.FieldString}, "all": {Type: config.FieldString}})
	for number, held := range map[string]bool{
		"0": true, "0.1": true, "-7.25": true, "9223372036854775807": true, "9223372036854775808": false, "18446744073709551615": false,
		"1000000000000000000000000000000": true, "1000000000000000000000000000001": false,
		"0.12345678901234567890123456789": false, "-123456789.987654321987654321": false,
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			v := cty.MustParseNumberVal(number)
			identity := cty.ObjectVal(map[string]cty.Value{"number": v, "all": cty.ListVal([]cty.Value{v})})
			if told := len(translate.Rounded(plain, cty.NilVal, identity)) > 0; told == held {
				t.Errorf("told that digits are lost: %t", told)
			}
			got := translate.Identity(text, identity)
			if diff := cmp.Diff(map[string]any{"number": number, "all": []any{number}}, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if told := translate.Rounded(text, cty.NilVal, identity); told != nil {
				t.Errorf("told: %q", told)
			}
			back, diags := translate.ImportIdentity(text, got)
			if diags.HasErrors() || !back.RawEquals(identity) {
				t.Errorf("imported by %#v: %v", back, diags.Err())
			}
		})
	}
}
