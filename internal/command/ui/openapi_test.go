package ui_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// validator compares values with schemas of the document, of which it knows what the document uses.
// A member that a schema does not have is an error.
type validator struct{ schemas map[string]any }

// check returns what is wrong with a value.
func (v validator) check(at string, value, schema any) []string {
	s, ok := schema.(map[string]any)
	if !ok {
		return []string{at + ": there is no schema"}
	}
	if ref, ok := s["$ref"].(string); ok {
		return v.check(at, value, v.schemas[strings.TrimPrefix(ref, "#/components/schemas/")])
	}
	if any, ok := s["anyOf"].([]any); ok {
		var all []string
		for _, one := range any {
			wrong := v.check(at, value, one)
			if len(wrong) == 0 {
				return nil
			}
			all = append(all, wrong...)
		}
		return all
	}
	types := []any{s["type"]}
	if list, ok := s["type"].([]any); ok {
		types = list
	}
	is := typeOf(value)
	if s["type"] != nil && !slices.Contains(types, any(is)) && !(is == "integer" && slices.Contains(types, any("number"))) {
		return []string{fmt.Sprintf("%s: is %s, want %v", at, is, types)}
	}
	var out []string
	switch x := value.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, x); s["format"] == "date-time" && err != nil {
			out = append(out, at+": "+err.Error())
		}
	case []any:
		for i, one := range x {
			out = append(out, v.check(fmt.Sprintf("%s[%d]", at, i), one, s["items"])...)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for name, one := range x {
			of, ok := properties[name]
			if !ok {
				of, ok = s["additionalProperties"]
			}
			switch {
			case ok:
				out = append(out, v.check(at+"."+name, one, of)...)
			case s["type"] != nil:
				out = append(out, at+"."+name+": is not in the document")
			}
		}
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := x[name.(string)]; !ok {
				out = append(out, fmt.Sprintf("%s.%s: is required", at, name))
			}
		}
	}
	return out
}

// typeOf returns the type of a value, as schemas name it.
func typeOf(value any) string {
	switch x := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case float64:
		if x == float64(int64(x)) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// document is the OpenAPI document as it is served.
type document struct {
	Paths      map[string]map[string]any `json:"paths"`
	Components struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

// schemaOf returns the schema of an answer.
func (d document) schemaOf(t *testing.T, path, status string) any {
	t.Helper()
	var at any = d.Paths[path]
	for _, name := range []string{"get", "responses", status, "content", "application/json", "schema"} {
		next, ok := at.(map[string]any)
		if !ok {
			t.Fatalf("%s has no %s", path, name)
		}
		at = next[name]
	}
	return at
}

// openAPI reads the document.
func openAPI(t *testing.T, text []byte) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOpenAPI checks that each view is what the document says, and that the documentation has it.
func TestOpenAPI(t *testing.T) {
	s := ui.NewOf(index(objects()...), now)
	p, _ := program(t, "case $1 in\ndiscover) cat <<'EOF'\n"+found+
		"\nEOF\n;;\n*) echo '{\"providers\":[{\"provider\":\"cloud\",\"source\":\"x\",\"newer\":[\"2.0.0\"],"+
		"\"behind\":{\"versions\":1},\"deprecated\":[{\"outcome\":\"x\",\"group\":\"g\",\"kind\":\"k\",\"count\":1,"+
		"\"namespaces\":{\"a\":1}}]}]}';;\nesac\n")
	s.Runs(p)
	s.Records(records(), nil)
	served := get(s, "/api/v1/openapi.json")
	var pretty any
	if err := json.Unmarshal(served.Body.Bytes(), &pretty); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(pretty, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../../../docs/ui.openapi.json", append(text, '\n'))
	d := openAPI(t, served.Body.Bytes())
	v := validator{d.Components.Schemas}
	answers := map[string]string{}
	for path := range d.Paths {
		switch {
		case strings.Contains(path, "{"): // TestOpenAPIOfObjects has them
		case strings.HasSuffix(path, "/search"):
			answers[path] = path + "?q=id-web"
		case strings.HasSuffix(path, "/import"):
			answers[path] = path + "?type=cloud_server"
		case strings.HasSuffix(path, "/upgrades"):
			answers[path] = path + "?plan=cloud"
		default:
			answers[path] = path
		}
	}
	for path, at := range answers {
		w := get(s, at)
		var value any
		if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: %d %v", at, w.Code, err)
		}
		for _, wrong := range v.check("", value, d.schemaOf(t, path, "200")) {
			t.Errorf("%s: %s", at, wrong)
		}
	}
	w := get(s, "/api/v1/resources/none.cloud.landbridge.io/a/b")
	var value any
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range v.check("", value, d.schemaOf(t, "/api/v1/resources/{kind}/{namespace}/{name}", "default")) {
		t.Error(wrong)
	}
}

// TestOpenAPIOfObjects checks the same of the views of one object.
func TestOpenAPIOfObjects(t *testing.T) {
	d := openAPI(t, get(ui.NewOf(index(), now), "/api/v1/openapi.json").Body.Bytes())
	v := validator{d.Components.Schemas}
	c := index(objects()...).Content()
	for name, tc := range map[string]struct {
		view  string
		model any
	}{
		"a plan that waits": {"resources", ui.ResourceOf(c, of("Network", "planned"))},
		"a cause":           {"resources", ui.ResourceOf(c, of("Server", "behind"))},
		"dependencies":      {"dependencies", ui.DependenciesOf(c, of("Network", "main"), 0)},
	} {
		text, err := json.Marshal(tc.model)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range v.check("", value, d.schemaOf(t, "/api/v1/"+tc.view+"/{kind}/{namespace}/{name}", "200")) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}
