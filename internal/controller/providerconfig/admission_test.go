package providerconfig_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

// launcher starts no servers.
type launcher struct{}

func (launcher) Launch(context.Context) (provider.Server, error) {
	return nil, errors.New("not started")
}
func (launcher) Key() string { return "cloud" }

// resolver returns a resolver of a provider with a secret in its configuration, and the client that
// it reads with.
func resolver(t *testing.T, listed bool, objects ...client.Object) (*providerconfig.Resolver, client.Client) {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{Attributes: map[string]*schema.Attribute{
		"token": {Type: cty.String, Optional: true, Sensitive: true},
	}}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{model.ProviderConfigKind, model.ClusterProviderConfigKind} {
		gvk := kschema.GroupVersionKind{Group: p.Group, Version: p.Version, Kind: kind}
		scheme.AddKnownTypeWithName(gvk, &unstructured.Unstructured{})
		gvk.Kind += "List"
		scheme.AddKnownTypeWithName(gvk, &unstructured.UnstructuredList{})
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	return &providerconfig.Resolver{
		Client: c, Live: c, Provider: p, Pool: pool.New(pool.Options{}), Launcher: launcher{},
		Admission: &providerconfig.Admission{Live: c, Listed: listed},
	}, c
}

func configuration(kind, namespace string, spec m) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: m{
		"apiVersion": "cloud.landbridge.io/v1alpha1", "kind": kind, "metadata": m{"name": "shared", "uid": "1"}, "spec": spec,
	}}
	u.SetNamespace(namespace)
	return u
}

func TestAllowedNamespaces(t *testing.T) {
	t.Parallel()
	selects := func(selector m) m { return m{"selector": selector} }
	tests := map[string]struct {
		kind    string
		allowed m
		listed  bool
		want    bool
	}{
		"default":               {want: true},
		"default with the flag": {listed: true},
		"name":                  {allowed: m{"names": []any{"other", "team-a"}}, want: true},
		"name, with the flag":   {allowed: m{"names": []any{"other", "team-a"}}, listed: true, want: true},
		"another name":          {allowed: m{"names": []any{"other", "team-ab", "*"}}},
		"none":                  {allowed: m{}},
		"label":                 {allowed: selects(m{"matchLabels": m{"tier": "gold"}}), want: true},
		"expression": {
			allowed: selects(m{"matchExpressions": []any{m{"key": "tier", "operator": "Exists"}}}), want: true,
		},
		"another label": {allowed: selects(m{"matchLabels": m{"tier": "silver"}})},
		"all":           {allowed: selects(m{}), listed: true, want: true},
		"another label, but the name": {
			allowed: m{"names": []any{"team-a"}, "selector": m{"matchLabels": m{"tier": "silver"}}}, want: true,
		},
		"invalid selector":                     {allowed: selects(m{"matchExpressions": []any{m{"key": "tier", "operator": "Like"}}})},
		"malformed":                            {allowed: m{"names": "team-a"}},
		"its own configuration, with the flag": {kind: model.ProviderConfigKind, listed: true, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, namespace := model.ClusterProviderConfigKind, ""
			if test.kind != "" {
				kind, namespace = test.kind, "team-a"
			}
			spec := m{}
			if test.allowed != nil {
				spec["allowedNamespaces"] = test.allowed
			}
			r, _ := resolver(t, test.listed, configuration(kind, namespace, spec),
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: map[string]string{"tier": "gold"}}})
			h := r.Resolve(t.Context(), &xpv2.ProviderConfigReference{Kind: kind, Name: "shared"}, "team-a")
			if got := !h.Diagnostics.HasErrors(); got != test.want {
				t.Errorf("allowed: %t, want %t: %v", got, test.want, h.Diagnostics)
			}
		})
	}
}

// A namespace that may not use a configuration learns nothing of it, gets nothing that was resolved
// for others, and destroys nothing with it.
func TestDeniedNamespace(t *testing.T) {
	t.Parallel()
	u := configuration(model.ClusterProviderConfigKind, "", m{
		"allowedNamespaces": m{"names": []any{"team-a"}},
		"tokenSecretRef":    m{"namespace": "vault", "name": "hidden", "key": "token"},
	})
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "vault", Name: "hidden"}, Data: map[string][]byte{
			"token": []byte("s3cr3t"),
		},
	}
	r, c := resolver(t, false, u, secret)
	ref := &xpv2.ProviderConfigReference{Kind: model.ClusterProviderConfigKind, Name: "shared"}
	denied := func(when string) {
		t.Helper()
		h := r.Resolve(t.Context(), ref, "team-b").Last()
		if !h.Denied || len(h.Secrets) != 0 {
			t.Errorf("%s: denied: %t, secrets: %d", when, h.Denied, len(h.Secrets))
		}
		if text := h.Diagnostics.Errors().String(); strings.Contains(text, "vault") ||
			strings.Contains(text, "hidden") || !strings.Contains(text, "spec.allowedNamespaces") {
			t.Errorf("%s: %s", when, text)
		}
		if _, _, diags := h.Acquire(t.Context()); !diags.HasErrors() {
			t.Errorf("%s: it can be used", when)
		}
	}
	denied("at first")
	h := r.Resolve(t.Context(), ref, "team-a")
	if h.Diagnostics.HasErrors() || len(h.Secrets) != 1 {
		t.Fatalf("allowed: %d secrets, %v", len(h.Secrets), h.Diagnostics)
	}
	denied("after others have used it")
	for _, gone := range []client.Object{secret, u} {
		if err := c.Delete(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		denied("without " + gone.GetName())
	}
	if h := r.Resolve(t.Context(), ref, "team-a").Last(); h.Diagnostics.HasErrors() {
		t.Errorf("those who were allowed cannot destroy their objects: %v", h.Diagnostics)
	}
}

// The denied handle of one provider denies what needs several.
func TestJoinIsDeniedWithOne(t *testing.T) {
	t.Parallel()
	held := 0
	a, b := leased("a", &held), leased("b", &held)
	b.Denied = true
	joined := providerconfig.Map(providerconfig.Join(map[string]providerconfig.Handle[string]{"x": a, "y": b}),
		func(map[string]string) string { return "" })
	if !joined.Denied {
		t.Error("it is not denied")
	}
}
