package tenancy_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// between is an attack of one tenant on the other. As the control, the victim tries the same on
// itself.
func between(means, refusal string, try func(t *testing.T, x *world, by tenant) bool) attack {
	return attack{
		attacker: attacker, means: means, refusal: refusal,
		try:     func(t *testing.T, x *world) bool { return try(t, x, x.mallory) },
		control: func(t *testing.T, x *world) bool { return try(t, x, x.victim) },
	}
}

// forbidden is a request that the API server must refuse. An administrator may make it.
func forbidden(means string, try func(ctx context.Context, x *world, c client.Client) error) attack {
	succeeds := func(t *testing.T, x *world, c client.Client) bool {
		t.Helper()
		err := try(t.Context(), x, c)
		if err != nil && !kerrors.IsForbidden(err) {
			t.Fatal(err)
		}
		return err == nil
	}
	return attack{
		attacker: attacker, means: means, refusal: "forbidden by RBAC",
		try:     func(t *testing.T, x *world) bool { return succeeds(t, x, x.mallory) },
		control: func(t *testing.T, x *world) bool { return succeeds(t, x, x) },
	}
}

// annotates is a request that annotates a resource of the victim.
func annotates(means, annotation, value string) attack {
	a := forbidden(means, func(ctx context.Context, x *world, c client.Client) error {
		u := x.place(x.victim, x.name, nil)
		patch := `{"metadata":{"annotations":{"landbridge.io/` + annotation + `":"` + value + `"}}}`
		return c.Patch(ctx, u, client.RawPatch(types.MergePatchType, []byte(patch)))
	})
	try, control := a.try, a.control
	a.try = func(t *testing.T, x *world) bool { x.owned(t, "Place"); return try(t, x) }
	a.control = func(t *testing.T, x *world) bool { x.owned(t, "Place"); return control(t, x) }
	return a
}

func list(u *unstructured.Unstructured) *unstructured.UnstructuredList {
	out := &unstructured.UnstructuredList{}
	out.SetAPIVersion(u.GetAPIVersion())
	out.SetKind(u.GetKind() + "List")
	return out
}

// apiServer are attacks that Kubernetes refuses.
var apiServer = map[string]attack{
	"stored states": forbidden("lists the Secrets with stored states", func(ctx context.Context, _ *world, c client.Client) error {
		return c.List(ctx, &corev1.SecretList{}, client.InNamespace(system))
	}),
	"events": forbidden("lists the events of another namespace", func(ctx context.Context, x *world, c client.Client) error {
		return c.List(ctx, &corev1.EventList{}, client.InNamespace(x.victim.namespace))
	}),
	"resources": forbidden("lists the resources of another namespace", func(ctx context.Context, x *world, c client.Client) error {
		return c.List(ctx, list(x.place(x.victim, "", nil)), client.InNamespace(x.victim.namespace))
	}),
	"a program": forbidden("installs a program as a provider", func(ctx context.Context, _ *world, c client.Client) error {
		return c.Create(ctx, resource("landbridge.io/v1alpha1", "TerraformProvider", "", "evil", m{"source": "/bin/true"}), client.DryRunAll)
	}),
	"a module": forbidden("installs a module", func(ctx context.Context, _ *world, c client.Client) error {
		return c.Create(ctx, resource("landbridge.io/v1alpha1", "TerraformModule", "", "evil",
			m{"source": m{"directory": "/"}}), client.DryRunAll)
	}),
	"a kind": forbidden("creates a definition of a kind, which the controller would serve",
		func(ctx context.Context, _ *world, c client.Client) error {
			return c.Create(ctx, &apiextensionsv1.CustomResourceDefinition{
				ObjectMeta: metav1.ObjectMeta{Name: "evils.open.landbridge.io", Labels: map[string]string{"landbridge.io/provider": open}},
				Spec: apiextensionsv1.CustomResourceDefinitionSpec{
					Group: "open.landbridge.io", Scope: apiextensionsv1.NamespaceScoped,
					Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Evil", Plural: "evils"},
					Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
						Name: "v1alpha1", Served: true, Storage: true,
						Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
					}},
				},
			}, client.DryRunAll)
		}),
	"a shared configuration of its own": forbidden("creates a ClusterProviderConfig",
		func(ctx context.Context, _ *world, c client.Client) error {
			return c.Create(ctx, resource(apiVersion(open), "ClusterProviderConfig", "", "evil", m{}), client.DryRunAll)
		}),
	"a status": forbidden("writes the status of its own resource", func(ctx context.Context, x *world, c client.Client) error {
		u := x.place(x.mallory, x.name, nil)
		if err := x.Create(ctx, u); err != nil {
			return err
		}
		u = x.place(x.mallory, x.name, nil)
		return c.Status().Patch(ctx, u, client.RawPatch(types.MergePatchType, []byte(`{"status":{"atProvider":{"id":"another"}}}`)))
	}),
	"an interrupt":  annotates("interrupts an operation of another namespace", "interrupt", "now"),
	"a replacement": annotates("taints an object of another namespace", "taint", "now"),
	"a permission":  annotates("permits itself to refer to a resource of another namespace", "referable-from", "*"),
}
