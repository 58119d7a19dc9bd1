package module_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// hole stands for an expression in a place.
const hole = "HOLE"

// places are where an expression can be in a configuration.
var places = map[string]string{
	"an argument":                   "resource \"a_b\" \"c\" {\n  d = HOLE\n}\n",
	"an argument on one line":       "resource \"a_b\" \"c\" { d = HOLE }\n",
	"an argument of a nested block": "resource \"a_b\" \"c\" {\n  d {\n    e {\n      f = HOLE\n    }\n  }\n}\n",
	"a block with labels":           "resource \"a_b\" \"c\" {\n  d \"x\" y {\n    f = HOLE\n  }\n}\n",
	"count":                         "resource \"a_b\" \"c\" {\n  count = HOLE\n}\n",
	"for_each":                      "resource \"a_b\" \"c\" {\n  for_each = HOLE\n}\n",
	"depends_on":                    "resource \"a_b\" \"c\" {\n  depends_on = [a_b.d[HOLE]]\n}\n",
	"for_each of a dynamic block":   "resource \"a_b\" \"c\" {\n  dynamic \"d\" {\n    for_each = HOLE\n    content {}\n  }\n}\n",
	"labels of a dynamic block":     "resource \"a_b\" \"c\" {\n  dynamic \"d\" {\n    labels = [HOLE]\n    content {}\n  }\n}\n",
	"content of a dynamic block":    "resource \"a_b\" \"c\" {\n  dynamic \"d\" {\n    content {\n      e = HOLE\n    }\n  }\n}\n",
	"ignore_changes":                "resource \"a_b\" \"c\" {\n  lifecycle {\n    ignore_changes = [d[HOLE]]\n  }\n}\n",
	"replace_triggered_by":          "resource \"a_b\" \"c\" {\n  lifecycle {\n    replace_triggered_by = [a_b.d[HOLE]]\n  }\n}\n",
	"a precondition":                "resource \"a_b\" \"c\" {\n  lifecycle {\n    precondition {\n      condition = HOLE\n    }\n  }\n}\n",
	"the message of a postcondition": "resource \"a_b\" \"c\" {\n  lifecycle {\n    postcondition {\n      " +
		"error_message = HOLE\n    }\n  }\n}\n",
	"enabled": "resource \"a_b\" \"c\" {\n  lifecycle {\n    enabled = HOLE\n  }\n}\n",
	"an action trigger": "resource \"a_b\" \"c\" {\n  lifecycle {\n    action_trigger {\n      " +
		"condition = HOLE\n    }\n  }\n}\n",
	"a provisioner": "resource \"a_b\" \"c\" {\n  provisioner \"local-exec\" {\n    command = HOLE\n  }\n}\n",
	"a connection":  "resource \"a_b\" \"c\" {\n  connection {\n    host = HOLE\n  }\n}\n",
	"the connection of a provisioner": "resource \"a_b\" \"c\" {\n  provisioner \"file\" {\n    connection {\n      " +
		"host = HOLE\n    }\n  }\n}\n",
	"timeouts":                        "resource \"a_b\" \"c\" {\n  timeouts {\n    create = HOLE\n  }\n}\n",
	"a data source":                   "data \"a_b\" \"c\" {\n  d = HOLE\n}\n",
	"an ephemeral resource":           "ephemeral \"a_b\" \"c\" {\n  d = HOLE\n}\n",
	"an action":                       "action \"a_b\" \"c\" {\n  config {\n    d = HOLE\n  }\n}\n",
	"an output":                       "output \"x\" {\n  value = HOLE\n}\n",
	"a precondition of an output":     "output \"x\" {\n  precondition {\n    condition = HOLE\n  }\n}\n",
	"a local value":                   "locals {\n  x = HOLE\n}\n",
	"a validation":                    "variable \"x\" {\n  validation {\n    condition = HOLE\n    error_message = HOLE\n  }\n}\n",
	"an argument of a module":         "module \"x\" {\n  source = \"./x\"\n  y = HOLE\n}\n",
	"the source of a module":          "module \"x\" {\n  source = HOLE\n}\n",
	"the version of a module":         "module \"x\" {\n  source  = \"./x\"\n  version = HOLE\n}\n",
	"for_each of a module":            "module \"x\" {\n  source   = \"./x\"\n  for_each = HOLE\n}\n",
	"the providers of a module":       "module \"x\" {\n  source    = \"./x\"\n  providers = { a = a.b[HOLE] }\n}\n",
	"an argument of a provider":       "provider \"a\" {\n  b = HOLE\n}\n",
	"a block of a provider":           "provider \"a\" {\n  b {\n    c = HOLE\n  }\n}\n",
	"for_each of a provider":          "provider \"a\" {\n  alias    = \"b\"\n  for_each = HOLE\n}\n",
	"a backend":                       "terraform {\n  backend \"s3\" {\n    a = HOLE\n  }\n}\n",
	"cloud":                           "terraform {\n  cloud {\n    a = HOLE\n  }\n}\n",
	"encryption":                      "terraform {\n  encryption {\n    key_provider \"a\" \"b\" {\n      c = HOLE\n    }\n  }\n}\n",
	"provider_meta":                   "terraform {\n  provider_meta \"a\" {\n    b = HOLE\n  }\n}\n",
	"required_version":                "terraform {\n  required_version = HOLE\n}\n",
	"moved":                           "moved {\n  from = a_b.c[HOLE]\n  to   = a_b.d\n}\n",
	"the target of moved":             "moved {\n  from = a_b.c\n  to   = a_b.d[HOLE]\n}\n",
	"removed":                         "removed {\n  from = a_b.c[HOLE]\n}\n",
	"a provisioner of removed":        "removed {\n  from = a_b.c\n  provisioner \"local-exec\" {\n    command = HOLE\n  }\n}\n",
	"the id of an import":             "import {\n  to = a_b.c\n  id = HOLE\n}\n",
	"the identity of an import":       "import {\n  to = a_b.c\n  identity = {\n    d = HOLE\n  }\n}\n",
	"for_each of an import":           "import {\n  for_each = HOLE\n  to       = a_b.c[each.key]\n  id       = each.value\n}\n",
	"the index of an import":          "import {\n  to = a_b.c[HOLE]\n  id = \"x\"\n}\n",
	"the module's index of an import": "import {\n  to = module.m[HOLE].a_b.c[0]\n  id = \"x\"\n}\n",
	"an import on one line":           "import { id = HOLE }\n",
	"the provider of an import":       "import {\n  to       = a_b.c\n  id       = \"x\"\n  provider = a.b[HOLE]\n}\n",
	"a check":                         "check \"x\" {\n  assert {\n    condition     = HOLE\n    error_message = HOLE\n  }\n}\n",
	"the data source of a check":      "check \"x\" {\n  data \"a_b\" \"c\" {\n    d = HOLE\n  }\n}\n",
	"an unknown block":                "something \"a\" {\n  b = HOLE\n}\n",
	"an unknown argument":             "something = HOLE\n",
}

// never are places where there is no expression at all.
var never = map[string]string{
	"the default of a variable":     "variable \"x\" {\n  default = HOLE\n}\n",
	"the type of a variable":        "variable \"x\" {\n  type = HOLE\n}\n",
	"the provider of a resource":    "resource \"a_b\" \"c\" {\n  provider = a.b[HOLE]\n}\n",
	"a label":                       "resource \"a_b\" \"${HOLE}\" {}\n",
	"a label of a nested block":     "resource \"a_b\" \"c\" {\n  d \"${HOLE}\" {}\n}\n",
	"the name of an argument":       "resource \"a_b\" \"c\" {\n  \"${HOLE}\" = 1\n}\n",
	"the address of an import":      "import {\n  to = HOLE\n  id = \"x\"\n}\n",
	"a call in the address":         "import {\n  to = (a_b.c[HOLE])\n  id = \"x\"\n}\n",
	"a splat in the address":        "import {\n  to = a_b.c[HOLE][*]\n  id = \"x\"\n}\n",
	"another argument of an import": "import {\n  to = a_b.c\n  id = \"x\"\n  x  = HOLE\n}\n",
	"a block of an import":          "import {\n  to = a_b.c\n  id = \"x\"\n  lifecycle {\n    x = HOLE\n  }\n}\n",
}

// jsonPlaces are where an expression can be in JSON: in "HOLE" as a template, in INDEX as a part of
// a reference.
var jsonPlaces = map[string]string{
	"an argument":                    `{"resource": {"a_b": {"c": {"d": "HOLE"}}}}`,
	"an argument in lists":           `{"resource": [{"a_b": [{"c": [{"d": ["HOLE"]}]}]}]}`,
	"a name":                         `{"resource": {"a_b": {"c": {"d": {"HOLE": 1}}}}}`,
	"a nested block":                 `{"resource": {"a_b": {"c": {"d": [{"e": {"f": "HOLE"}}]}}}}`,
	"a dynamic block":                `{"resource": {"a_b": {"c": {"dynamic": {"d": {"for_each": "HOLE", "content": {}}}}}}}`,
	"the content of one":             `{"resource": {"a_b": {"c": {"dynamic": {"d": {"content": {"e": "HOLE"}}}}}}}`,
	"count":                          `{"resource": {"a_b": {"c": {"count": "HOLE"}}}}`,
	"depends_on":                     `{"resource": {"a_b": {"c": {"depends_on": ["a_b.dINDEX"]}}}}`,
	"ignore_changes":                 `{"resource": {"a_b": {"c": {"lifecycle": {"ignore_changes": ["dINDEX"]}}}}}`,
	"replace_triggered_by":           `{"resource": {"a_b": {"c": {"lifecycle": {"replace_triggered_by": ["a_b.dINDEX.e"]}}}}}`,
	"a precondition":                 `{"resource": {"a_b": {"c": {"lifecycle": {"precondition": {"condition": "HOLE"}}}}}}`,
	"a provisioner":                  `{"resource": {"a_b": {"c": {"provisioner": [{"local-exec": {"command": "HOLE"}}]}}}}`,
	"a data source":                  `{"data": {"a_b": {"c": {"d": "HOLE"}}}}`,
	"an output":                      `{"output": {"x": {"value": "HOLE"}}}`,
	"a local value":                  `{"locals": {"x": "HOLE"}}`,
	"a module":                       `{"module": {"x": {"source": "./x", "y": "HOLE"}}}`,
	"the source of a module":         `{"module": {"x": {"source": "HOLE"}}}`,
	"the providers of a module":      `{"module": {"x": {"source": "./x", "providers": {"a": "a.bINDEX"}}}}`,
	"an argument of a provider":      `{"provider": {"a": {"b": "HOLE"}}}`,
	"a backend":                      `{"terraform": {"backend": {"s3": {"a": "HOLE"}}}}`,
	"moved":                          `{"moved": [{"from": "a_b.cINDEX", "to": "a_b.d"}]}`,
	"removed":                        `{"removed": [{"from": "a_b.cINDEX"}]}`,
	"a check":                        `{"check": {"x": {"assert": {"condition": "HOLE", "error_message": "HOLE"}}}}`,
	"an unknown block":               `{"something": {"a": {"b": "HOLE"}}}`,
	"a property that is there twice": `{"output": {"x": {"value": "HOLE"}}, "output": {"y": {"value": 1}}}`,
}

var neverJSON = map[string]string{
	"provider":                  `{"resource": {"a_b": {"c": {"provider": "a.bINDEX"}}}}`,
	"the default of a variable": `{"variable": {"x": {"default": "HOLE", "type": "HOLE"}}}`,
	"the address of an import":  `{"import": [{"to": "a_b.cINDEX", "id": "x"}]}`,
	"the id of an import":       `{"import": {"to": "a_b.c", "id": "HOLE"}}`,
}

// reading are expressions that read files of the machine.
var reading = []string{
	`file("/etc/passwd")`, `core::file("/etc/passwd")`, `filebase64(var.p)`, `filesha512("../../secret")`, `filemd5("~/.netrc")`,
	`fileexists("${path.root}/x")`, `fileset("/", "*")`, `fileset(path.module, "../*")`, `templatefile("/etc/passwd", {})`,
	`templatestring(local.t, {})`, `provider::local::direxists("/etc")`, `file(["/etc/passwd"]...)`, `file("${path.module}/../../x")`,
	`file("${local.outside}/passwd")`, `[for path in [{ module = "/etc" }] : file("${path.module}/passwd")]`,
	`filesha1(true ? "${path.module}/a" : "/etc/passwd")`, `file(<<EOT
/etc/passwd
EOT
)`,
}

// around are expressions that contain another one. Each is in parentheses, in which it may have
// more than one line.
var around = []string{
	`(HOLE)`, `([HOLE])`, `([1, HOLE][1])`, `({ a = HOLE })`, `({ (HOLE) = 1 })`, `({ "${HOLE}" = 1 })`, `("${HOLE}")`, `("a${HOLE}b")`,
	`("%{if HOLE == 1}a%{else}b%{endif}")`, `("%{for x in HOLE}${x}%{endfor}")`, `(<<EOT
a ${HOLE}
EOT
)`, `(<<-EOT
  ${HOLE}
  EOT
)`, `(upper(HOLE))`, `(try(1, HOLE))`, `(max(HOLE...))`, `(provider::a::b(HOLE))`, `(true ? HOLE : 1)`, `(HOLE == 1 ? 2 : 3)`, `(-HOLE)`,
	`(!HOLE)`, `(HOLE + 1)`, `(1 && HOLE)`, `([for x in [1] : HOLE])`, `([for x in HOLE : x])`, `({ for k, v in {} : k => HOLE... if true })`,
	`({ for k, v in {} : HOLE => v })`, `([for x in [1] : x if HOLE == 1])`, `(HOLE[0])`, `(HOLE.a)`, `(HOLE["a"].b)`, `(var.m[HOLE])`,
	`([HOLE][*].a)`, `([HOLE].*.a)`, `(var.m[*][HOLE])`,
}

// nativeFiles and jsonFiles are names of files that programs read.
var (
	nativeFiles = []string{"main.tf", "main.tofu", "override.tf", "more_override.tf", "override.tofu"}
	jsonFiles   = []string{"main.tf.json", "main.tofu.json", "override.tf.json", "more_override.tf.json"}
)

// placed returns a file with an expression in a place.
func placed(place, expression string, isJSON bool) string {
	if !isJSON {
		return strings.ReplaceAll(place, hole, expression)
	}
	text := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return strings.Trim(string(b), `"`)
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(text("x"+expression+"x"), "x"), "x")
	return strings.NewReplacer(hole, "${"+inner+"}", "INDEX", "["+inner+"]").Replace(place)
}

// check returns what a module with a file is refused for, although it may do everything but read
// files.
func check(t fataler, dir, name, content string) string {
	t.Helper()
	base := "variable \"p\" {}\nvariable \"m\" {}\nlocals {\n  t = var.p\n  outside = \"/etc\"\n}\n"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"base.tf": base, name: content} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return module.CheckFetched(dir, module.Provisioners, module.External, module.HTTP, module.RemoteState).String()
}

type fataler interface {
	Helper()
	Fatal(...any)
}

// No place hides an expression from the check, and each place is one where other expressions are
// accepted.
func TestPlacesOfExpressions(t *testing.T) {
	t.Parallel()
	for _, syntax := range []struct {
		name, file      string
		isJSON          bool
		places, refused map[string]string
	}{{"native", "main.tf", false, places, never}, {"JSON", "main.tf.json", true, jsonPlaces, neverJSON}} {
		for name, place := range syntax.places {
			t.Run(fmt.Sprintf("%s/%s", syntax.name, name), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				harmless := []string{`upper("x")`}
				if name == "an argument" {
					for _, outer := range around {
						harmless = append(harmless, strings.ReplaceAll(outer, hole, harmless[0]))
					}
				}
				for _, expression := range harmless {
					if refusal := check(t, dir, syntax.file, placed(place, expression, syntax.isJSON)); refusal != "" {
						t.Errorf("%s is refused: %s", expression, refusal)
					}
				}
				for _, expression := range reading {
					if check(t, dir, syntax.file, placed(place, expression, syntax.isJSON)) == "" {
						t.Errorf("%s is not refused", expression)
					}
				}
			})
		}
		for name, place := range syntax.refused {
			t.Run(fmt.Sprintf("%s/%s", syntax.name, name), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				for _, expression := range reading {
					if check(t, dir, syntax.file, placed(place, expression, syntax.isJSON)) == "" {
						t.Errorf("%s is not refused", expression)
					}
				}
			})
		}
	}
}

// readingAnywhere checks that an expression that reads files is refused, in whatever it is nested
// and wherever it is.
func readingAnywhere(t *rapid.T) {
	isJSON := rapid.Bool().Draw(t, "JSON")
	all, files := []map[string]string{places, never}, nativeFiles
	if isJSON {
		all, files = []map[string]string{jsonPlaces, neverJSON}, jsonFiles
	}
	var texts []string
	for _, m := range all {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			texts = append(texts, m[name])
		}
	}
	expression := rapid.SampledFrom(reading).Draw(t, "expression")
	for _, outer := range rapid.SliceOfN(rapid.SampledFrom(around), 0, 6).Draw(t, "around") {
		expression = strings.ReplaceAll(outer, hole, expression)
	}
	content := placed(rapid.SampledFrom(texts).Draw(t, "place"), expression, isJSON)
	dir, err := os.MkdirTemp("", "module-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if check(t, dir, rapid.SampledFrom(files).Draw(t, "file"), content) == "" {
		t.Fatalf("not refused:\n%s", content)
	}
}

func TestReadingAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, readingAnywhere)
}

func FuzzReadingAnywhere(f *testing.F) { f.Fuzz(rapid.MakeFuzz(readingAnywhere)) }
