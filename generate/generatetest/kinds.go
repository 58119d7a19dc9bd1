package generatetest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Kinds tests the Go types: each kind of the CRDs in a directory is registered, and its type and
// its deep copies keep an object with every field of the CRD unchanged.
func Kinds(t *testing.T, crds string, addToScheme func(*runtime.Scheme) error) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := addToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for kind, d := range readCRDs(t, crds) {
		t.Run(kind.Kind+"."+kind.Version, func(t *testing.T) {
			object, err := scheme.New(kind)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := scheme.New(kind.GroupVersion().WithKind(d.Spec.Names.ListKind)); err != nil {
				t.Error(err)
			}
			sample, _ := everyField(*version(d, kind.Version)).(map[string]any)
			sample["apiVersion"], sample["kind"] = kind.GroupVersion().String(), kind.Kind
			sample["metadata"] = map[string]any{"name": "sample"}
			raw, err := json.Marshal(sample)
			if err != nil {
				t.Fatal(err)
			}
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(object); err != nil {
				t.Fatalf("%s cannot be read as a %T: %v", raw, object, err)
			}
			kept, err := json.Marshal(object.DeepCopyObject())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, raw), decode(t, kept)); diff != "" {
				t.Errorf("-written, +read:\n%s", diff)
			}
		})
	}
}

// decode reads JSON without rounding numbers.
func decode(t *testing.T, raw []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// everyField returns a value with every field of a schema.
func everyField(s apiextensionsv1.JSONSchemaProps) any {
	switch {
	case len(s.Enum) > 0:
		return json.RawMessage(s.Enum[0].Raw)
	case s.Type == "object" && s.AdditionalProperties != nil:
		return map[string]any{"some key": everyField(*s.AdditionalProperties.Schema)}
	case s.Type == "object":
		out := map[string]any{}
		for name, p := range s.Properties {
			out[name] = everyField(p)
		}
		return out
	case s.Type == "array":
		element := everyField(*s.Items.Schema)
		return []any{element, element}
	case s.Type == "string" && s.Format == "date-time":
		return "2030-01-02T03:04:05Z"
	case s.Type == "string" && s.Format == "duration", s.XIntOrString:
		return "1m0s"
	case s.Type == "string":
		return "a \"text\""
	case s.Type == "integer":
		return 7
	case s.Type == "number":
		return json.Number("12345678901234567890.5")
	case s.Type == "boolean":
		return true // false may be omitted
	default:
		return map[string]any{"any": []any{1, "thing", nil}}
	}
}
