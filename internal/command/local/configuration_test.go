package local_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
)

func TestReadConfigurations(t *testing.T) {
	t.Parallel()
	const (
		cluster = model.ClusterProviderConfigKind
		config  = model.ProviderConfigKind
		head    = "---\napiVersion: everything.landbridge.io/v1alpha1\n"
		secret  = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: prod}\nstringData: {k: hunter2secret}\n"
	)
	p := everything(t)
	empty := p.Schema.Config.EmptyValue()
	tests := map[string]struct {
		manifest              string
		kind, namespace, name string
		token                 string // of what is found
		want                  string // error or messages
	}{
		"none is needed": {kind: cluster, name: "default"},
		"but only the default": {
			kind: cluster, name: "other",
			want: "there is no ClusterProviderConfig other of everything.landbridge.io in the files",
		},
		"resources and others are passed over": {
			manifest: plain + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n", kind: cluster, name: "default",
		},
		"with a Secret": {
			manifest: head + "kind: ClusterProviderConfig\nmetadata: {name: default}\nspec: {endpoint: e, " +
				"apiTokenSecretRef: {name: s, namespace: prod, key: k}}\n" + secret,
			kind: cluster, name: "default", token: "hunter2secret",
		},
		"namespaced": {
			manifest: head + "kind: ProviderConfig\nmetadata: {name: a, namespace: prod}\nspec: {endpoint: e, " +
				"apiTokenSecretRef: {name: s, key: k}}\n" + secret,
			kind: config, namespace: "prod", name: "a", token: "hunter2secret",
		},
		"of another namespace": {
			manifest: head + "kind: ProviderConfig\nmetadata: {name: a, namespace: prod}\nspec: {endpoint: e, " +
				"apiTokenSecretRef: {name: s, key: k}}\n" + secret,
			kind: config, name: "a", want: "there is no ProviderConfig default/a of everything.landbridge.io in the files",
		},
		"neither kind": {kind: "Thing", name: "a", want: `"Thing" is neither ProviderConfig nor ClusterProviderConfig`},
		"wrong": {
			manifest: head + "kind: ClusterProviderConfig\nmetadata: {name: default}\nspec: {endpoint: e, nonsense: 1}\n",
			kind:     cluster, name: "default", want: "spec.nonsense: Not accepted by the API server: There is no field spec.nonsense.",
		},
		"not YAML": {manifest: "a: [", kind: cluster, name: "default", want: "Invalid YAML"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets := &redact.Redactor{}
			c, messages := local.ReadConfigurations(p, []local.Source{{Name: "c.yaml", Data: []byte(test.manifest)}}, secrets)
			if messages.HasErrors() {
				if test.want == "" || !strings.Contains(messages.String(), test.want) {
					t.Fatalf("got %s, want %q", messages, test.want)
				}
				return
			}
			v, err := c.Find(test.kind, test.namespace, test.name)
			if err != nil {
				if diff := cmp.Diff(test.want, err.Error()); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
				return
			}
			if test.want != "" {
				t.Fatalf("no error, want %q", test.want)
			}
			if test.token == "" {
				if !v.RawEquals(empty) {
					t.Errorf("got %#v", v)
				}
				return
			}
			if got := v.GetAttr("api_token"); !got.RawEquals(cty.StringVal(test.token)) {
				t.Errorf("got %#v", got)
			}
			if got := secrets.Replacer().Replace(test.token); got == test.token {
				t.Error("the secret is not known as one")
			}
		})
	}
}
