package local_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

func everything(t testing.TB) *model.Provider {
	t.Helper()
	p, err := model.NewProvider("everything", schematest.Everything(), schematest.References())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const plain = `
apiVersion: everything.landbridge.io/v1alpha1
kind: Plain
metadata: {name: a}
spec: {forProvider: {}}
`

// thing is a Thing with more of a spec.
func thing(name, spec string) string {
	return `
apiVersion: everything.landbridge.io/v1alpha1
kind: Thing
metadata: {name: ` + name + `, namespace: prod}
spec:
  forProvider: {name: m, namespace: m, passwordSecretRef: {name: s, key: k}, someBlock: [{maxAgeDays: 1}]}
  ` + strings.ReplaceAll(spec, "\n", "\n  ") + `
---
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: prod}
stringData: {k: hunter2secret}
`
}

func TestReadManifest(t *testing.T) {
	t.Parallel()
	config := func(kind, meta, spec string) string {
		return "---\napiVersion: everything.landbridge.io/v1alpha1\nkind: " + kind + "\nmetadata: " + meta + "\nspec: " + spec + "\n"
	}
	tests := map[string]struct {
		manifest string
		want     []string // addresses
		// messages are "severity: source: address: path: summary: detail", and may be cut short.
		messages []string
	}{
		"one": {manifest: plain, want: []string{"everything_plain.a"}},
		"several documents, with comments and empty ones": {
			manifest: "# nothing\n---\n" + plain + "--- # another\n" +
				strings.Replace(plain, "name: a", "name: b.c", 1) + "...\n---\n" +
				strings.Replace(plain, "name: a", "name: 0d", 1),
			want: []string{"everything_plain.a", "everything_plain.b_c", "everything_plain._0d"},
		},
		"JSON": {
			manifest: `{"apiVersion": "everything.landbridge.io/v1alpha1", "kind": "Plain", "metadata": {"name": "a"}, "spec": {"forProvider": {}}}`,
			want:     []string{"everything_plain.a"},
		},
		"on one line": {
			manifest: "--- {apiVersion: everything.landbridge.io/v1alpha1, kind: Plain, metadata: {name: a}, spec: " +
				"{forProvider: {}}}\n",
			want: []string{"everything_plain.a"},
		},
		"list": {
			manifest: "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: everything.landbridge.io/v1alpha1, kind: " +
				"Plain, metadata: {name: a}, spec: {forProvider: {}}}\n- {apiVersion: " +
				"everything.landbridge.io/v1alpha1, kind: Plain, metadata: {name: a}}\n",
			want: []string{"everything_plain.a"},
			messages: []string{
				"Error: m.yaml, document 1, items[1], Plain a: Duplicate object: There is another Plain of the same " +
					"name in m.yaml, document 1, items[0], Plain a.",
			},
		},
		"as it comes out of a cluster": {
			manifest: "apiVersion: everything.landbridge.io/v1alpha1\nkind: Plain\nmetadata: {name: a, uid: u, " +
				"resourceVersion: '1', managedFields: [{manager: x}], creationTimestamp: " +
				"'2026-01-01T00:00:00Z'}\nspec: {forProvider: {}}\nstatus: {atProvider: {id: x}}\n",
			want: []string{"everything_plain.a"},
		},
		"secret": {manifest: thing("a", ""), want: []string{"everything_thing.a"}},
		"secret in base64": {
			manifest: strings.Replace(thing("a", ""), "stringData: {k: hunter2secret}",
				"data: {k: "+base64.StdEncoding.EncodeToString([]byte("x"))+"}", 1),
			want: []string{"everything_thing.a"},
		},
		"no such secret": {
			manifest: strings.Replace(thing("a", ""), "metadata: {name: s, namespace: prod}", "metadata: {name: s}", 1),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.forProvider.passwordSecretRef: " +
					"Invalid Secret reference: there is no Secret s of namespace prod in the manifest",
			},
		},
		"no such key": {
			manifest: strings.Replace(thing("a", ""), "{k: hunter2secret}", "{other: hunter2secret}", 1),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.forProvider.passwordSecretRef: " +
					"Invalid Secret reference: the Secret s has no key k",
			},
		},
		"unknown field of the resource": {
			manifest: thing("a", "initProvider: {sise: 3, singletonList: {maxAge: 1}}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.initProvider.singletonList.maxAge: " +
					"Not accepted by the API server: There is no field spec.initProvider.singletonList.maxAge (did " +
					"you mean spec.initProvider.singletonList.maxAgeDays?)",
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.initProvider.sise: Not accepted by " +
					"the API server: There is no field spec.initProvider.sise (did you mean spec.initProvider.size?)",
			},
		},
		"wrong type": {
			manifest: thing("a", "initProvider: {size: [1]}"),
			messages: []string{"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.forProvider.size: Incorrect attribute value type"},
		},
		"reference": {
			manifest: strings.Replace(thing("a", ""), "forProvider: {name: m,", "forProvider: {nameRef: {name: x}, name: m, zoneSelector: {},", 1),
			want:     []string{"everything_thing.a"},
		},
		"unknown fields around it": {
			manifest: thing("a", "lifecycle: {replacePolcy: Never}\nforProvidr: {}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.forProvidr: Not accepted by the API " +
					"server: There is no field spec.forProvidr (did you mean spec.forProvider?)",
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.lifecycle.replacePolcy: Not accepted " +
					"by the API server: There is no field spec.lifecycle.replacePolcy (did you mean " +
					"spec.lifecycle.replacePolicy?)",
			},
		},
		"wrong type around it": {
			manifest: thing("a", "lifecycle: {createBeforeDestroy: 3}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.lifecycle.createBeforeDestroy: Not " +
					"accepted by the API server: Invalid value: \"integer\": must be of type boolean",
			},
		},
		"unsupported values": {
			manifest: thing("a", "lifecycle: {replacePolicy: Sometimes, taintPolicy: x, existenceCheck: z, "+
				"ignoreChanges: [nme]}\nmanagementPolicies: [Observe, Look]"),
			messages: []string{
				`Error: m.yaml, document 1, Thing a: everything_thing.a: Invalid ignoreChanges: spec.lifecycle.ignoreChanges: "nme": there is no field nme`,
				`Error: m.yaml, document 1, Thing a: everything_thing.a: spec.lifecycle.existenceCheck: Not accepted by the API server: Unsupported value: "z": supported values: "Automatic", "Never"`,
				`Error: m.yaml, document 1, Thing a: everything_thing.a: spec.lifecycle.replacePolicy: Not accepted by the API server: Unsupported value: "Sometimes": supported values: "Automatic", "Never"`,
				`Error: m.yaml, document 1, Thing a: everything_thing.a: spec.lifecycle.taintPolicy: Not accepted by the API server: Unsupported value: "x": supported values: "Replace", "Keep"`,
				`Error: m.yaml, document 1, Thing a: everything_thing.a: spec.managementPolicies[1]: Not accepted by the API server: Unsupported value: "Look": supported values: "Observe"`,
			},
		},
		"import by nothing": {
			manifest: thing("a", "import: {}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.import: Not accepted by the API " +
					"server: Invalid value: exactly one of spec.import.id and spec.import.identity must be given.",
			},
		},
		"import by both": {
			manifest: thing("a", "import: {id: x, identity: {accountId: a, number: 1}}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.import: Not accepted by the API " +
					"server: Invalid value: exactly one of spec.import.id and spec.import.identity must be given.",
			},
		},
		"import by empty id": {
			manifest: thing("a", "import: {id: ''}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.import.id: Not accepted by the API " +
					"server: Invalid value: \"\": should be at least 1 chars long.",
			},
		},
		"import by id":       {manifest: thing("a", "import: {id: x}"), want: []string{"everything_thing.a"}},
		"import by identity": {manifest: thing("a", "import: {identity: {accountId: a, number: 1}}"), want: []string{"everything_thing.a"}},
		"import by its half": {
			manifest: thing("a", "import: {identity: {accountId: a}}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.import.identity.number: Not accepted " +
					"by the API server: Invalid value: spec.import.identity.number is a required parameter, unless " +
					"spec.references sets it.",
			},
		},
		"import by unknown name": {
			manifest: thing("a", "import: {identity: {accountId: a, number: 1, x: 2}}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.import.identity.x: Not accepted by " +
					"the API server: There is no field spec.import.identity.x.",
			},
		},
		"import without an identity schema": {
			manifest: strings.Replace(plain, "{forProvider: {}}", "{forProvider: {}, import: {identity: {a: b}}}", 1),
			messages: []string{
				"Error: m.yaml, document 1, Plain a: everything_plain.a: spec.import.id: Not accepted by the API server: Required value.",
				"Error: m.yaml, document 1, Plain a: everything_plain.a: spec.import.identity: Not accepted by the " +
					"API server: There is no field spec.import.identity.",
			},
		},
		"timeouts": {manifest: thing("a", "lifecycle: {timeouts: {create: 1h30m}}"), want: []string{"everything_thing.a"}},
		"invalid timeout": {
			manifest: thing("a", "lifecycle: {timeouts: {delete: soon}}"),
			messages: []string{
				`Error: m.yaml, document 1, Thing a: everything_thing.a: Invalid timeout: spec.lifecycle.timeouts.delete is "soon".`,
			},
		},
		"unsupported combination of policies": {
			manifest: thing("a", "managementPolicies: [Create, Update]"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.managementPolicies: Unsupported " +
					"value: The combination Create, Update is not supported.",
			},
		},
		"spec.references": {
			manifest: thing("a", "references: [{to: forProvider.zones, from: {kind: Zone, name: z}}, {to: "+
				"forProvider.name, from: {kind: Zone, name: z}}]"),
			want: []string{"everything_thing.a"},
		},
		"taint by annotation": {
			manifest: strings.Replace(plain, "{name: a}", "{name: a, annotations: {landbridge.io/taint: x}}", 1),
			want:     []string{"everything_plain.a"},
			messages: []string{
				"Warning: m.yaml, document 1, Plain a: everything_plain.a: Not used: The annotation " +
					"landbridge.io/taint has an effect in a cluster only.",
			},
		},
		"observed only, and not described": {
			manifest: strings.Replace(thing("a", "managementPolicies: [Observe]\nimport: {id: x}"),
				"forProvider: {name: m, namespace: m, passwordSecretRef: {name: s, key: k}, someBlock: "+
					"[{maxAgeDays: 1}]}",
				"forProvider: {}", 1),
			want: []string{"everything_thing.a"},
		},
		"provider configuration": {
			manifest: plain + config("ClusterProviderConfig", "{name: default}",
				"{endpoint: e, apiTokenSecretRef: {name: s, namespace: prod, key: k}, retry: {maxAttempts: 3}}") +
				"---" + thing("a", "providerConfigRef: {kind: ProviderConfig, name: other}") +
				config("ProviderConfig", "{name: other, namespace: prod}",
					"{endpoint: e, apiTokenSecretRef: {name: s, key: k}}"),
			want: []string{"everything_plain.a", "everything_thing.a"},
		},
		"tokens of ServiceAccounts": {
			manifest: plain + config("ClusterProviderConfig", "{name: default}",
				"{endpoint: e, apiTokenSecretRef: {name: s, namespace: prod, key: k}, serviceAccountTokens: [{name: "+
					"t, audiences: [a], serviceAccountRef: {name: s, namespace: prod}}]}") + "---" + thing("a", ""),
			want: []string{"everything_plain.a", "everything_thing.a"},
			messages: []string{
				"Warning: m.yaml, document 2, ClusterProviderConfig default: spec.serviceAccountTokens: Not used: " +
					"Only the controller requests tokens",
			},
		},
		"an argument with the file of a token": {
			manifest: plain + config("ClusterProviderConfig", "{name: default}",
				"{endpoint: 'https://x/$(tokenFile.t)', apiTokenSecretRef: {name: s, namespace: prod, key: k}, "+
					"serviceAccountTokens: [{name: t, audiences: [a], serviceAccountRef: {name: s, "+
					"namespace: prod}}]}") + "---" + thing("a", ""),
			messages: []string{
				"Error: m.yaml, document 2, ClusterProviderConfig default: spec.serviceAccountTokens: Token not " +
					"available: An argument has the path of a token",
			},
		},
		"wrong provider configuration": {
			manifest: plain + config("ClusterProviderConfig", "{name: default}", "{endpoint: e, retri: {maxAttempts: 3}}"),
			messages: []string{
				"Error: m.yaml, document 2, ClusterProviderConfig default: spec.retri: Not accepted by the API " +
					"server: There is no field spec.retri (did you mean spec.retry?)",
			},
		},
		"no such provider configuration": {
			manifest: thing("a", "providerConfigRef: {kind: ProviderConfig, name: other}") +
				config("ProviderConfig", "{name: other}", "{endpoint: e}"),
			messages: []string{
				"Error: m.yaml, document 1, Thing a: everything_thing.a: spec.providerConfigRef: Provider " +
					"configuration not found: There is no ProviderConfig other in the manifest.",
			},
		},
		"no such kind of provider configuration": {
			manifest: thing("a", "providerConfigRef: {kind: Config, name: other}"),
			messages: []string{`Error: m.yaml, document 1, Thing a: everything_thing.a: spec.providerConfigRef.kind: Invalid provider configuration reference: It is "Config"`},
		},
		"the same address": {
			manifest: thing("a.b", "") + "---" + thing("a-b", "") + "---" + thing("a_b", ""),
			want:     []string{"everything_thing.a_b", "everything_thing.a-b"},
			messages: []string{
				"Error: m.yaml, document 4, Secret s: Duplicate object",
				"Error: m.yaml, document 6, Secret s: Duplicate object",
				"Error: m.yaml, document 5, Thing a_b: metadata.name: Invalid name",
			},
		},
		"the same name in two namespaces": {
			manifest: plain + "---" + strings.Replace(plain, "{name: a}", "{name: a, namespace: b}", 1),
			want:     []string{"everything_plain.a"},
			messages: []string{
				"Error: m.yaml, document 2, Plain a: Duplicate address: Its address in the state is " +
					"everything_plain.a, and so is that of the object in m.yaml, document 1, Plain a.",
			},
		},
		"no name": {
			manifest: strings.Replace(plain, "{name: a}", "{}", 1), messages: []string{
				"Error: m.yaml, document 1: metadata.name: Invalid name",
			},
		},
		"unknown kind": {
			manifest: strings.Replace(plain, "Plain", "Vlan", 1),
			messages: []string{
				"Error: m.yaml, document 1, Vlan a: Unknown kind: The provider has no kind Vlan of " +
					"everything.landbridge.io/v1alpha1. Its kinds are of everything.landbridge.io/v1alpha1; " +
					"landbridge provider inspect lists them.",
			},
		},
		"almost a kind": {
			manifest: strings.Replace(plain, "Plain", "everything_plain", 1),
			messages: []string{
				"Error: m.yaml, document 1, everything_plain a: Unknown kind: The provider has no kind " +
					"everything_plain of everything.landbridge.io/v1alpha1. Did you mean Plain of " +
					"everything.landbridge.io/v1alpha1?",
			},
		},
		"objects for a cluster": {
			manifest: "apiVersion: landbridge.io/v1alpha1\nkind: TerraformProvider\nmetadata: {name: everything}\nspec: {source: x}\n---" + plain,
			want:     []string{"everything_plain.a"},
			messages: []string{"Warning: m.yaml, document 1, TerraformProvider everything: Not used"},
		},
		"nothing":   {manifest: "# nothing\n", messages: []string{"Error: Nothing to do"}},
		"no object": {manifest: "just text", messages: []string{"Error: m.yaml, document 1: Not a Kubernetes object"}},
		"no kind": {
			manifest: "a: b", messages: []string{
				"Error: m.yaml, document 1: Not a Kubernetes object: apiVersion and kind must be set.",
			},
		},
		"no YAML": {
			manifest: plain + "---\n\na: [b\n", want: []string{"everything_plain.a"}, messages: []string{
				"Error: m.yaml, document 2: Invalid YAML: line 8: ",
			},
		},
		"the same key": {
			manifest: "a: b\na: c\n",
			messages: []string{"Error: m.yaml, document 1: Invalid YAML: line 2: key \"a\" already set in map."},
		},
		"wrong base64": {
			manifest: "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: '!hunter2secret'}\n",
			messages: []string{"Error: m.yaml, document 1, Secret s: Invalid Secret: illegal base64 data"},
		},
		"yaml bomb":     {manifest: bomb(), messages: []string{"Error: m.yaml, document 1: Invalid YAML"}},
		"deeply nested": {manifest: strings.Repeat("[", 20000), messages: []string{"Error: m.yaml, document 1: Invalid YAML"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, messages := local.ReadManifest(everything(t), []local.Source{{Name: "m.yaml", Data: []byte(test.manifest)}})
			var got []string
			for _, r := range m.Resources {
				got = append(got, r.Address())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if len(messages) != len(test.messages) {
				t.Errorf("got messages\n%s", messages)
			}
			for i, m := range messages {
				text := place.ReplaceAllString(string(m.Severity)+": "+local.Messages{m}.String(), "")
				if i < len(test.messages) && !strings.HasPrefix(text, test.messages[i]) {
					t.Errorf("got  %s\nwant %s", text, test.messages[i])
				}
			}
			if strings.Contains(messages.String(), "hunter2secret") {
				t.Errorf("a secret is in %s", messages)
			}
		})
	}
}

// place is where in the file a document is.
var place = regexp.MustCompile(` \(line \d+\)`)

func TestLines(t *testing.T) {
	t.Parallel()
	_, messages := local.ReadManifest(everything(t), []local.Source{{
		Name: "m.yaml", Data: []byte("---\n\n\na: b\n--- # c\nc: d\n---\ne: f\n"),
	}})
	var got []string
	for _, m := range messages {
		got = append(got, m.Source)
	}
	want := []string{"m.yaml, document 1 (line 4)", "m.yaml, document 2 (line 5)", "m.yaml, document 3 (line 8)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// bomb is a small document that would be a large one.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		d := string(rune('a' + i))
		p := "a0"
		if i > 1 {
			p = string(rune('a'+i-1)) + "0"
		}
		b.WriteString(d + "0: &" + d + "0 [" + strings.TrimSuffix(strings.Repeat("*"+p+", ", 9), ", ") + "]\n")
	}
	return b.String()
}

func TestReadSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"b.yaml": "b", "a.yml": "a", "c.json": "c", "d.txt": "d"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := local.ReadSources([]string{dir, "-", filepath.Join(dir, "d.txt")}, strings.NewReader("stdin"))
	if err != nil {
		t.Fatal(err)
	}
	var contents []string
	for _, s := range got {
		contents = append(contents, string(s.Data))
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "stdin", "d"}, contents); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for _, path := range []string{filepath.Join(dir, "missing"), t.TempDir()} {
		if _, err := local.ReadSources([]string{path}, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("got error %v, which does not name %s", err, path)
		}
	}
}

// No manifest makes it panic or hang, and what it takes it takes again.
func FuzzReadManifest(f *testing.F) {
	for _, seed := range []string{
		plain, thing("a", "lifecycle: {ignoreChanges: [tags.a]}\nimport: {id: x}"), plain + "---\n" + plain,
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: []}]\n", "--- {a: b}\n...\n", bomb()[:200],
		"apiVersion: everything.landbridge.io/v1alpha1\nkind: ClusterProviderConfig\nmetadata: {name: default}\nspec: {endpoint: e}\n",
	} {
		f.Add([]byte(seed))
	}
	p := everything(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: data}})
		if len(m.Resources) == 0 && !messages.HasErrors() {
			t.Error("there is nothing to do, and nothing is said of it")
		}
		again, _ := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: data}})
		if len(again.Resources) != len(m.Resources) {
			t.Error("it was read otherwise the second time")
		}
		for _, r := range m.Resources {
			if r.Model == nil || r.Name == "" {
				t.Errorf("got %+v", r)
			}
		}
	})
}
