package kinds_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// data makes a data source of a provider.
func data(provider, kind, namespace, name string, spec m) *unstructured.Unstructured {
	if spec["providerConfigRef"] == nil {
		spec["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "default"}
	}
	return object("data."+group(provider)+"/v1alpha1", kind, namespace, name, spec)
}

func (x *cluster) configured(t *testing.T, provider string) (namespace string) {
	t.Helper()
	namespace = x.Namespace(t)
	x.MustCreate(t, object(group(provider)+"/v1alpha1", "ProviderConfig", namespace, "default", m{"endpoint": x.cloud.URL}))
	return namespace
}

func TestForms(t *testing.T) {
	x := newCluster(t)
	for _, form := range examplecloudtest.Forms {
		path := filepath.Join(scratch, "terraform-provider-"+form)
		if err := os.Symlink(examplecloudtest.Provider(t, form), path); err != nil {
			t.Fatal(err)
		}
		x.install(t, form, path, m{"activate": []any{"examplecloud_record", "examplecloud_credential", "examplecloud_thing"}})
	}
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			t.Run("record", func(t *testing.T) { x.tryRecord(t, form) })
			t.Run("credential", func(t *testing.T) { x.tryCredential(t, form) })
			t.Run("ownership", func(t *testing.T) { x.tryOwnership(t, form) })
			t.Run("query", func(t *testing.T) { x.tryQuery(t, form) })
			if form != examplecloudtest.SDKv2 { // which has no functions, ephemeral resources and actions
				t.Run("function", func(t *testing.T) { x.tryFunction(t, form) })
				t.Run("token", func(t *testing.T) { x.tryToken(t, form) })
				t.Run("invoke", func(t *testing.T) { x.tryInvoke(t, form) })
				t.Run("approval", func(t *testing.T) { x.tryApproval(t, form) })
				t.Run("triggers", func(t *testing.T) { x.tryTriggers(t, form) })
				t.Run("held trigger", func(t *testing.T) { x.tryHeldTrigger(t, form) })
				t.Run("right to invoke", func(t *testing.T) { x.tryInvokeRight(t, form) })
				t.Run("interrupt", func(t *testing.T) { x.tryInterrupt(t, form) })
			}
		})
	}
	t.Run("rotation", x.tryRotation)
}

// tryRecord reads what does not exist, then what does, and what has changed. A resource follows it.
func (x *cluster) tryRecord(t *testing.T, form string) {
	results.count(t, dataSources)
	namespace := x.configured(t, form)
	name := form + "-found"
	u := data(form, "Record", namespace, "found", m{"forProvider": m{"name": name}, "refreshInterval": "1s"})
	x.MustCreate(t, u)
	copied := object(group(form)+"/v1alpha1", "Record", namespace, "copied", m{
		"forProvider": m{"name": form + "-copied"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "default"},
		"references": []any{m{
			"to": "forProvider.value", "from": m{
				"apiVersion": u.GetAPIVersion(), "kind": "Record", "name": "found",
				"fieldPath": "status.atProvider.value",
			},
			"policy": m{"resolve": "Always"},
		}, m{"to": "forProvider.address", "from": m{"apiVersion": u.GetAPIVersion(), "kind": "Record", "name": "found"}}},
	})
	x.MustCreate(t, copied)
	x.WaitFalse(t, u, "Synced", "ReadFailed")
	x.WaitFalse(t, copied, "Synced", "ReferenceNotResolved")
	made := x.cloud.Make(t, "records", m{"name": name, "address": "b", "value": "one"})
	x.WaitFor(t, u, "ready", func() bool { return objecttest.IsTrue(u, "Ready", "Synced") && objecttest.Current(u) })
	x.WaitReady(t, copied)
	x.WaitFor(t, copied, "as the data source", func() bool { return text(copied, "status", "atProvider", "value") == "one" })
	if diff := cmp.Diff(made["id"], any(text(copied, "status", "atProvider", "address"))); diff != "" {
		t.Errorf("the value of a reference without fieldPath (-want +got):\n%s", diff)
	}
	x.unwritten(t, u)
	x.cloud.Change(t, "records", made["id"].(string), m{"value": "two"})
	x.WaitFor(t, u, "read again", func() bool { return text(u, "status", "atProvider", "value") == "two" })
	x.WaitFor(t, copied, "as the data source is now", func() bool { return text(copied, "status", "atProvider", "value") == "two" })
	x.WaitFor(t, u, "told", func() bool { return x.told(t, u, "The result has changed") == 1 })
	x.Remove(t, copied)
	x.Remove(t, u)
	if n := len(x.cloud.List(t, "records", "name="+name)); n != 1 {
		t.Errorf("the record that was read exists %d times after the data source was deleted", n)
	}
}

// unwritten checks that reads of an unchanged data source write nothing: two reads of a resource
// beside it take place meanwhile.
func (x *cluster) unwritten(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	x.MustGet(t, u)
	before := u.GetResourceVersion()
	other := u.DeepCopy()
	other.SetName("beside")
	other.SetResourceVersion("")
	other.SetUID("")
	_ = unstructured.SetNestedField(other.Object, m{
		"forProvider": at(u, "spec", "forProvider"), "refreshInterval": "1s",
		"providerConfigRef": at(u, "spec", "providerConfigRef"),
	}, "spec")
	delete(other.Object, "status")
	x.MustCreate(t, other)
	x.WaitReady(t, other)
	for range 2 {
		x.Reconcile(t, other)
	}
	x.Remove(t, other)
	x.MustGet(t, u)
	if diff := cmp.Diff(before, u.GetResourceVersion()); diff != "" {
		t.Errorf("an unchanged data source was written: %s", diff)
	}
}

// told returns the number of events of an object whose message begins with a text.
func (x *cluster) told(t *testing.T, u *unstructured.Unstructured, message string) (n int) {
	t.Helper()
	list := &eventsv1.EventList{}
	if err := x.List(t.Context(), list, client.InNamespace(u.GetNamespace())); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Items {
		if e.Regarding.UID == u.GetUID() && strings.HasPrefix(e.Note, message) {
			n++
		}
	}
	return n
}

// tryCredential reads what is sensitive, with a sensitive argument. Both are in no object but the
// Secrets, and not in the log.
func (x *cluster) tryCredential(t *testing.T, form string) {
	results.count(t, dataSources)
	namespace := x.configured(t, form)
	name, right, wrong := form+"-credential", "planted-right-"+form, "planted-wrong-"+form
	made := x.cloud.Make(t, "credentials", m{"name": name, "password": right})
	key := made["api_key"].(string)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "in"}, Data: map[string][]byte{
			"password": []byte(wrong),
		},
	}
	if err := x.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	u := data(form, "Credential", namespace, "x", m{
		"forProvider":                m{"name": name, "passwordSecretRef": m{"name": "in", "key": "password"}},
		"writeConnectionSecretToRef": m{"name": "out"}, "refreshInterval": "0",
	})
	x.MustCreate(t, u)
	x.WaitFalse(t, u, "Synced", "ReadFailed", "another password")
	secret.Data["password"] = []byte(right)
	if err := x.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	x.WaitReady(t, u)
	out := &corev1.Secret{}
	if err := x.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "out"}, out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(key, string(out.Data["attribute.api_key"])); diff != "" {
		t.Errorf("the Secret (-want +got):\n%s", diff)
	}
	x.nowhere(t, u, right, wrong, key)
	x.Remove(t, u)
}

// nowhere checks that planted values are in no object of the namespace but Secrets, and not in the
// log.
func (x *cluster) nowhere(t *testing.T, u *unstructured.Unstructured, planted ...string) {
	t.Helper()
	var shown bytes.Buffer
	for _, kind := range []kschema.GroupVersionKind{
		u.GroupVersionKind(), eventsv1.SchemeGroupVersion.WithKind("Event"),
		corev1.SchemeGroupVersion.WithKind("ConfigMap"),
	} {
		for _, namespace := range []string{u.GetNamespace(), clustertest.System} {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
			if err := x.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
				t.Fatal(err)
			}
			if err := json.NewEncoder(&shown).Encode(list.Items); err != nil {
				t.Fatal(err)
			}
		}
	}
	stored := &corev1.SecretList{}
	if err := x.List(t.Context(), stored, client.InNamespace(clustertest.System)); err != nil {
		t.Fatal(err)
	}
	for _, s := range stored.Items {
		for _, v := range s.Data {
			shown.Write(v)
		}
	}
	log, err := os.ReadFile(x.Log)
	if err != nil {
		t.Fatal(err)
	}
	shown.Write(log)
	for _, value := range planted {
		for _, spelled := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
			if i := bytes.Index(shown.Bytes(), []byte(spelled)); i >= 0 {
				t.Errorf("%s is shown: …%s…", spelled, shown.Bytes()[max(0, i-200):min(shown.Len(), i+100)])
			}
		}
	}
}

// tryOwnership reads the object of a resource: its own namespace may, another one may not.
func (x *cluster) tryOwnership(t *testing.T, form string) {
	results.count(t, dataSources)
	owner, other := x.configured(t, form), x.configured(t, form)
	name := form + "-owned"
	owned := object(group(form)+"/v1alpha1", "Record", owner, "owned", m{
		"forProvider": m{"name": name, "address": "a", "value": "v"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "default"},
	})
	x.MustCreate(t, owned)
	x.WaitReady(t, owned)
	own := data(form, "Record", owner, "read", m{"forProvider": m{"name": name}})
	x.MustCreate(t, own)
	x.WaitReady(t, own)
	foreign := data(form, "Record", other, "read", m{"forProvider": m{"name": name}, "refreshInterval": "1s"})
	x.MustCreate(t, foreign)
	x.WaitFalse(t, foreign, "Synced", "IdentityConflict")
	if at(foreign, "status", "atProvider") != nil {
		t.Errorf("an object of another namespace is shown: %v", foreign.Object["status"])
	}
	x.Remove(t, owned)
	for _, u := range []*unstructured.Unstructured{own, foreign} {
		x.RequestReconcile(t, u)
		x.WaitFalse(t, u, "Synced", "ReadFailed")
		x.Remove(t, u)
	}
}

// tryFunction calls the provider's function for a reference of a data source.
func (x *cluster) tryFunction(t *testing.T, form string) {
	results.count(t, functions)
	namespace := x.configured(t, form)
	name := form + "-labelled"
	x.cloud.Make(t, "records", m{"name": name + "-x", "address": "b", "value": "labelled"})
	first := data(form, "Record", namespace, "second", m{
		"forProvider": m{},
		"references": []any{m{"to": "forProvider.name", "from": m{
			"apiVersion": "data." + group(form) + "/v1alpha1", "kind": "Record", "name": "first",
			"fieldPath": "status.atProvider.name", "transform": "provider.label(self, 'X')",
		}}},
	})
	x.MustCreate(t, first)
	x.WaitFalse(t, first, "Synced", "ReferenceNotResolved")
	x.cloud.Make(t, "records", m{"name": name, "address": "b", "value": "plain"})
	x.MustCreate(t, data(form, "Record", namespace, "first", m{"forProvider": m{"name": name}}))
	x.WaitReady(t, first)
	if diff := cmp.Diff("labelled", text(first, "status", "atProvider", "value")); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
}

// TestLocal reads files with hashicorp/local.
func TestLocal(t *testing.T) {
	x := newCluster(t)
	file := filepath.Join(scratch, "files", "note.txt")
	if err := os.WriteFile(file, []byte("planted-file"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.install(t, "local", "hashicorp/local", m{"activate": []any{"local_file"}, "sandbox": m{"readPaths": []any{filepath.Dir(file)}}})
	namespace := x.Namespace(t)
	ref := m{"kind": "ClusterProviderConfig", "name": "default"} // nothing is to be configured
	t.Run("file", func(t *testing.T) {
		results.count(t, dataSources)
		u := data("local", "File", namespace, "file", m{"forProvider": m{"filename": file}, "providerConfigRef": ref})
		x.MustCreate(t, u)
		x.WaitReady(t, u)
		if diff := cmp.Diff("planted-file", text(u, "status", "atProvider", "content")); diff != "" {
			t.Errorf("content (-want +got):\n%s", diff)
		}
		x.Remove(t, u)
	})
	t.Run("sensitive file", func(t *testing.T) {
		results.count(t, dataSources)
		u := data("local", "SensitiveFile", namespace, "file", m{
			"forProvider": m{"filename": file}, "providerConfigRef": ref,
			"writeConnectionSecretToRef": m{"name": "file"},
		})
		x.MustCreate(t, u)
		x.WaitReady(t, u)
		x.nowhere(t, u, "planted-file")
		out := &corev1.Secret{}
		if err := x.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "file"}, out); err != nil ||
			string(out.Data["attribute.content"]) != "planted-file" {
			t.Errorf("Secret: %v, %v", out.Data, err)
		}
		x.Remove(t, u)
	})
}
