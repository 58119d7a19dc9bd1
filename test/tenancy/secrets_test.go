package tenancy_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secrets are attacks by what resources read from Secrets, and write to them.
var secrets = map[string]attack{
	"another's Secret": between("takes an argument from a Secret of another namespace", "only Secrets of its own namespace are read", func(t *testing.T, x *world, by tenant) bool {
		x.victim.secret(t, x.name, map[string]string{"password": "confidential"})
		r := x.place(by, x.name, m{"passwordSecretRef": m{"namespace": x.victim.namespace, "name": x.name, "key": "password"}})
		x.becomesReady(t, by.create(t, r), "InvalidConfiguration")
		o, _ := remote("place", x.name)
		return o["password"] == "confidential"
	}),
	"a Secret elsewhere": between("has connection details written to another namespace", "they are written to its own namespace", func(t *testing.T, x *world, by tenant) bool {
		r := x.place(by, x.name, nil)
		spec(r)["writeConnectionSecretToRef"] = m{"namespace": x.victim.namespace, "name": x.name}
		x.WaitReady(t, by.create(t, r))
		written := func(ctx context.Context, namespace string) bool {
			return x.Get(ctx, client.ObjectKey{Namespace: namespace, Name: x.name}, &corev1.Secret{}) == nil
		}
		eventually(t, "they are written", func(ctx context.Context) bool { return written(ctx, by.namespace) || written(ctx, x.victim.namespace) })
		return written(t.Context(), x.victim.namespace)
	}),
	"a Secret of Landbridge's": {
		attacker: attacker, means: "takes an argument from a stored state", refusal: "only Secrets of its own namespace are read",
		try:     func(t *testing.T, x *world) bool { return x.readsState(t, system) },
		control: func(t *testing.T, x *world) bool { return x.readsState(t, x.mallory.namespace) },
	},
}

// readsState reports whether a resource of mallory's reads a Secret of a namespace.
func (x *world) readsState(t *testing.T, namespace string) bool {
	t.Helper()
	s := &corev1.Secret{StringData: map[string]string{"password": "confidential"}}
	s.Namespace, s.Name = namespace, x.name
	if err := x.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	r := x.place(x.mallory, x.name, m{"passwordSecretRef": m{"namespace": namespace, "name": x.name, "key": "password"}})
	x.becomesReady(t, x.mallory.create(t, r), "InvalidConfiguration")
	o, _ := remote("place", x.name)
	return o["password"] == "confidential"
}
