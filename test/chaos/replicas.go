package chaos

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Replicas that share the work by shards.

// sharded reports whether several controllers share the work.
func (w *world) sharded() bool { return w.replicas > 1 }

// sharedLease is how long other replicas wait for one that does not renew its leases. All of them
// work, on one machine, while others start.
const sharedLease = 12 * time.Second

// lease returns the duration of the controllers' leases.
func (w *world) lease() time.Duration {
	if w.sharded() {
		return sharedLease
	}
	return lease
}

// begins is how long a controller may take to begin to work. It waits for shards of replicas that
// were killed right before.
func (w *world) begins() time.Duration {
	const own = 30 * time.Second
	if w.sharded() {
		return own + 2*sharedLease
	}
	return own
}

// takeover is a time in which most shards of a dead replica have been taken over.
func (a *agenda) takeover() time.Duration { return 2*sharedLease + a.upTo(sharedLease) }

// muster starts the replicas that have ended, except the one that faults are for, as Kubernetes
// does.
func (w *world) muster() error {
	for i := range max(0, w.replicas-1) {
		if i < len(w.peers) {
			if w.peers[i].alive() {
				continue
			}
			if text := w.peers[i].crashed(); text != "" {
				return fmt.Errorf("%s crashed:\n%s", w.peers[i].name, text)
			}
		}
		c, err := w.startController(start{})
		if err != nil {
			return err
		}
		if i < len(w.peers) {
			w.peers[i] = c
		} else {
			w.peers = append(w.peers, c)
		}
	}
	return nil
}

// another makes a random replica the one that faults are for.
func (a *agenda) another() {
	if i := a.random.IntN(len(a.peers) + 1); i < len(a.peers) {
		a.peers[i], a.running = a.running, a.peers[i]
	}
}

// configurations returns the names of the provider configurations that resources use: one, or
// several for each shard.
func (w *world) configurations() []string {
	out := []string{"default"}
	for i := range max(0, 2*w.replicas-1) {
		if w.sharded() {
			out = append(out, fmt.Sprintf("more-%d", i))
		}
	}
	return out
}

// configuration creates a provider configuration of each form, with a token of its own.
func (w *world) configuration(ctx context.Context, name string) error {
	for form := range forms {
		secret := name + "-" + form
		if err := w.writeSecret(ctx, namespace, secret, m{"token": w.secret("token-of-" + secret + "-" + randomText())}); err != nil {
			return err
		}
		u := &unstructured.Unstructured{Object: m{
			"apiVersion": form + ".landbridge.io/v1alpha1", "kind": "ClusterProviderConfig", "metadata": m{"name": name},
			"spec": m{"endpoint": w.cloud.url(), "tokenSecretRef": m{"namespace": namespace, "name": secret, "key": "token"}},
		}}
		if err := w.create(ctx, gvrOf(form, "clusterproviderconfigs"), u); err != nil {
			return err
		}
	}
	return nil
}

// shardFaults returns the faults of replicas that share the work.
func (a *agenda) shardFaults() []item {
	var out []item
	twice := func(name string, do func(context.Context) error) {
		out = append(out, item{name: name, do: do}, item{name: name, do: do})
	}
	twice("kill a replica", a.killController)
	twice("kill a replica, and leave it away", a.without)
	twice("kill all replicas", a.killAll)
	twice("suspend a replica beyond its lease", a.suspend)
	twice("give resources other configurations", a.refer)
	twice("move configurations to other shards", a.move)
	twice("divide configurations by kind, or not", a.divide)
	return append(out,
		item{
			name: "stop a replica, operations take longer",
			do:   func(ctx context.Context) error { return a.stopController(ctx, 500*time.Millisecond) },
		},
		item{
			name: "stop a replica, operations end in time",
			do:   func(ctx context.Context) error { return a.stopController(ctx, 15*time.Second) },
		},
		item{name: "kill a provider", do: func(ctx context.Context) error { return a.hitProvider(ctx, "killed") }},
		item{name: "kill the API server", do: func(ctx context.Context) error { return a.apiServer(ctx, "killed", true) }},
		item{name: "pause the API server", do: func(ctx context.Context) error { return a.apiServer(ctx, "paused", true) }},
		item{name: "change the token", do: func(ctx context.Context) error { return a.configure(ctx, "another token") }},
		item{name: "remove an estate", do: func(ctx context.Context) error { return a.removeEstate(ctx, "namespace and controller") }},
	)
}

// without kills a replica, and starts it again when the others have had the time to take its shards
// over.
func (a *agenda) without(ctx context.Context) error {
	a.running.kill()
	a.count("replica killed, others take over")
	pause(ctx, a.takeover())
	return a.restart(start{})
}

// killAll kills all replicas at once.
func (a *agenda) killAll(ctx context.Context) error {
	pause(ctx, a.upTo(1500*time.Millisecond))
	for _, c := range append(slices.Clone(a.peers), a.running) {
		c.kill()
	}
	a.count("all replicas killed")
	if err := a.restart(start{}); err != nil {
		return err
	}
	return a.muster()
}

// suspend suspends a replica until others have taken its shards over, and resumes it.
func (a *agenda) suspend(ctx context.Context) error {
	a.suspended.Store(true)
	defer a.suspended.Store(false)
	first := a.running
	pause(ctx, a.upTo(time.Second))
	held := first.works() // one that holds no lease yet has none to lose, and may go on
	first.signal(syscall.SIGSTOP)
	pause(ctx, a.takeover())
	first.signal(syscall.SIGCONT)
	a.count("replica suspended beyond its lease")
	if held && first.alive() {
		if err := first.ends(ctx, 40*time.Second); err != nil {
			return err
		}
	}
	return a.restart(start{})
}

// refer gives resources other provider configurations, maybe of other shards.
func (a *agenda) refer(ctx context.Context) error {
	all := a.configurations()
	return a.referTo(ctx, func() string { return all[a.random.IntN(len(all))] })
}

// referTo gives some resources the provider configurations that a function names.
func (a *agenda) referTo(ctx context.Context, name func() string) error {
	for range 6 {
		s := a.slots[a.random.IntN(len(a.slots))]
		if s.form == modules {
			continue
		}
		patch := encode(m{"spec": m{"providerConfigRef": m{"kind": "ClusterProviderConfig", "name": name()}}})
		err := a.try(ctx, func(ctx context.Context) error {
			_, err := a.client.Resource(gvr(s.form, s.kind)).Namespace(s.namespace).Patch(ctx, s.name, types.MergePatchType, patch, patchOptions)
			return ignoreNotFound(err)
		})
		if err != nil {
			return err
		}
		a.count("resource given another configuration")
		pause(ctx, a.upTo(500*time.Millisecond))
	}
	return nil
}

// move declares a new configuration, which resources use, to be of the account of another one. So
// it moves to that one's shard.
func (a *agenda) move(ctx context.Context) error {
	a.moved++
	name := fmt.Sprintf("moving-%d", a.moved)
	if err := a.configuration(ctx, name); err != nil {
		return err
	}
	all := a.configurations()
	of := all[a.random.IntN(len(all))]
	if err := a.referTo(ctx, func() string { return name }); err != nil {
		return err
	}
	pause(ctx, a.upTo(3*time.Second))
	for form := range forms {
		for _, c := range []string{of, name} {
			if err := a.annotate(ctx, form, c, v1alpha1.AnnotationAccount, "account-"+of); err != nil {
				return err
			}
		}
	}
	a.count("configuration moved to another shard")
	pause(ctx, a.upTo(3*time.Second))
	return nil
}

// divide has the configurations divided by kind, or not any more, each with a probability of three
// to one.
func (a *agenda) divide(ctx context.Context) error {
	for _, name := range a.configurations() {
		by := any(v1alpha1.ShardByKind)
		if a.random.IntN(4) == 0 {
			by = nil
		}
		for form := range forms {
			if err := a.annotate(ctx, form, name, v1alpha1.AnnotationShardBy, by); err != nil {
				return err
			}
		}
	}
	a.count("configurations divided by kind, or not")
	pause(ctx, a.upTo(5*time.Second))
	return nil
}

// annotate sets an annotation of a provider configuration of a form, or removes it if the value is
// nil.
func (a *agenda) annotate(ctx context.Context, form, configuration, annotation string, value any) error {
	patch := encode(m{"metadata": m{"annotations": m{annotation: value}}})
	return a.try(ctx, func(ctx context.Context) error {
		_, err := a.client.Resource(gvrOf(form, "clusterproviderconfigs")).Patch(ctx, configuration, types.MergePatchType, patch, patchOptions)
		return err
	})
}
