package e2e_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// The preview of a replacement at admission tells what it means for what depends on the object, and
// names nothing of other namespaces.
func TestForeseenDependents(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(directory(t))
	o.Admission = &admission.Options{
		Port: clustertest.FreePort(t), Service: crd.Service{Namespace: system, Name: "landbridge"}, Host: "localhost",
	}
	c.RunController(t, o)
	w := c.clouded(t, examplecloudtest.Framework6, "foreseen")
	p := terraformProvider(w.provider, "")
	c.MustPatch(t, p, `{"spec":{"admission":"DryRun"}}`)
	eventually(t, "the webhook is configured", func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKey{Name: "plan." + w.provider + ".landbridge.io"},
			&admissionregistrationv1.ValidatingWebhookConfiguration{}) == nil
	})
	elsewhere := c.Namespace(t)

	datastore := func(namespace, name, kind, to string) *unstructured.Unstructured {
		u := w.of("Datastore", name, m{
			"forProvider": m{"clusterInfo": m{"id": "c", "name": "n"}, "name": name},
			"references": []any{m{"to": "forProvider.hciClusterUuid", "from": m{
				"kind": kind, "namespace": w.namespace, "name": to, "fieldPath": "status.atProvider.id",
			}}},
		})
		u.SetNamespace(namespace)
		return u
	}
	x := w.of("Thing", "x", m{"forProvider": m{"name": "x", "region": "eu-central-1"}})
	x.SetAnnotations(map[string]string{"landbridge.io/referable-from": elsewhere})
	shapes := func(name string) *unstructured.Unstructured {
		return w.of("Shapes", name, m{"forProvider": m{"name": name}, "references": []any{m{
			"to": "forProvider.stringsList[0]", "from": m{"kind": "Thing", "name": "x", "fieldPath": "status.atProvider.id"},
		}}})
	}
	updated, paused := shapes("updated"), shapes("paused")
	// One uses a provider configuration that reads its Secret, which has not the key yet.
	_ = unstructured.SetNestedField(x.Object, "x", "spec", "writeConnectionSecretToRef", "name")
	c.MustCreate(t, resource(w.apiVersion(), "ProviderConfig", w.namespace, "with-x", m{
		"endpoint": w.cloud.URL, "tokenSecretRef": m{"name": "x", "key": "attribute.id"},
	}))
	user := resource(w.apiVersion(), "Thing", w.namespace, "user", m{
		"forProvider": m{"name": "user"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "with-x"},
	})
	c.MustCreate(t, user)
	for _, u := range []*unstructured.Unstructured{
		x, updated, paused, datastore(w.namespace, "store", "Thing", "x"),
		datastore(w.namespace, "inner", "Datastore", "store"), datastore(elsewhere, "secret-name", "Thing", "x"),
	} {
		c.MustCreate(t, u)
		c.WaitReady(t, u)
	}

	// apply applies a patch in a dry run, and returns what the API server says.
	apply := func(ctx context.Context, patch string) ([]string, error) {
		said := &warnings{}
		config := rest.CopyConfig(c.Config)
		config.WarningHandler = said
		warned, err := client.New(config, client.Options{Scheme: c.Scheme()})
		if err != nil {
			return nil, err
		}
		err = warned.Patch(ctx, x.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(patch)), client.DryRunAll)
		return said.all, err
	}
	for _, test := range []struct {
		name, patch string
		before      func()
		want        []string
	}{
		{name: "an update", patch: `{"spec":{"forProvider":{"size":3}}}`},
		{
			name: "a replacement", patch: `{"spec":{"forProvider":{"region":"us-east-1"}}}`,
			want: []string{
				"also replaced, because they depend on the object: Datastore inner, Datastore store",
				"updated afterwards, because they depend on the object: Shapes paused, Shapes updated",
				"nothing is done meanwhile to what uses a provider configuration with values of the object: Thing user",
				"refused because of what depends on the object: 1 in other namespaces",
				"waits for approval, because of what depends on the object",
			},
		},
		{
			name:  "a replacement that one refuses",
			patch: `{"spec":{"forProvider":{"region":"us-east-1"},"lifecycle":{"replaceDependents":"Automatic"}}}`,
			before: func() {
				c.MustPatch(t, paused, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
			},
			want: []string{
				"also replaced, because they depend on the object: Datastore inner, Datastore store",
				"updated afterwards, because they depend on the object: Shapes updated",
				"nothing is done meanwhile to what uses a provider configuration with values of the object: Thing user",
				"refused because of what depends on the object: Shapes paused is paused; 1 in other namespaces",
				"waits for approval, because of what depends on the object",
			},
		},
	} {
		if test.before != nil {
			test.before()
		}
		var last []string
		t.Cleanup(func() {
			if diff := cmp.Diff(test.want, last, cmpopts.EquateEmpty()); diff != "" {
				t.Logf("%s: -want +got:\n%s", test.name, diff)
			}
		})
		eventually(t, test.name, func(ctx context.Context) bool {
			all, err := apply(ctx, test.patch)
			last = nil
			for _, text := range all {
				if strings.Contains(text, "depend on the object") ||
					strings.Contains(text, "depends on the object") ||
					strings.Contains(text, "with values of the object") {
					last = append(last, text)
				}
				if strings.Contains(text, "secret-name") {
					t.Errorf("%s: it names a resource of another namespace: %s", test.name, text)
				}
			}
			return err == nil && cmp.Equal(test.want, last, cmpopts.EquateEmpty())
		})
	}
}
