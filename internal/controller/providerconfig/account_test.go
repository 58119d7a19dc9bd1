package providerconfig_test

import (
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// variables are the environment of a launcher.
type variables struct {
	launcher
	environment map[string]string
}

func (v variables) Variables() map[string]string { return v.environment }

func tokenIn(namespace, name, token string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"token": []byte(token)}}
}

// account returns the account of a configuration with a token.
func account(t *testing.T, kind, token string, l provider.Launcher, annotations map[string]string) ownership.Account {
	t.Helper()
	namespace, spec := "", m{}
	if kind == model.ProviderConfigKind {
		namespace = "team-a"
	}
	if token != "" {
		spec["tokenSecretRef"] = m{"namespace": "team-a", "name": "token", "key": "token"}
	}
	u := configuration(kind, namespace, spec)
	u.SetAnnotations(annotations)
	r, _ := resolver(t, false, u, tokenIn("team-a", "token", token))
	r.Launcher = l
	h := r.Resolve(t.Context(), &xpv2.ProviderConfigReference{Kind: kind, Name: "shared"}, "team-a")
	if h.Diagnostics.HasErrors() {
		t.Fatal(h.Diagnostics)
	}
	return h.Account
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	const cluster, own = model.ClusterProviderConfigKind, model.ProviderConfigKind
	declared := map[string]string{"landbridge.io/account": "production"}
	first := account(t, cluster, "s3cr3t", launcher{}, nil)
	if first.Content == "" || first.Declared != "" || strings.Contains(first.Content, "s3cr3t") {
		t.Errorf("account %+v", first)
	}
	tests := map[string]struct {
		got            ownership.Account
		same, declared bool
	}{
		"the same content in a namespace": {got: account(t, own, "s3cr3t", launcher{}, nil), same: true},
		"another token":                   {got: account(t, cluster, "other", launcher{}, nil)},
		"no token":                        {got: account(t, cluster, "", launcher{}, nil)},
		"another environment":             {got: account(t, cluster, "s3cr3t", variables{environment: map[string]string{"ACCOUNT": "2"}}, nil)},
		"declared":                        {got: account(t, cluster, "other", launcher{}, declared), declared: true},
		"declared in a namespace":         {got: account(t, own, "other", launcher{}, declared)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if (test.got.Content == first.Content) != test.same || test.got.Content == "" {
				t.Errorf("same account: %t, want %t", !test.same, test.same)
			}
			if (test.got.Declared == "production") != test.declared || !test.declared && test.got.Declared != "" {
				t.Errorf("declared account %q", test.got.Declared)
			}
		})
	}
}

// Objects stay claimed while the configuration of their owner cannot be resolved.
func TestAccountOutlastsFailures(t *testing.T) {
	t.Parallel()
	u := configuration(model.ClusterProviderConfigKind, "", m{"tokenSecretRef": m{"namespace": "vault", "name": "token", "key": "token"}})
	secret := tokenIn("vault", "token", "s3cr3t")
	r, c := resolver(t, false, u, secret)
	ref := &xpv2.ProviderConfigReference{Kind: model.ClusterProviderConfigKind, Name: "shared"}
	before := r.Resolve(t.Context(), ref, "team-a")
	if err := c.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	changed := &unstructured.Unstructured{}
	changed.SetGroupVersionKind(u.GroupVersionKind())
	changed.SetName("shared")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(changed), changed); err != nil {
		t.Fatal(err)
	}
	changed.SetLabels(map[string]string{"changed": "yes"})
	if err := c.Update(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	after := r.Resolve(t.Context(), ref, "team-a")
	mapped := providerconfig.Map(after, func(s provider.Server) provider.Server { return s })
	if !after.Diagnostics.HasErrors() || before.Account.Content == "" || after.Account != before.Account || mapped.Account != before.Account {
		t.Errorf("account %+v, then %+v, mapped %+v: %v", before.Account, after.Account, mapped.Account, after.Diagnostics)
	}
}

// What is stored of an account depends on its arguments, and on no secret.
func TestStoredAccount(t *testing.T) {
	config := &schema.Block{Attributes: map[string]*schema.Attribute{
		"endpoint": {Type: cty.String, Optional: true},
		"user":     {Type: cty.String, Optional: true},
		"password": {Type: cty.String, Optional: true, Sensitive: true},
	}}
	p := &model.Provider{Schema: &schema.Provider{Config: config}}
	value := func(endpoint, user, password cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"endpoint": endpoint, "user": user, "password": password})
	}
	none := cty.NullVal(cty.String)
	of := func(v cty.Value, key providerconfig.AccountKey, secret ...cty.Path) instance.Configuration {
		u := &unstructured.Unstructured{}
		u.SetKind("ClusterProviderConfig")
		u.SetUID("uid")
		u.SetAnnotations(map[string]string{"landbridge.io/account": "x"})
		stored := providerconfig.StoredAccount("g/ClusterProviderConfig//dev", u,
			translate.Configuration{Value: v, SensitivePaths: secret}, p, key)
		return stored.Configurations()[""]
	}
	key := providerconfig.AccountKey{1}
	first := of(value(cty.StringVal("a"), cty.StringVal("u"), cty.StringVal("p")), key)
	if first.Name != "g/ClusterProviderConfig//dev" || first.UID != "uid" || first.Declared != "x" || first.Arguments == "" {
		t.Errorf("stored is %+v", first)
	}
	tests := map[string]struct {
		v      cty.Value
		key    providerconfig.AccountKey
		secret []cty.Path
		same   bool
	}{
		"another password": {value(cty.StringVal("a"), cty.StringVal("u"), cty.StringVal("q")), key, nil, true},
		"no password":      {value(cty.StringVal("a"), cty.StringVal("u"), none), key, nil, true},
		"another endpoint": {value(cty.StringVal("b"), cty.StringVal("u"), cty.StringVal("p")), key, nil, false},
		"the user is secret": {
			value(cty.StringVal("a"), cty.StringVal("u"), cty.StringVal("p")), key,
			[]cty.Path{cty.GetAttrPath("user")}, false,
		},
		"another key": {value(cty.StringVal("a"), cty.StringVal("u"), cty.StringVal("p")), providerconfig.AccountKey{2}, nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := of(test.v, test.key, test.secret...); (got.Arguments == first.Arguments) != test.same {
				t.Errorf("the arguments are the same: %v", !test.same)
			}
		})
	}
	p.AccountFrom = []string{"endpoint"}
	naming := of(value(cty.StringVal("a"), cty.StringVal("u"), none), key).Naming
	if other := of(value(cty.StringVal("a"), none, none), key).Naming; naming == "" || other != naming {
		t.Errorf("the same endpoint has the hashes %q and %q", naming, other)
	}
	if other := of(value(cty.StringVal("b"), none, none), key).Naming; other == naming {
		t.Error("two endpoints have the same hash")
	}
	if other := of(value(none, cty.StringVal("u"), none), key).Naming; other != "" {
		t.Error("no endpoint names an account")
	}
	if got := of(value(none, none, cty.StringVal("p")), key); got.Arguments != "" {
		t.Error("a secret is an argument")
	}
	if got := of(value(cty.StringVal("a"), none, none), providerconfig.AccountKey{}); got != (instance.Configuration{}) {
		t.Errorf("without a key that others have, %+v is stored", got)
	}
}
