package tenancy_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secrets are attacks by what resources read from Secrets, and write to them.
var secrets = map[string]attack{
	"another's Secret": between("takes an argument from a Secret of another namespace",
		"only Secrets of its own namespace are read", func(t *testing.T, x *world, by tenant) bool {
			x.victim.secret(t, x.name, map[string]string{"password": "confidential"})
			r := x.place(by, x.name, m{"passwordSecretRef": m{"namespace": x.victim.namespace, "name": x.name, "key": "password"}})
			x.becomesReady(t, by.create(t, r), "InvalidConfiguration")
			o, _ := remote("place", x.name)
			return o["password"] == "confidential"
		}),
	"a Secret elsewhere": between("has connection details written to another namespace",
		"they are written to its own namespace", func(t *testing.T, x *world, by tenant) bool {
			r := x.place(by, x.name, nil)
			spec(r)["writeConnectionSecretToRef"] = m{"namespace": x.victim.namespace, "name": x.name}
			x.WaitReady(t, by.create(t, r))
			written := func(ctx context.Context, namespace string) bool {
				return x.Get(ctx, client.ObjectKey{Namespace: namespace, Name: x.name}, &corev1.Secret{}) == nil
			}
			eventually(t, "they are written", func(ctx context.Context) bool {
				return written(ctx, by.namespace) || written(ctx, x.victim.namespace)
			})
			return written(t.Context(), x.victim.namespace)
		}),
	"a watched Secret": between("refers to a Secret that has the name of another's, and waits for a change of that",
		"only Secrets of its own namespace are watched", func(t *testing.T, x *world, by tenant) bool {
			for _, of := range []tenant{x.victim, x.mallory} {
				of.secret(t, x.name, map[string]string{"password": "the first"})
			}
			r := x.place(by, x.name, m{"passwordSecretRef": m{"name": x.name, "key": "password"}})
			r.SetAnnotations(map[string]string{"crossplane.io/poll-interval": "1h"})
			x.WaitReady(t, by.create(t, r))
			// The own one is changed last, so that there is something to wait for.
			x.changeSecret(t, x.victim.namespace, "confidential")
			if by.namespace != x.victim.namespace {
				x.changeSecret(t, by.namespace, "own")
			}
			var got string
			eventually(t, "the change is noticed", func(context.Context) bool {
				o, _ := remote("place", x.name)
				got = o["password"]
				return got != "the first"
			})
			return got == "confidential"
		}),
	"a Secret of Landbridge's": {
		attacker: attacker, means: "takes an argument from a stored state", refusal: "only Secrets of its own namespace are read",
		try:     func(t *testing.T, x *world) bool { return x.readsState(t, system) },
		control: func(t *testing.T, x *world) bool { return x.readsState(t, x.mallory.namespace) },
	},
}

func (x *world) changeSecret(t *testing.T, namespace, password string) {
	t.Helper()
	s := &corev1.Secret{}
	if err := x.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: x.name}, s); err != nil {
		t.Fatal(err)
	}
	s.Data["password"] = []byte(password)
	if err := x.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
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
