package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func TestUserPath(t *testing.T) {
	t.Parallel()
	r := thing(t)
	root := cty.Path(nil)
	tests := map[string]struct {
		path cty.Path
		want string
	}{
		"resource":  {root, "spec.forProvider"},
		"attribute": {root.GetAttr("name"), "spec.forProvider.name"},
		"collision": {root.GetAttr("vpc_id"), "spec.forProvider.vpc_id"},
		"computed":  {root.GetAttr("result"), "status.atProvider.result"},
		"secret":    {root.GetAttr("password"), "spec.forProvider.passwordSecretRef"},
		"list":      {root.GetAttr("list_block").IndexInt(1).GetAttr("max_age_days"), "spec.forProvider.listBlock[1].maxAgeDays"},
		"singleton": {
			root.GetAttr("singleton_list").IndexInt(0).GetAttr("deep").IndexInt(0).GetAttr("token"),
			"spec.forProvider.singletonList.deep.tokenSecretRef",
		},
		"set element": {root.GetAttr("set_block").Index(cty.StringVal("hunter2")).GetAttr("label"), "spec.forProvider.setBlock[*].label"},
		"secret map":  {root.GetAttr("settings").IndexString("hunter2"), "spec.forProvider.settingsSecretRef[*]"},
		"map":         {root.GetAttr("tags").IndexString("a_b"), `spec.forProvider.tags["a_b"]`},
		"object":      {root.GetAttr("named_endpoints").IndexString("x").GetAttr("host_name"), `spec.forProvider.namedEndpoints["x"].hostName`},
		"anything":    {root.GetAttr("anything").GetAttr("snake_case").IndexInt(0), "spec.forProvider.anything.snake_case[0]"},
		"tuple":       {root.GetAttr("pair").IndexInt(1), "spec.forProvider.pair[1]"},
		"unheard of":  {root.GetAttr("no_such").GetAttr("thing"), "spec.forProvider.no_such.thing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := translate.UserPath(r, test.path); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestIgnoreChanges(t *testing.T) {
	t.Parallel()
	r := thing(t)
	tests := map[string]struct {
		in   string
		want string // in Terraform's spelling
		err  string
	}{
		"field":                {in: "size", want: "size"},
		"Terraform's spelling": {in: "list_block[0].max_age_days", want: "list_block[0].max_age_days"},
		"nested":               {in: "listBlock[0].deep.maxAgeDays", want: "list_block[0].deep[0].max_age_days"},
		"secret by reference":  {in: "passwordSecretRef", want: "password"},
		"secret by name":       {in: "password", want: "password"},
		"key":                  {in: `tags["a.b"]`, want: `tags["a.b"]`},
		"key after a dot":      {in: "tags.team", want: `tags["team"]`},
		"key without quotes":   {in: "tags[team]", want: `tags["team"]`},
		"inside anything":      {in: "anything.a_b[0]", want: "anything.a_b[0]"},
		"tuple":                {in: "pair[1]", want: "pair[1]"},
		"set":                  {in: "setBlock", want: "set_block"},
		"set element":          {in: "setBlock[0]", err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "setBlock[0]": the elements of a set cannot be named; name setBlock itself.`},
		"singleton set":        {in: "singletonSet.label", err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "singletonSet.label": the fields of singletonSet cannot be selected; name singletonSet itself.`},
		"unknown": {
			in:  "listBlock[0].colour",
			err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "listBlock[0].colour": there is no field colour.`,
		},
		"inside a string": {in: "name.x", err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "name.x": name has no fields.`},
		"no index":        {in: "zones.x", err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "zones.x": x is not a list index.`},
		"empty":           {in: "", err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "": a name is missing.`},
		"open bracket": {
			in:  `tags["a`,
			err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "tags[\"a": a quoted key has no closing quote.`,
		},
		"dot at the end": {in: "tags.", err: `Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "tags.": a name is missing.`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, paths, diags := translate.IgnoreChanges(r, []string{test.in})
			if all {
				t.Error("all is set")
			}
			if test.err != "" {
				if diff := cmp.Diff(test.err, diags.String()); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
				return
			}
			if len(diags) > 0 || len(paths) != 1 {
				t.Fatalf("%v %v", diags, paths)
			}
			if got := diagnostic.FormatPath(paths[0]); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if all, paths, diags := translate.IgnoreChanges(r, []string{"*", "name"}); !all || len(paths) != 1 || len(diags) > 0 {
		t.Error(all, paths, diags)
	}
}

// paths are all paths in a value that have a spelling: none into sets, dynamically typed values and
// secret maps.
func paths(t *model.Type, v cty.Value, secret bool, at cty.Path, out *[]cty.Path) {
	if len(at) > 0 {
		*out = append(*out, at.Copy())
	}
	if v.IsNull() || t.Kind == model.Set || t.Kind == model.Dynamic || secret && t.Kind == model.Map || t.IsPrimitive() {
		return
	}
	if t.Kind == model.Object {
		for _, f := range t.Object.All {
			paths(f.Type, v.GetAttr(f.Name), secret || f.Secret(), at.Copy().GetAttr(f.Name), out)
		}
		return
	}
	i := 0
	for it := v.ElementIterator(); it.Next(); i++ {
		k, x := it.Element()
		element := t.Element
		if t.Kind == model.Tuple {
			element = t.Tuple[i]
		}
		switch {
		case t.Singleton:
			// The element has the spelling of the block itself.
			for _, f := range element.Object.All {
				paths(f.Type, x.GetAttr(f.Name), secret || f.Secret(), at.Copy().Index(k).GetAttr(f.Name), out)
			}
		case t.Kind == model.Map && v.Type().IsObjectType():
			paths(element, x, secret, at.Copy().GetAttr(k.AsString()), out)
		default:
			paths(element, x, secret, at.Copy().Index(k), out)
		}
	}
}

func TestFieldPathsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		r := resource(t, b, config.Resource{})
		var all []cty.Path
		paths(r.Root(), schematest.Value(t, b), false, nil, &all)
		for _, p := range all {
			text := translate.FieldPath(r, p)
			back, err := r.ParseFieldPath(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if !back.Equals(p) {
				t.Fatalf("%s: got %s, want %s", text, diagnostic.FormatPath(back), diagnostic.FormatPath(p))
			}
		}
	})
}

// Keys of values of no fixed type may be anything.
func TestKeysOfDynamicValuesComeBack(t *testing.T) {
	t.Parallel()
	r := resource(t, &schema.Block{
		Attributes: map[string]*schema.Attribute{"any_of": {Type: cty.DynamicPseudoType, Optional: true}},
	}, config.Resource{})
	root := cty.GetAttrPath("any_of")
	for name, test := range map[string]struct {
		path cty.Path
		text string
	}{
		"a name":               {root.GetAttr("key_1"), "anyOf.key_1"},
		"digits":               {root.GetAttr("0"), "anyOf.0"},
		"an index":             {root.IndexInt(0), "anyOf[0]"},
		"what looks like more": {root.IndexInt(0).GetAttr("a.b/c").GetAttr("x"), `anyOf[0]["a.b/c"].x`},
		"brackets":             {root.GetAttr("a[0]"), `anyOf["a[0]"]`},
		"quotes":               {root.GetAttr(`."`), `anyOf[".\""]`},
		"nothing":              {root.GetAttr(""), `anyOf[""]`},
	} {
		text := translate.FieldPath(r, test.path)
		if text != test.text {
			t.Errorf("%s: got %s, want %s", name, text, test.text)
		}
		if back, err := r.ParseFieldPath(text); err != nil || !back.Equals(test.path) {
			t.Errorf("%s: %s is read as %#v, %v", name, text, back, err)
		}
	}
}

// A diagnostic about an attribute of an identity that was given for an import names it in
// spec.import.identity.
func TestMessageOfIdentity(t *testing.T) {
	t.Parallel()
	d := diagnostic.AttributeErrorf(cty.GetAttrPath("account_id"), "Invalid account", "There is none.")
	if got, want := translate.Message(thing(t), d), "spec.forProvider.account_id: Invalid account: There is none."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d[0].OfIdentity = true
	if got, want := translate.Message(thing(t), d), "spec.import.identity.accountId: Invalid account: There is none."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
