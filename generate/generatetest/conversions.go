package generatetest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/testing/evolutiontest"
)

// Conversions tests the kinds with several API versions whose CRDs are in a directory. Any object
// has the fields and types of each version that it is converted to, and a round trip over any
// versions does not change it.
func Conversions(t *testing.T, crds string) {
	t.Helper()
	kinds := converted(t, crds)
	if len(kinds) == 0 {
		t.Fatalf("no kind in %s has several API versions: run make generate", crds)
	}
	for _, k := range kinds {
		t.Run(k.definition.Spec.Names.Kind, rapid.MakeCheck(k.roundTrip))
	}
}

// FuzzConversions is Conversions for "go test -fuzz".
func FuzzConversions(f *testing.F, crds string) {
	f.Helper()
	kinds := converted(f, crds)
	if len(kinds) == 0 {
		f.Fatalf("no kind in %s has several API versions: run make generate", crds)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		rapid.SampledFrom(kinds).Draw(t, "kind").roundTrip(t)
	}))
}

// convertedKind is a kind with several API versions.
type convertedKind struct {
	definition *apiextensionsv1.CustomResourceDefinition
	converter  *evolution.Converter
	versions   []*apiVersion
	// forgets is set if a field is in a Secret in one version and in the object in another. A round
	// trip loses its value.
	forgets bool
}

// apiVersion is one version of a kind.
type apiVersion struct {
	*evolution.Kind
	validator  validation.SchemaValidator
	structural *structural.Structural
}

func (k *convertedKind) String() string { return k.definition.Name }

// converted returns the kinds in a directory that have several versions, sorted by name.
func converted(t testing.TB, crds string) []*convertedKind {
	t.Helper()
	all := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, d := range readCRDs(t, crds) {
		if len(d.Spec.Versions) > 1 {
			all[d.Name] = d
		}
	}
	var out []*convertedKind
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		if d.Spec.Conversion == nil || d.Spec.Conversion.Strategy != apiextensionsv1.WebhookConverter {
			t.Errorf("%s has several versions, and no webhook that converts between them", name)
		}
		k := &convertedKind{definition: d}
		var err error
		if k.converter, err = evolution.NewConverter(d); err != nil {
			t.Fatal(err)
		}
		for _, v := range k.converter.Versions() {
			kind, err := evolution.FromDefinition(d, v)
			if err != nil {
				t.Fatal(err)
			}
			of := &apiVersion{Kind: kind}
			internal := &apiextensions.JSONSchemaProps{}
			if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version(d, v), internal, nil); err != nil {
				t.Fatal(err)
			}
			if of.structural, err = structural.NewStructural(internal); err != nil {
				t.Fatal(err)
			}
			if of.validator, _, err = validation.NewSchemaValidator(internal); err != nil {
				t.Fatal(err)
			}
			k.versions = append(k.versions, of)
		}
		for _, a := range k.versions {
			for _, b := range k.versions {
				k.forgets = k.forgets || slices.ContainsFunc(evolution.CompareKind(a.Kind, b.Kind), func(c evolution.Change) bool {
					return c.Change == evolution.BecameSensitive
				})
			}
		}
		out = append(out, k)
	}
	return out
}

// roundTrip generates an object of one version, converts it to others and back, and compares the
// two.
func (k *convertedKind) roundTrip(t *rapid.T) {
	from := rapid.SampledFrom(k.versions).Draw(t, "version")
	object := map[string]any{
		"apiVersion": from.Group + "/" + from.Version, "kind": from.Kind.Kind,
		"metadata": map[string]any{"name": "a", "annotations": map[string]any{"mine": "x"}},
	}
	for part, n := range from.Parts {
		if part == evolution.ImportIdentity && !rapid.Bool().Draw(t, "import") {
			continue
		}
		at := object
		steps := strings.Split(part, ".")
		for _, step := range steps[:len(steps)-1] {
			next, ok := at[step].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[step] = next
			}
			at = next
		}
		at[steps[len(steps)-1]] = evolutiontest.Value(t, n)
	}
	object = through(t, object)
	fits := len(from.problems(object)) == 0
	shown := object
	for range rapid.IntRange(1, 2*len(k.versions)).Draw(t, "conversions") {
		to := rapid.SampledFrom(k.versions).Draw(t, "to")
		shown = k.convert(t, shown, to.Version)
		if problems := to.problems(shown); fits && len(problems) > 0 {
			t.Fatalf("as %s: %s\n%v", to.Version, strings.Join(problems, "\n"), shown)
		}
	}
	shown = k.convert(t, shown, from.Version)
	if k.forgets {
		return
	}
	// Controllers rewrite the status.
	delete(object, "status")
	delete(shown, "status")
	if diff := cmp.Diff(object, shown); diff != "" {
		t.Fatalf("it does not come back as it was: -before, +after:\n%s", diff)
	}
}

func (k *convertedKind) convert(t *rapid.T, object map[string]any, to string) map[string]any {
	out, err := k.converter.Convert(object, to)
	if err != nil {
		t.Fatal(err)
	}
	return through(t, out)
}

// problems returns the unknown fields and wrong types of an object in a version. Missing fields are
// no problem, since the other version may not have them.
func (v *apiVersion) problems(object map[string]any) []string {
	var out []string
	for _, err := range validation.ValidateCustomResource(nil, object, v.validator) {
		if strings.Contains(err.Error(), "must be of type") {
			out = append(out, err.Error())
		}
	}
	pruned := runtime.DeepCopyJSON(object)
	for _, unknown := range pruning.PruneWithOptions(pruned, v.structural, true,
		structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		out = append(out, "there is no field "+unknown)
	}
	return out
}

// through returns an object as decoded by the API server.
func through(t *rapid.T, object map[string]any) map[string]any {
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
