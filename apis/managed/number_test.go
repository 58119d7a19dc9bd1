package managed_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/managed"
)

type holder struct {
	Given    managed.Number   `json:"given"`
	Pointer  *managed.Number  `json:"pointer,omitempty"`
	Elements []managed.Number `json:"elements,omitempty"`
}

func TestNumberKeepsItsValue(t *testing.T) {
	for name, digits := range map[string]string{
		"integer": "24", "64 bits": "9223372036854775807", "beyond float64": "9007199254740993",
		"fraction": "1.50", "exponent": "1e+21", "negative": "-0.1",
	} {
		t.Run(name, func(t *testing.T) {
			in := `{"given":` + digits + `,"pointer":` + digits + `,"elements":[` + digits + `]}`
			var h holder
			if err := json.Unmarshal([]byte(in), &h); err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(in, string(out)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// Dynamic clients turn typed objects into maps, where numbers must not become strings.
func TestNumberInUnstructured(t *testing.T) {
	one := managed.Float(1.5)
	in := holder{Given: managed.Int(9007199254740993), Pointer: &one}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"given": int64(9007199254740993), "pointer": 1.5}, object); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	var out holder
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestNumberRefusesWhatIsNone(t *testing.T) {
	for name, in := range map[string]string{"string": `"1"`, "boolean": `true`, "object": `{}`} {
		t.Run(name, func(t *testing.T) {
			var n managed.Number
			if err := json.Unmarshal([]byte(in), &n); err == nil {
				t.Errorf("%s was taken for %s", in, n)
			}
		})
	}
	if raw, err := json.Marshal(managed.Float(math.NaN())); err == nil {
		t.Errorf("%q was written as a number", raw)
	}
}

func TestNumberValues(t *testing.T) {
	var zero managed.Number
	if n, err := zero.Int64(); n != 0 || err != nil {
		t.Errorf("the zero value is %d, %v", n, err)
	}
	if n, err := managed.Int(-7).Int64(); n != -7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if f, err := managed.Float(1.5).Float64(); f != 1.5 || err != nil {
		t.Errorf("got %v, %v", f, err)
	}
	if n, err := managed.Float(1.5).Int64(); err == nil {
		t.Errorf("1.5 is the integer %d", n)
	}
}
