package tenancy_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// listed is the provider whose objects can be listed. All namespaces share its configuration.
const listed = "listed"

// queries are attacks by ResourceQueries.
var queries = map[string]attack{
	"a query": between("lists the objects of a shared configuration", "objects of other namespaces are counted, and "+
		"nothing else of them is told", func(t *testing.T, x *world, by tenant) bool {
		x.thing(t)
		q := x.runs(t, by, x.query(by, nil))
		return x.reveals(t, q, x.name)
	}),
	"a query's pages": between("has the objects of a shared configuration written into ConfigMaps",
		"objects of other namespaces are in none", func(t *testing.T, x *world, by tenant) bool {
			x.thing(t)
			q := x.runs(t, by, x.query(by, m{"pages": true}))
			pages, _, err := unstructured.NestedStringSlice(q.Object, "status", "pages")
			if err != nil || len(pages) == 0 {
				t.Fatalf("no pages: %v, %v", pages, err)
			}
			for _, name := range pages {
				page := &corev1.ConfigMap{}
				if err := by.Get(t.Context(), client.ObjectKey{Namespace: by.namespace, Name: name}, page); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(page.Data["objects.json"], x.name) {
					return true
				}
			}
			return false
		}),
	"a query by a narrow argument": between("asks for an object of another namespace by its name, with a policy "+
		"that judges all objects", "no policy judges it there", func(t *testing.T, x *world, by tenant) bool {
		x.thing(t)
		x.MustCreate(t, resource("landbridge.io/v1alpha1", "EstatePolicy", "", by.namespace+"-"+x.name, m{
			"match":       m{"namespaces": []any{by.namespace}},
			"validations": []any{m{"expression": "displayName != '" + x.name + "'", "message": "It is the object."}},
		}))
		q := x.query(by, m{"config": m{"name": x.name}})
		x.runs(t, by, q)
		status, _, _ := objecttest.Condition(q, "Compliant")
		return status == "False"
	}),
	"a query with a closed configuration": between("lists with a shared configuration of other namespaces",
		"reason NamespaceNotAllowed", func(t *testing.T, x *world, by tenant) bool {
			x.MustCreate(t, resource(apiVersion(listed), "ClusterProviderConfig", "", by.namespace+"-"+x.name, m{
				"endpoint": x.cloud.URL, "allowedNamespaces": m{"names": []any{x.victim.namespace}},
			}))
			q := by.create(t, using(x.query(by, nil), "ClusterProviderConfig", by.namespace+"-"+x.name))
			return x.either(t, q, func() bool { return isTrue(q, "Ready") }, func() bool {
				_, reason, _ := objecttest.Condition(q, "Ready")
				return reason == "NamespaceNotAllowed"
			})
		}),
	"a query of another namespace": forbidden("creates a query in another namespace",
		func(ctx context.Context, x *world, c client.Client) error {
			return c.Create(ctx, x.query(x.victim, nil), client.DryRunAll)
		}),
	"the status of a query": forbidden("writes the status of its query", func(ctx context.Context, x *world, c client.Client) error {
		q := x.query(x.mallory, nil)
		if err := client.IgnoreAlreadyExists(x.Create(ctx, q)); err != nil {
			return err
		}
		return c.Status().Patch(ctx, q, client.RawPatch(types.MergePatchType, []byte(`{"status":{"unmanaged":0}}`)),
			&client.SubResourcePatchOptions{PatchOptions: client.PatchOptions{DryRun: []string{metav1.DryRunAll}}})
	}),
	"a ConfigMap of others": withToken("writes a ConfigMap that is no page of a query", createsConfigMap(nil),
		createsConfigMap(map[string]string{"landbridge.io/resource-query": "x"})),
}

// createsConfigMap is a request to create a ConfigMap with labels.
func createsConfigMap(labels map[string]string) request {
	return func(ctx context.Context, x *world, c client.Client) error {
		return c.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: x.victim.namespace, Name: x.name, Labels: labels},
		}, client.DryRunAll)
	}
}

// installListed installs the provider whose objects can be listed, with its cloud.
func (x *world) installListed(t *testing.T) {
	t.Helper()
	x.cloud = examplecloudtest.Start(t)
	path := filepath.Join(scratch, "terraform-provider-"+listed+"_v3.0.0")
	if err := os.Symlink(examplecloudtest.Provider(t, examplecloudtest.Framework6), path); err != nil {
		t.Fatal(err)
	}
	p := resource("landbridge.io/v1alpha1", "TerraformProvider", "", listed, m{
		"source": path, "activate": []any{"examplecloud_thing", "examplecloud_record"},
		"activateActions": []any{"examplecloud_snapshot"}, "activateDataSources": []any{"examplecloud_record"},
	})
	x.MustCreate(t, p)
	x.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
	x.MustCreate(t, resource(apiVersion(listed), "ClusterProviderConfig", "", "default", m{"endpoint": x.cloud.URL}))
}

// thing creates a thing of the victim that can be listed.
func (x *world) thing(t *testing.T) {
	t.Helper()
	u := resource(apiVersion(listed), "Thing", x.victim.namespace, x.name, m{"forProvider": m{"name": x.name}})
	eventually(t, "the role includes the kind", func(ctx context.Context) bool {
		return x.victim.Create(ctx, u.DeepCopy(), client.DryRunAll) == nil
	})
	x.victim.create(t, u)
	x.WaitReady(t, u)
}

// query returns a query of a tenant.
func (x *world) query(by tenant, more m) *unstructured.Unstructured {
	all := m{"resourceType": "examplecloud_thing", "terraformProvider": listed}
	for name, value := range more {
		all[name] = value
	}
	return resource("landbridge.io/v1alpha1", "ResourceQuery", by.namespace, "q-"+x.name, all)
}

// runs creates a query, and waits until it has found something.
func (x *world) runs(t *testing.T, by tenant, q *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	by.create(t, q)
	x.WaitFor(t, q, "ready, with objects", func() bool { return isTrue(q, "Ready") && text(q, "status", "total") != "0" })
	return q
}
