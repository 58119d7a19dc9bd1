package generate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// roundTrip is a program that reads an object as its Go type, copies it, and writes it as JSON and
// in the form of dynamic clients.
const roundTrip = `package main

import (
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/runtime"

	everything "generated.example.org/everything/apis/everything/v1alpha1"
)

func main() {
	scheme := runtime.NewScheme()
	must(everything.AddToScheme(scheme))
	object, err := scheme.New(everything.CRDGroupVersion.WithKind("Thing"))
	must(err)
	must(json.NewDecoder(os.Stdin).Decode(object))
	object = object.DeepCopyObject()
	must(json.NewEncoder(os.Stdout).Encode(object))
	dynamic, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	must(err)
	again := &everything.Thing{}
	must(runtime.DefaultUnstructuredConverter.FromUnstructured(dynamic, again))
	must(json.NewEncoder(os.Stdout).Encode(again))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
`

// Values that are easily lost: null in lists and maps, empty or zero values that are set, numbers
// that do not fit a float64, values without a fixed type.
const valuable = `{
	"apiVersion": "everything.landbridge.io/v1alpha1", "kind": "Thing", "metadata": {"name": "a", "namespace": "b"},
	"spec": {
		"managementPolicies": [],
		"providerConfigRef": {"kind": "ProviderConfig", "name": "c"},
		"references": [{"to": "forProvider.size", "from": {"kind": "Thing", "name": "b"}, "policy": {"resolve": "Always"}}],
		"lifecycle": {"createBeforeDestroy": false, "ignoreChanges": ["size"], "timeouts": {"create": "5m"}},
		"forProvider": {
			"name": "", "namespace": "n", "size": 9007199254740993, "enabled": false,
			"passwordSecretRef": {"name": "s", "key": "k"},
			"zones": ["a", null], "groups": [], "tags": {"a": null, "b": ""}, "endpoint": {},
			"endpoints": [null, {"hostName": "h", "port": 1}, {}], "namedEndpoints": {"n": null, "m": {}},
			"anything": {"x": [1, null, {"y": 0.10}]}, "pair": ["a", 1.50, null],
			"listAttribute": [], "mapAttribute": {}, "setAttribute": [null, {"maxAgeDays": 0}],
			"singleAttribute": {"maxAgeDays": -0.0}, "singletonList": {"maxAgeDays": 1.10, "deep": {}},
			"listBlock": [{"maxAgeDays": 0, "tokenSecretRef": {"name": "s", "key": "k"}}], "dynamicBlock": [{"value": "1"}, {}]
		},
		"initProvider": {},
		"import": {"identity": {"accountId": "", "number": 123456789012345678901234567890, "path": ["a", null]}}
	},
	"status": {
		"conditions": [{"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2030-01-02T03:04:05Z", "observedGeneration": 2}],
		"state": "Full", "observedGeneration": 9007199254740993,
		"atProvider": {"zones": [null], "groups": [], "size": 0.1, "tags": {}},
		"identity": {"number": 18446744073709551615},
		"identityHistory": [{"identity": {"old": 1}, "until": "2030-01-02T03:04:05Z"}],
		"plan": {"action": "Update", "changes": [{"path": "size", "before": 1, "after": {"x": [null]}}]},
		"operation": {"kind": "Update", "startedAt": "2030-01-02T03:04:05Z"}
	}
}`

// keepValues checks that the Go type keeps everything in an object that the CRD allows.
func keepValues(t *testing.T, dir string) {
	program := filepath.Join(dir, "roundtrip")
	if err := os.Mkdir(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(program, "main.go"), []byte(roundTrip), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", "./roundtrip")
	run.Dir, run.Stdin = dir, bytes.NewReader([]byte(valuable))
	var problems bytes.Buffer
	run.Stderr = &problems
	raw, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	direct, dynamic, _ := bytes.Cut(raw, []byte("\n"))
	if diff := cmp.Diff(decoded(t, []byte(valuable), true), decoded(t, direct, true)); diff != "" {
		t.Errorf("-given, +kept:\n%s", diff)
	}
	// Dynamic clients have int64 and float64: other numbers lose digits there regardless of the Go
	// type.
	if diff := cmp.Diff(decoded(t, []byte(valuable), false), decoded(t, dynamic, false)); diff != "" {
		t.Errorf("as dynamic clients have it: -given, +kept:\n%s", diff)
	}
}

func decoded(t *testing.T, raw []byte, digits bool) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	if digits {
		d.UseNumber()
	}
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}
