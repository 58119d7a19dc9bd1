package tenancy_test

import (
	"context"
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// refers returns a resource whose value comes from one of the victim's namespace.
func (x *world) refers(by tenant, name string, from m) *unstructured.Unstructured {
	u := x.place(by, name, nil)
	source := m{"kind": "Place", "namespace": x.victim.namespace, "fieldPath": "spec.forProvider.value"}
	for k, v := range from {
		source[k] = v
	}
	spec(u)["references"] = []any{m{"to": "forProvider.value", "from": source}}
	return u
}

// resolves creates a resource with a reference, and reports whether it gets the value.
func (x *world) resolves(t *testing.T, by tenant, u *unstructured.Unstructured) bool {
	t.Helper()
	by.create(t, u)
	return x.either(t, u, func() bool { return text(u, "spec", "forProvider", "value") == "confidential" },
		func() bool { return refusedFor(u, "ReferenceNotResolved") })
}

// references are attacks by spec.references.
var references = map[string]attack{
	"a value, by name": between("refers to a resource of another namespace",
		"ReferenceNotResolved", func(t *testing.T, x *world, by tenant) bool {
			x.owned(t, "Place")
			return x.resolves(t, by, x.refers(by, x.name+"-referrer", m{"name": x.name}))
		}),
	"a value, by label": between("selects resources of another namespace",
		"ReferenceNotResolved", func(t *testing.T, x *world, by tenant) bool {
			u := x.owned(t, "Place")
			x.MustPatch(t, u, `{"metadata":{"labels":{"tenancy":"`+x.name+`"}}}`)
			return x.resolves(t, by, x.refers(by, x.name+"-referrer", m{"selector": m{"matchLabels": m{"tenancy": x.name}}}))
		}),
	"a value, of a Secret": {
		attacker: attacker, means: "refers to a Secret of another namespace", refusal: "ReferenceNotResolved: only served kinds are read",
		try: func(t *testing.T, x *world) bool {
			x.victim.secret(t, x.name, map[string]string{"value": "confidential"})
			return x.resolves(t, x.mallory, x.refers(x.mallory, x.name+"-referrer", m{
				"apiVersion": "v1", "kind": "Secret", "name": x.name, "fieldPath": "data.value",
			}))
		},
		control: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			return x.resolves(t, x.victim, x.refers(x.victim, x.name+"-referrer", m{"name": x.name}))
		},
	},
	"whether a resource exists": between("compares the messages of two references, one of which exists",
		"the same message", func(t *testing.T, x *world, by tenant) bool {
			u := x.owned(t, "Place")
			x.MustPatch(t, u, `{"spec":{"forProvider":{"value":null}}}`)
			var said []string
			for _, target := range []string{x.name, x.name + "-none"} {
				r := by.create(t, x.refers(by, target+"-referrer", m{"name": target}))
				x.WaitFor(t, r, "not resolved", func() bool { return refusedFor(r, "ReferenceNotResolved") })
				said = append(said, strings.ReplaceAll(message(r), target, "NAME"))
			}
			return said[0] != said[1]
		}),
	"a deletion": between("refers to a resource of another namespace, which is deleted then",
		"it is deleted", func(t *testing.T, x *world, by tenant) bool {
			u := x.owned(t, "Place")
			r := x.refers(by, x.name+"-referrer", m{"name": x.name})
			// The reference stays as it is, whatever becomes of it.
			r.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
			by.create(t, r)
			x.WaitFor(t, r, "paused", func() bool { return refusedFor(r, "ReconcilePaused") })
			if err := x.victim.Delete(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			blocked := false
			eventually(t, "it is gone or waits", func(ctx context.Context) bool {
				err := x.Get(ctx, client.ObjectKeyFromObject(u), u)
				_, why, _ := objecttest.Condition(u, "Synced")
				blocked = err == nil && why == "StillReferredTo"
				return blocked || kerrors.IsNotFound(err)
			})
			return blocked
		}),
}
