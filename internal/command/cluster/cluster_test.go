package cluster_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/internal/translate"
)

type m = map[string]any

func connect(t *testing.T, server *playgroundtest.Server) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve makes a CRD and waits until it is served, which is a moment after it is established.
func serve(t *testing.T, c client.Client, definition *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	if err := c.Create(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(schema.GroupVersionKind{
		Group: definition.Spec.Group, Version: definition.Spec.Versions[0].Name, Kind: definition.Spec.Names.ListKind,
	})
	waittest.Eventually(t, definition.Name+" is served", func(ctx context.Context) bool {
		if err := c.Get(ctx, client.ObjectKeyFromObject(definition), definition); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(definition.Status.Conditions, func(x apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return x.Type == apiextensionsv1.Established && x.Status == apiextensionsv1.ConditionTrue
		}) && c.List(ctx, all) == nil
	})
}

func create(t *testing.T, c client.Client, o client.Object) {
	t.Helper()
	if err := waittest.Succeed(t.Context(), func(ctx context.Context) error { return c.Create(ctx, o) }); err != nil {
		t.Fatal(err)
	}
}

func object(apiVersion, kind, namespace, name string, content m) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

func TestCluster(t *testing.T) {
	t.Parallel()
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := connect(t, server)
	x := &cluster.Reader{Client: c, Installer: &install.Installer{CacheDir: t.TempDir()}}
	fails := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %s", err, want)
		}
	}

	_, err := x.Providers(t.Context())
	fails(err, "the cluster has no TerraformProviders: Landbridge's controller was never started in it")
	definition, err := v1alpha1.CustomResourceDefinition()
	if err != nil {
		t.Fatal(err)
	}
	serve(t, c, definition)
	_, err = x.Providers(t.Context())
	fails(err, "there is no TerraformProvider in the cluster")
	path := examplecloudtest.Provider(t, examplecloudtest.Framework6)
	for name, source := range map[string]string{"cloud": path, "another": "example.org/no/where"} {
		create(t, c, &v1alpha1.TerraformProvider{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       v1alpha1.TerraformProviderSpec{Source: source, Activate: []string{"examplecloud_*"}},
		})
	}
	all, err := x.Providers(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "another" {
		t.Fatalf("%v, %v", all, err)
	}
	_, err = x.Open(t.Context(), &all[0])
	fails(err, "TerraformProvider another: ")
	_, err = x.Providers(t.Context(), "cloud", "none")
	fails(err, "there is no TerraformProvider none in the cluster")
	if all, err = x.Providers(t.Context(), "cloud"); err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	p, err := x.Open(t.Context(), &all[0])
	if err != nil || p.Model.Name != "examplecloud" || p.Source != path ||
		cmp.Diff([]string{"examplecloud_*"}, p.Activate[model.Managed]) != "" {
		t.Fatalf("%+v, %v", p, err)
	}

	// Configurations.
	const api = "examplecloud.landbridge.io/v1alpha1"
	secrets := &redact.Redactor{}
	_, err = x.Configuration(t.Context(), p.Model,
		providerconfig.Reference{Kind: "ClusterProviderConfig", Namespace: "", Name: "default"}, secrets)
	fails(err, "there is no ClusterProviderConfig default of examplecloud.landbridge.io in the cluster")
	for _, d := range crd.ProviderConfig(p.Model) {
		serve(t, c, d)
	}
	create(t, c, object(api, "ClusterProviderConfig", "", "default", m{
		"spec": m{"endpoint": "http://x", "tokenSecretRef": m{"name": "s", "namespace": "default", "key": "k"}},
	}))
	create(t, c, object(api, "ProviderConfig", "default", "own", m{"spec": m{"endpoint": "http://y"}}))
	_, err = x.Configuration(t.Context(), p.Model,
		providerconfig.Reference{Kind: "ClusterProviderConfig", Namespace: "ignored", Name: "default"}, secrets)
	fails(err, "ClusterProviderConfig default: spec.tokenSecretRef: Invalid Secret reference: there is no Secret s in namespace default")
	create(t, c, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "s"}, Data: map[string][]byte{
			"k": []byte("a-token-never-shown"),
		},
	})
	v, err := x.Configuration(t.Context(), p.Model,
		providerconfig.Reference{Kind: "ClusterProviderConfig", Namespace: "ignored", Name: "default"}, secrets)
	if err != nil || v.GetAttr("token").AsString() != "a-token-never-shown" {
		t.Errorf("%#v, %v", v, err)
	}
	if got := secrets.Replacer().Replace("a-token-never-shown"); got != redact.Concealed {
		t.Errorf("the token is not known as a secret: %s", got)
	}
	if v, err = x.Configuration(t.Context(), p.Model, providerconfig.Reference{
		Kind: "ProviderConfig", Namespace: "default", Name: "own",
	}, secrets); err != nil || v.GetAttr("endpoint").AsString() != "http://y" {
		t.Errorf("%#v, %v", v, err)
	}
	_, err = x.Configuration(t.Context(), p.Model,
		providerconfig.Reference{Kind: "ProviderConfig", Namespace: "elsewhere", Name: "own"}, secrets)
	fails(err, "there is no ProviderConfig elsewhere/own of examplecloud.landbridge.io in the cluster")
	tokens := []any{m{"name": "cloud", "serviceAccountRef": m{"name": "builder"}, "audiences": []any{"cloud"}}}
	create(t, c, object(api, "ProviderConfig", "default", "tokens", m{"spec": m{"endpoint": "http://y", "serviceAccountTokens": tokens}}))
	_, err = x.Configuration(t.Context(), p.Model,
		providerconfig.Reference{Kind: "ProviderConfig", Namespace: "default", Name: "tokens"}, secrets)
	fails(err, "ProviderConfig tokens has spec.serviceAccountTokens: only the controller requests tokens of ServiceAccounts")

	// Accounts.
	create(t, c, object(api, "ClusterProviderConfig", "", "same", m{"spec": m{"endpoint": "http://y"}}))
	for name, account := range map[string]string{"declared": "east", "declared-too": "east"} {
		u := object(api, "ClusterProviderConfig", "", name, m{"spec": m{"endpoint": "http://" + name}})
		u.SetAnnotations(map[string]string{v1alpha1.AnnotationAccount: account})
		create(t, c, u)
	}
	account := func(kind, name string) ownership.Account {
		return x.Account(t.Context(), p.Model, p.Launcher, providerconfig.Reference{Kind: kind, Namespace: "default", Name: name}, secrets)
	}
	own := account("ProviderConfig", "own")
	for name, test := range map[string]struct {
		with ownership.Account
		same bool
	}{
		"the same arguments":   {with: account("ClusterProviderConfig", "same"), same: true},
		"other arguments":      {with: account("ClusterProviderConfig", "default")},
		"a token of its own":   {with: account("ProviderConfig", "tokens")},
		"no configuration":     {with: account("ProviderConfig", "none")},
		"declared for another": {with: account("ClusterProviderConfig", "declared")},
	} {
		if own.Same(test.with) != test.same {
			t.Errorf("%s: same account: %t, want %t", name, !test.same, test.same)
		}
	}
	if none := account("ProviderConfig", "none"); none.Same(none) ||
		!account("ClusterProviderConfig", "declared").Same(account("ClusterProviderConfig", "declared-too")) {
		t.Error("what is not known, or declared, is not compared")
	}
	_, err = x.Configuration(t.Context(), p.Model, providerconfig.Reference{Kind: "Thing", Namespace: "", Name: "own"}, secrets)
	fails(err, `"Thing" is neither ProviderConfig nor ClusterProviderConfig`)

	// Resources.
	thing := p.Model.Resources["examplecloud_thing"]
	if none, err := x.Resources(t.Context(), thing); err != nil || none != nil {
		t.Errorf("a kind that is not served: %v, %v", none, err)
	}
	kind, err := crd.Resource(thing)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, c, kind)
	resource := func(name string, annotations map[string]string, spec m) *unstructured.Unstructured {
		spec["forProvider"] = m{"name": name}
		u := object(api, "Thing", "default", name, m{"spec": spec})
		u.SetAnnotations(annotations)
		create(t, c, u)
		return u
	}
	told := resource("a-told", map[string]string{
		v1alpha1.AnnotationIdentity: `{"id":"old","region":"east"}`, "crossplane.io/external-name": "told",
	}, m{})
	told.Object["status"] = m{"identity": m{"id": "t", "region": "east"}}
	if err := c.Status().Update(t.Context(), told); err != nil {
		t.Fatal(err)
	}
	resource("b-noted", map[string]string{v1alpha1.AnnotationIdentity: `{"id":"n","region":"east"}`}, m{
		"providerConfigRef": m{"kind": "ProviderConfig", "name": "own"},
	})
	resource("c-asked", map[string]string{v1alpha1.AnnotationIdentity: `not JSON`}, m{"import": m{"identity": m{"id": "i"}}})
	resource("d-by-id", nil, m{"import": m{"id": "x"}})
	resource("e-new", map[string]string{v1alpha1.AnnotationIdentity: `{"uuid":"of an older schema"}`}, m{})
	found, err := x.Resources(t.Context(), thing)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range found {
		got = append(got, strings.Join([]string{
			r.String(), translate.CanonicalIdentity(r.Identity), r.ExternalName,
			r.ConfigurationKind + "/" + r.ConfigurationName,
		}, " "))
	}
	want := []string{
		"default/a-told id=t,region=east told ClusterProviderConfig/default",
		"default/b-noted id=n,region=east  ProviderConfig/own",
		"default/c-asked id=i  ClusterProviderConfig/default",
		"default/d-by-id  x ClusterProviderConfig/default",
		"default/e-new   ClusterProviderConfig/default",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got, want := found[1].Configuration(),
		(providerconfig.Reference{Kind: "ProviderConfig", Namespace: "default", Name: "own"}); got != want {
		t.Errorf("a resource uses %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Resources(ctx, thing); err == nil {
		t.Error("an error is taken for no resources")
	}
}
