package kinds_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// cluster is a manager of a fake client.
type cluster struct {
	manager.Manager
	client client.Client
}

func (c cluster) GetClient() client.Client { return c.client }

func (c cluster) GetAPIReader() client.Reader { return c.client }

const group = "example.org"

func instanceOf(kind, namespace, name string, change func(*unstructured.Unstructured)) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	u.SetAPIVersion(group + "/v1alpha1")
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	change(u)
	return u
}

// runtimeOf returns the Runtime of a cluster in which "owner" has the given objects, of the kinds
// Thing, ProviderConfig and ClusterProviderConfig.
func runtimeOf(objects ...client.Object) (*kinds.Runtime, client.Client) {
	scheme := runtime.NewScheme()
	var definitions []runtime.Object
	for _, kind := range []string{"Thing", "ProviderConfig", "ClusterProviderConfig"} {
		gvk := kschema.GroupVersionKind{Group: group, Version: "v1alpha1", Kind: kind}
		scheme.AddKnownTypeWithName(gvk, &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(gvk.GroupVersion().WithKind(kind+"List"), &unstructured.UnstructuredList{})
		d := definition(kind+"."+group, true)
		d.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List"}
		definitions = append(definitions, d)
	}
	c := clientfake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	return &kinds.Runtime{
		Manager: cluster{client: c},
		CRDs:    fake.NewClientset(definitions...).ApiextensionsV1().CustomResourceDefinitions(),
	}, c
}

// Provider configurations that are not in use can be deleted when their provider is gone.
func TestReleaseConfigs(t *testing.T) {
	t.Parallel()
	finalized := func(u *unstructured.Unstructured) { u.SetFinalizers([]string{v1alpha1.FinalizerInUse, "other"}) }
	deleted := func(u *unstructured.Unstructured) {
		u.SetFinalizers([]string{v1alpha1.FinalizerInUse})
		u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	}
	uses := func(kind, name string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			u.Object["spec"] = map[string]any{"providerConfigRef": map[string]any{"kind": kind, "name": name}}
		}
	}
	rt, c := runtimeOf(
		instanceOf("ProviderConfig", "team", "unused", finalized),
		instanceOf("ProviderConfig", "team", "deleted", deleted),
		instanceOf("ProviderConfig", "team", "used", finalized),
		instanceOf("ProviderConfig", "team", "used-by-module", finalized),
		instanceOf("ProviderConfig", "other", "used", finalized),
		instanceOf("ClusterProviderConfig", "", "used", finalized),
		instanceOf("ClusterProviderConfig", "", "default", finalized),
		instanceOf("ClusterProviderConfig", "", "unused", deleted),
		instanceOf("Thing", "team", "one", uses("ProviderConfig", "used")),
		instanceOf("Thing", "team", "two", uses("ClusterProviderConfig", "used")),
		instanceOf("Thing", "team", "three", func(*unstructured.Unstructured) {}),
	)
	rt.OtherUsers = func(_ context.Context, provider string, ref providerconfig.Reference) []providerconfig.User {
		if provider == "owner" && ref == (providerconfig.Reference{Kind: "ProviderConfig", Namespace: "team", Name: "used-by-module"}) {
			return []providerconfig.User{{Key: store.Key{Namespace: "team"}, Wake: func() {}}}
		}
		return nil
	}
	if err := rt.ReleaseConfigs(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, kind := range []string{"ProviderConfig", "ClusterProviderConfig"} {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(group + "/v1alpha1")
		list.SetKind(kind + "List")
		if err := c.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for _, u := range list.Items {
			held := false
			for _, f := range u.GetFinalizers() {
				held = held || f == v1alpha1.FinalizerInUse
			}
			got[kind+" "+u.GetNamespace()+" "+u.GetName()] = held
		}
	}
	want := map[string]bool{
		"ProviderConfig team unused": false, "ProviderConfig team used": true, "ProviderConfig team used-by-module": true,
		"ProviderConfig other used": false, "ClusterProviderConfig  used": true, "ClusterProviderConfig  default": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configurations with the finalizer (-want +got):\n%s", diff)
	}
}

// A provider is removed only when the resources that are being deleted are gone.
func TestBeingDeleted(t *testing.T) {
	t.Parallel()
	deleted := func(finalizer string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			u.SetFinalizers([]string{finalizer})
			u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
		}
	}
	rt, _ := runtimeOf(
		instanceOf("Thing", "team", "stays", func(*unstructured.Unstructured) {}),
		instanceOf("Thing", "team", "created", deleted(v1alpha1.FinalizerCreated)),
		instanceOf("Thing", "team", "managed", deleted("finalizer.managedresource.crossplane.io")),
		instanceOf("Thing", "team", "foreign", deleted("example.org/other")),
		instanceOf("ProviderConfig", "team", "config", deleted(v1alpha1.FinalizerInUse)),
	)
	if n, err := rt.BeingDeleted(t.Context(), "owner"); n != 2 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	rt.OthersBeingDeleted = func(_ context.Context, provider string) (int, error) { return len(provider), nil }
	if n, err := rt.BeingDeleted(t.Context(), "owner"); n != 7 || err != nil {
		t.Errorf("with instances of modules: got %d, %v", n, err)
	}
}
