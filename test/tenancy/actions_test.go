package tenancy_test

import (
	"context"
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// snapshots is the kind of the actions of the provider listed, as spec.actions names it.
const snapshots = "snapshots.action." + listed + ".landbridge.io"

// actions are attacks by actions, and by data sources.
var actions = map[string]attack{
	"an action": forbidden("invokes an action", func(ctx context.Context, x *world, c client.Client) error {
		return c.Create(ctx, resource("action."+apiVersion(listed), "Snapshot", x.mallory.namespace, x.name,
			m{"forProvider": m{"label": "a", "source": "b"}}), client.DryRunAll)
	}),
	"an action, by a resource": editing("creates a resource that has an action invoked",
		func(ctx context.Context, x *world, c client.Client) error {
			u := x.record(x.mallory)
			spec(u)["actions"] = []any{backup(nil)}
			return c.Create(ctx, u, client.DryRunAll)
		}),
	"an action, by a resource that had none": editing("has a resource invoke an action that had none invoked",
		changesActions(nil, backup(nil))),
	"an action, by a further element": editing("has a resource invoke an action that had another one invoked",
		changesActions([]any{backup(nil)}, backup(nil), backup(m{"name": "again"}))),
	"an action, by its arguments": editing("changes what another user's action acts on",
		changesActions([]any{backup(nil)}, backup(m{"forProvider": m{"label": "a", "source": "mine"}}))),
	"an action, by its configuration": editing("has another user's action invoked with another configuration",
		changesActions([]any{backup(nil)}, backup(m{"providerConfigRef": m{"kind": "ProviderConfig", "name": "mine"}}))),
	"an action, by its condition": editing("removes the condition of another user's action",
		changesActions([]any{backup(m{"condition": "false"})}, backup(nil))),
	"an object, by a data source": between("reads an object of another namespace by a data source",
		"reason IdentityConflict", func(t *testing.T, x *world, by tenant) bool {
			owned := x.record(x.victim)
			x.mayEdit(t, x.victim, owned)
			x.WaitReady(t, x.victim.create(t, owned))
			u := resource("data."+apiVersion(listed), "Record", by.namespace, x.name, m{"forProvider": m{"name": x.name}})
			x.mayEdit(t, by, u)
			return x.becomesReady(t, by.create(t, u), "IdentityConflict") || x.reveals(t, u, "confidential")
		}),
	"an account, for all resources": forbidden("confirms the account of a shared configuration", annotating(func(*world) client.Object {
		return resource(apiVersion(listed), "ClusterProviderConfig", "", "default", nil)
	}, "landbridge.io/confirm-account")),
}

// backup is an element of spec.actions.
func backup(more m) m {
	out := m{"name": "backup", "action": snapshots, "events": []any{"BeforeUpdate"}, "forProvider": m{"label": "a", "source": "b"}}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// record returns a resource of a kind with spec.actions.
func (x *world) record(by tenant) *unstructured.Unstructured {
	return resource(apiVersion(listed), "Record", by.namespace, x.name,
		m{"forProvider": m{"name": x.name, "address": "a", "value": "confidential"}})
}

// mayEdit waits until the role of a tenant includes the kind of an object.
func (x *world) mayEdit(t *testing.T, by tenant, u *unstructured.Unstructured) {
	t.Helper()
	eventually(t, "the role includes the kind", func(ctx context.Context) bool {
		return by.Create(ctx, u.DeepCopy(), client.DryRunAll) == nil
	})
}

// editing is forbidden for what the attacker may do without actions.
func editing(means string, try func(ctx context.Context, x *world, c client.Client) error) attack {
	a := forbidden(means, try)
	a.refusal = "forbidden by the policy for actions"
	attempt := a.try
	a.try = func(t *testing.T, x *world) bool {
		x.mayEdit(t, x.mallory, x.record(x.mallory))
		return attempt(t, x)
	}
	return a
}

// changesActions is a request that changes spec.actions of a resource, which an administrator has
// set.
func changesActions(before []any, after ...any) func(context.Context, *world, client.Client) error {
	return func(ctx context.Context, x *world, c client.Client) error {
		u := x.record(x.mallory)
		u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
		if before != nil {
			spec(u)["actions"] = before
		}
		if err := x.Create(ctx, u); err != nil {
			return err
		}
		patch, err := json.Marshal(m{"spec": m{"actions": after}})
		if err != nil {
			return err
		}
		return c.Patch(ctx, u, client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
	}
}
