package e2e_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// backup is the content of a cluster, in the order in which Velero restores it: CRDs, namespaces,
// Secrets, and then the other kinds in alphabetical order.
type backup []*unstructured.Unstructured

// backUp reads the kinds of resources, everything that they need, and the Secrets of the
// namespaces.
func (c *cluster) backUp(t *testing.T, groups []string, namespaces ...string) backup {
	t.Helper()
	var out backup
	add := func(gvk string, list client.ObjectList, o ...client.ListOption) {
		t.Helper()
		if err := c.List(t.Context(), list, o...); err != nil {
			t.Fatal(err)
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(list)
		if err != nil {
			t.Fatal(err)
		}
		apiVersion, kind, _ := strings.Cut(gvk, " ")
		for _, item := range content["items"].([]any) {
			u := &unstructured.Unstructured{Object: item.(m)}
			u.SetAPIVersion(apiVersion)
			u.SetKind(kind)
			out = append(out, u)
		}
	}
	crds := &apiextensionsv1.CustomResourceDefinitionList{}
	add("apiextensions.k8s.io/v1 CustomResourceDefinition", crds)
	all := &corev1.NamespaceList{}
	add("v1 Namespace", all)
	out = slices.DeleteFunc(out, func(u *unstructured.Unstructured) bool {
		return u.GetKind() == "Namespace" && !slices.Contains(namespaces, u.GetName())
	})
	for _, ns := range namespaces {
		add("v1 Secret", &corev1.SecretList{}, client.InNamespace(ns))
	}
	slices.SortFunc(crds.Items, func(a, b apiextensionsv1.CustomResourceDefinition) int {
		return strings.Compare(a.Spec.Names.Plural, b.Spec.Names.Plural)
	})
	for _, d := range crds.Items {
		if !slices.Contains(groups, d.Spec.Group) {
			continue
		}
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(d.Spec.Group + "/v1alpha1")
		list.SetKind(d.Spec.Names.ListKind)
		if err := c.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			out = append(out, &list.Items[i])
		}
	}
	return out
}

// restore creates what a backup has, as Velero does: without UIDs, owner references and status,
// with finalizers and annotations, and with labels of its own. What exists is left as it is.
func (c *cluster) restore(t *testing.T, b backup) {
	t.Helper()
	for _, o := range b {
		u := o.DeepCopy()
		metadata := u.Object["metadata"].(m)
		for _, name := range []string{
			"generateName", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
			"deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences",
		} {
			delete(metadata, name)
		}
		delete(u.Object, "status")
		labels := u.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels["velero.io/backup-name"], labels["velero.io/restore-name"] = "b", "b-1"
		u.SetLabels(labels)
		var err error
		eventually(t, "the API server takes "+u.GetKind()+" "+u.GetName(), func(ctx context.Context) bool {
			err = client.IgnoreAlreadyExists(c.Create(ctx, u))
			return err == nil
		})
	}
}

// A namespace is restored with its Secrets from a backup, after the cluster was lost or after its
// resources were removed without a controller. No object is created, changed or destroyed, and no
// secret is lost.
func TestRestoreBackup(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// lost is set if the backup is restored to a new cluster, else the same one is emptied.
		lost bool
		// running is set if the controller runs while the backup is restored.
		running bool
	}{
		"new cluster, controller runs":   {lost: true, running: true},
		"new cluster, controller starts": {lost: true},
		"same cluster":                   {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mirror := providertest.Mirror(t, "random")
			c := alone(t)
			stop := c.RunController(t, options(mirror))
			d := newDouble(t, "saved", "TESTPROVIDER_CONFIGURATION=yes")
			c.install(t, d.provider())
			c.install(t, terraformProvider("random", "hashicorp/random"))
			ns := c.Namespace(t)
			c.secret(t, ns, "inputs", map[string]string{"token": "the token", "password": "the password"})
			c.MustCreate(t, resource(d.APIVersion(), "ProviderConfig", ns, "own", m{"tokenSecretRef": m{"name": "inputs", "key": "token"}}))
			own := m{"kind": "ProviderConfig", "name": "own"}
			resources := []*unstructured.Unstructured{
				d.thing(ns, "thing", m{"value": "a", "passwordSecretRef": m{"name": "inputs", "key": "password"}}),
				d.place(ns, "place", m{"value": "a"}),
				resource(random, "Password", ns, "password", m{
					"forProvider": m{"length": int64(16)}, "writeConnectionSecretToRef": m{"name": "details"},
				}),
			}
			for _, r := range resources {
				if r.GetKind() != "Password" {
					set(t, r, own, "spec", "providerConfigRef")
				}
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				c.WaitFor(t, r, "annotated", func() bool { return r.GetAnnotations()["crossplane.io/external-name"] != "" })
			}
			secret := func(c *cluster) string {
				s := &corev1.Secret{}
				if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "details"}, s); err != nil {
					return err.Error()
				}
				return string(s.Data["attribute.result"])
			}
			password, ids := secret(c), map[string]string{}
			for _, kind := range []string{"thing", "place"} {
				o, _ := d.Object(kind, kind)
				ids[kind] = o.Attributes["id"]
			}
			changes := d.Changes()
			if len(password) != 16 || changes != 2 {
				t.Fatalf("password %q, %d changes", password, changes)
			}
			saved := c.backUp(t, []string{"landbridge.io", "saved.landbridge.io", "random.landbridge.io"}, ns, system)

			stop()
			if test.lost {
				c = alone(t)
			} else {
				c.empty(t, ns, resources)
			}
			if test.running {
				c.RunController(t, options(mirror))
			}
			c.restore(t, saved)
			if !test.running {
				c.RunController(t, options(mirror))
			}
			uids := map[string]bool{}
			for _, r := range resources {
				uids[string(r.GetUID())] = true
			}
			for _, r := range resources {
				c.untouched(t, r)
				if uids[string(r.GetUID())] {
					t.Errorf("%s is the old resource", r.GetName())
				}
			}
			if n := d.Changes() - changes; n != 0 {
				t.Errorf("%d changes of remote objects", n)
			}
			if got := secret(c); got != password {
				t.Errorf("the password was %q, and is %q", password, got)
			}

			// They are managed as before.
			c.MustPatch(t, resources[0], `{"spec":{"forProvider":{"value":"b"}}}`)
			c.has(t, d, "thing", "thing", "value", "b")
			c.WaitReady(t, resources[0])
			for _, kind := range []string{"thing", "place"} {
				if o, _ := d.Object(kind, kind); o.Attributes["id"] != ids[kind] {
					t.Errorf("%s: another object took its place", kind)
				}
			}
			for _, r := range resources {
				c.Remove(t, r)
			}
			eventually(t, "nothing is stored any more", func(context.Context) bool { return len(c.stored(t, ns)) == 0 })
			if creates, deletes := d.Calls("create"), d.Calls("delete"); creates != 2 || deletes != 2 {
				t.Errorf("%d creates, %d deletes", creates, deletes)
			}
		})
	}
}

// empty removes resources and what is stored of them, without a controller, so that no object is
// destroyed.
func (c *cluster) empty(t *testing.T, ns string, resources []*unstructured.Unstructured) {
	t.Helper()
	for _, r := range resources {
		gone := r.DeepCopy()
		c.MustPatch(t, gone, `{"metadata":{"finalizers":null}}`)
		c.Remove(t, gone)
	}
	for _, s := range c.stored(t, ns) {
		if err := c.Delete(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"inputs", "details"} {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
		if err := client.IgnoreNotFound(c.Delete(t.Context(), s)); err != nil {
			t.Fatal(err)
		}
	}
}

// Resources are moved while the controllers of both clusters run, and while one has an operation
// that takes long. No object is created, changed or destroyed by the move, and no secret is lost.
func TestMoveBetweenClusters(t *testing.T) {
	t.Parallel()
	mirror := providertest.Mirror(t, "random")
	d := newDouble(t, "moved")
	source, target := alone(t), alone(t)
	for _, c := range []*cluster{source, target} {
		c.RunController(t, options(mirror))
		c.install(t, d.provider())
		c.install(t, terraformProvider("random", "hashicorp/random"))
	}
	ns := source.Namespace(t)
	for _, c := range []*cluster{source, target} {
		if c == target {
			if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}); err != nil {
				t.Fatal(err)
			}
		}
		c.secret(t, ns, "inputs", map[string]string{"password": "the password"})
	}
	thing, slow := d.thing(ns, "thing", m{"value": "a", "passwordSecretRef": m{"name": "inputs", "key": "password"}}),
		d.place(ns, "slow", m{"value": "a"})
	password := resource(random, "Password", ns, "password", m{
		"forProvider": m{"length": int64(16)}, "writeConnectionSecretToRef": m{"name": "details"},
	})
	resources := []*unstructured.Unstructured{thing, slow, password}
	for _, r := range resources {
		source.MustCreate(t, r)
		source.WaitReady(t, r)
	}
	secret := func(c *cluster) string {
		s := &corev1.Secret{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "details"}, s); err != nil {
			return err.Error()
		}
		return string(s.Data["attribute.result"])
	}
	before := secret(source)
	run(t, "--version") // it is built before the change begins
	// The command has to begin meanwhile, on a busy machine, too.
	d.Order(t, "slow", "slow 20s")
	source.MustPatch(t, slow, `{"spec":{"forProvider":{"value":"b"}}}`)
	eventually(t, "the change is begun", func(context.Context) bool { return d.CarriedOut("slow") })

	out, _ := run(t, "move", "--all", "-n", ns, "--kubeconfig", source.Kubeconfig, "--to-kubeconfig", target.Kubeconfig)
	for _, want := range []string{
		"place.moved.landbridge.io " + ns + "/slow: waiting for its Update", "place.moved.landbridge.io " + ns + "/slow: moved",
		"thing.moved.landbridge.io " + ns + "/thing: moved", "password.random.landbridge.io " + ns + "/password: moved",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, r := range resources {
		target.untouched(t, r)
		source.WaitGone(t, r.DeepCopy())
	}
	if left := source.stored(t, ns); len(left) != 0 {
		t.Errorf("%d are stored in the source", len(left))
	}
	if creates, updates, deletes := d.Calls("create"), d.Calls("update"), d.Calls("delete"); creates != 2 || updates != 1 || deletes != 0 {
		t.Errorf("%d creates, %d updates, %d deletes", creates, updates, deletes)
	}
	if got := secret(target); got != before || len(got) != 16 {
		t.Errorf("the password was %q, and is %q", before, got)
	}
	changes := d.Changes()
	never(t, 3*poll, "an object is changed", func() bool { return d.Changes() != changes })

	target.MustPatch(t, thing, `{"spec":{"forProvider":{"value":"c"}}}`)
	target.has(t, d, "thing", "thing", "value", "c")
	for _, r := range resources {
		target.WaitReady(t, r)
		target.Remove(t, r)
	}
	if deletes := d.Calls("delete"); deletes != 2 {
		t.Errorf("%d deletes", deletes)
	}
}

// Resources that are locked by a move, which was killed, are left alone even if they are unpaused,
// changed or deleted, until the move is undone or repeated.
func TestInterruptedMove(t *testing.T) {
	t.Parallel()
	source, target := alone(t), alone(t)
	d := newDouble(t, "locked")
	for _, c := range []*cluster{source, target} {
		c.RunController(t, options(directory(t)))
		c.install(t, d.provider())
	}
	ns := source.Namespace(t)
	if err := target.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}); err != nil {
		t.Fatal(err)
	}
	first, second, slow := d.place(ns, "first", m{"value": "a"}), d.place(ns, "second", m{"value": "a"}), d.thing(ns, "slow", m{"value": "a"})
	for _, r := range []*unstructured.Unstructured{first, second, slow} {
		source.MustCreate(t, r)
		source.WaitReady(t, r)
	}
	args := []string{"move", "-n", ns, "--kubeconfig", source.Kubeconfig, "--to-kubeconfig", target.Kubeconfig}
	move := command(t, append(args, "--all")...)
	d.Order(t, "slow", "slow 10s")
	source.MustPatch(t, slow, `{"spec":{"forProvider":{"value":"b"}}}`)
	eventually(t, "the change is begun", func(context.Context) bool { return d.CarriedOut("slow") })
	stdout, err := move.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := move.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.Contains(lines.Text(), "waiting for its Update") {
	}
	if err := move.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = move.Wait()
	source.WaitReady(t, slow)
	changes := d.Changes()

	source.MustPatch(t, first, `{"metadata":{"annotations":{"crossplane.io/paused":null}},"spec":{"forProvider":{"value":"b"}}}`)
	source.WaitFalse(t, first, "Synced", "ReconcileError", "is being moved to another cluster")
	source.MustPatch(t, second, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
	if err := source.Delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	never(t, 3*poll, "an object is changed", func() bool { return d.Changes() != changes })

	run(t, append(args, "place/first", "--undo")...)
	source.has(t, d, "place", "first", "value", "b")
	source.WaitReady(t, first)
	run(t, append(args, "place/second", "thing/slow")...)
	target.untouched(t, second)
	target.untouched(t, slow)
	if creates, updates, deletes := d.Calls("create"), d.Calls("update"), d.Calls("delete"); creates != 3 || updates != 2 || deletes != 0 {
		t.Errorf("%d creates, %d updates, %d deletes", creates, updates, deletes)
	}
	if left := source.stored(t, ns); len(left) != 1 || left[0].Annotations["landbridge.io/owner"] != ns+"/first" {
		t.Errorf("%d are stored in the source", len(left))
	}
}

// The page on backups is executed and must match.
func TestBackupPage(t *testing.T) {
	t.Parallel()
	// Not shared: the page lists what is in the cluster.
	server, other := playgroundtest.New(t, playgroundtest.Options{}), playgroundtest.New(t, playgroundtest.Options{})
	c, target := on(t, server), on(t, other)
	mirror := mirrorOf(t, "landbridge-io/examplecloud")
	c.RunController(t, options(mirror))
	target.RunController(t, options(mirror))
	cloud := examplecloudtest.Start(t)
	target.install(t, terraformProvider("examplecloud", "landbridge-io/examplecloud", "examplecloud_thing", "examplecloud_credential"))
	doctest.Test(t, filepath.Join("..", "..", "docs", "backup.md"), doctest.Options{
		Env: []string{"PATH=" + programs(t) + ":" + os.Getenv("PATH"), "KUBECONFIG=" + server.Kubeconfig, "LANDBRIDGE_PROVIDER_MIRROR=" + mirror},
		Replace: map[string]string{
			"http://127.0.0.1:8480": cloud.URL,
			"/etc/other.kubeconfig": other.Kubeconfig,
		},
	})
	if got := cloud.Audit(t); got.Creates != 2 || got.Updates != 0 || got.Deletes != 0 || got.Live != 2 {
		t.Errorf("%+v", got)
	}
	for _, x := range []struct{ kind, name string }{{"Thing", "web"}, {"Credential", "api"}} {
		target.untouched(t, resource("examplecloud.landbridge.io/v1alpha1", x.kind, "team-a", x.name, nil))
	}
}
