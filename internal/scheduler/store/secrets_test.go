package store_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/schema"
)

const password = "correct-horse-battery-staple"

var thing = &schema.Resource{
	Type: "test_thing", Version: 3,
	Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"id":       {Type: cty.String, Computed: true},
		"password": {Type: cty.String, Optional: true, Sensitive: true},
	}},
	Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"id": {Type: cty.String, RequiredForImport: true}}},
}

func anInstance(password string) instance.Instance {
	return instance.Instance{
		State:         cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("i-1"), "password": cty.StringVal(password)}),
		SchemaVersion: 3, Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("i-1")}),
		Private: []byte{0, 1, 2}, Status: instance.Full,
	}
}

func key(name string) store.Key {
	return store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: "team", Name: name}
}

// secrets is the client of a namespace of the test's own.
func secrets(t *testing.T) typedcorev1.SecretInterface {
	t.Helper()
	return playgroundtest.Start(t).Secrets(t)
}

func save(t *testing.T, s store.Store, k store.Key, rec store.Record) store.Record {
	t.Helper()
	out, err := s.Save(t.Context(), k, thing, rec)
	if err != nil {
		t.Fatalf("Save: %v", err)
	}
	return out
}

func load(t *testing.T, s store.Store, k store.Key) store.Record {
	t.Helper()
	out, err := s.Load(t.Context(), k, thing)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return out
}

// same compares what an encoding keeps.
func same(t *testing.T, got, want store.Record) {
	t.Helper()
	x, err := instance.Encode(got.Instance, thing)
	if err != nil {
		t.Fatal(err)
	}
	y, err := instance.Encode(want.Instance, thing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(y), string(x)); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
	if got.Handled != want.Handled {
		t.Errorf("got tokens %v, want %v", got.Handled, want.Handled)
	}
	if got.Owner != want.Owner || got.Version != want.Version {
		t.Errorf("got owner %q, version %q; want %q, %q", got.Owner, got.Version, want.Owner, want.Version)
	}
}

func TestSecrets(t *testing.T) {
	client := secrets(t)
	s, k := &store.Secrets{Client: client}, key("one")
	if _, err := s.Load(t.Context(), k, thing); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("nothing is stored, and Load answers %v", err)
	}
	created := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(password)})
	same(t, load(t, s, k), created)
	// Another process reads the same.
	same(t, load(t, &store.Secrets{Client: client}, k), created)

	changed := created
	changed.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, PlannedState: cty.UnknownVal(thing.ImpliedType())}
	changed = save(t, s, k, changed)
	if changed.Version == created.Version {
		t.Error("a write left the version as it was")
	}
	same(t, load(t, s, k), changed)
	changed.Handled = store.Tokens{Taint: "1", Untaint: "2", Retry: "<3>", Interrupt: "4", Held: 5}
	changed = save(t, s, k, changed)
	same(t, load(t, &store.Secrets{Client: client}, k), changed)
	before := changed.Version
	changed.Account = instance.Configuration{Name: "g/ClusterProviderConfig//dev", UID: "uid"}.Account()
	changed = save(t, s, k, changed)
	same(t, load(t, &store.Secrets{Client: client}, k), changed)
	if changed.Version == before {
		t.Error("the account was not stored")
	}

	secret, err := client.Get(t.Context(), store.SecretName(k), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if secret.Type != v1alpha1.SecretTypeInstance || secret.Labels["app.kubernetes.io/managed-by"] != "landbridge" ||
		secret.Annotations["landbridge.io/owner"] != "team/one" ||
		secret.Annotations["landbridge.io/owner-uid"] != "uid-1" {
		t.Errorf("the Secret is of type %s, labels %v, annotations %v", secret.Type, secret.Labels, secret.Annotations)
	}

	encoded, _, err := store.Manifests(k, thing, changed)
	if err != nil {
		t.Fatal(err)
	}
	delete(secret.Annotations, "landbridge.io/write")
	for what, values := range map[string][2]any{
		"name": {encoded.Name, secret.Name}, "labels": {encoded.Labels, secret.Labels}, "annotations": {encoded.Annotations, secret.Annotations},
		"type": {encoded.Type, secret.Type}, "data": {encoded.Data, secret.Data},
	} {
		if diff := cmp.Diff(values[1], values[0]); diff != "" {
			t.Errorf("%s of the encoded Secret (-stored +encoded):\n%s", what, diff)
		}
	}

	if err := s.Delete(t.Context(), k, created.Version); !errors.Is(err, store.ErrConflict) {
		t.Errorf("deleting what was changed since: %v", err)
	}
	for range 2 { // deleting twice is no error
		if err := s.Delete(t.Context(), k, changed.Version); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Load(t.Context(), k, thing); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after Delete, Load answers %v", err)
	}
	save(t, s, k, store.Record{Owner: "uid-2", Instance: anInstance(password)})
}

func TestSecretsConflict(t *testing.T) {
	cases := map[string]func(t *testing.T, client typedcorev1.SecretInterface, k store.Key){
		"another writer": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			other := &store.Secrets{Client: client}
			rec := load(t, other, k)
			rec.Instance = anInstance("other")
			save(t, other, k, rec)
		},
		"deleted": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			if err := client.Delete(t.Context(), store.SecretName(k), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		},
		"deleted and made anew": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			if err := client.Delete(t.Context(), store.SecretName(k), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			save(t, &store.Secrets{Client: client}, k, store.Record{Owner: "uid-2", Instance: anInstance("other")})
		},
		"another writer, of the same": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			other := &store.Secrets{Client: client}
			rec := load(t, other, k)
			before := rec.Instance
			rec.Instance = anInstance("other")
			rec = save(t, other, k, rec)
			rec.Instance = before
			save(t, other, k, rec)
		},
		"edited by hand": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			edit(t, client, k, func(secret *corev1.Secret) {
				secret.Data["instance.json"] = bytes.Replace(secret.Data["instance.json"], []byte("i-1"), []byte("i-2"), 1)
			})
		},
		"given to another": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			edit(t, client, k, func(secret *corev1.Secret) { secret.Annotations["landbridge.io/owner-uid"] = "uid-2" })
		},
		"without a trace of who wrote it": func(t *testing.T, client typedcorev1.SecretInterface, k store.Key) {
			edit(t, client, k, func(secret *corev1.Secret) {
				secret.Annotations = map[string]string{"landbridge.io/owner-uid": "uid-1"}
			})
		},
	}
	client := secrets(t)
	for name, meddle := range cases {
		t.Run(name, func(t *testing.T) {
			s, k := &store.Secrets{Client: client}, key(strings.NewReplacer(" ", "-", ",", "").Replace(name))
			rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(password)})
			meddle(t, client, k)
			before, loadErr := s.Load(t.Context(), k, thing)
			rec.Instance = anInstance("new")
			if _, err := s.Save(t.Context(), k, thing, rec); !errors.Is(err, store.ErrConflict) {
				t.Errorf("got error %v, want a conflict", err)
			}
			after, err := s.Load(t.Context(), k, thing)
			if !errors.Is(err, loadErr) {
				t.Fatalf("Load: %v, before %v", err, loadErr)
			}
			same(t, after, before)
		})
	}
}

func edit(t *testing.T, client typedcorev1.SecretInterface, k store.Key, change func(*corev1.Secret)) {
	t.Helper()
	secret, err := client.Get(t.Context(), store.SecretName(k), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	change(secret)
	if _, err := client.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// What others write beside what is stored neither keeps it from being written, nor is lost.
func TestSecretsTouched(t *testing.T) {
	client, k := secrets(t), key("one")
	s := &store.Secrets{Client: client}
	owner, err := client.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(password)})
	for i, value := range []string{"a", "b", "c"} {
		edit(t, client, k, func(secret *corev1.Secret) {
			secret.Annotations["example.org/note"], secret.Labels["example.org/team"] = value, value
			secret.Finalizers = []string{"example.org/backup"}
			secret.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Secret", Name: owner.Name, UID: owner.UID}}
		})
		if i == 1 { // by a process that has read it since
			s = &store.Secrets{Client: client}
			rec = load(t, s, k)
		}
		for _, password := range []string{"new" + value, "newer" + value} {
			rec.Instance = anInstance(password)
			rec = save(t, s, k, rec)
			same(t, load(t, &store.Secrets{Client: client}, k), rec)
		}
		secret, err := client.Get(t.Context(), store.SecretName(k), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if secret.Annotations["example.org/note"] != value || secret.Labels["example.org/team"] != value || len(secret.Finalizers) != 1 ||
			len(secret.OwnerReferences) != 1 || secret.Annotations["landbridge.io/owner-uid"] != "uid-1" {
			t.Errorf("the Secret has labels %v, annotations %v, finalizers %v, owners %v", secret.Labels,
				secret.Annotations, secret.Finalizers, secret.OwnerReferences)
		}
	}
	// What is Landbridge's own goes when it is not so any more.
	rec.Instance = instance.Instance{}
	rec = save(t, s, k, rec)
	rec.Instance = anInstance(password)
	save(t, s, k, rec)
	edit(t, client, k, func(secret *corev1.Secret) {
		if _, ok := secret.Labels["landbridge.io/empty"]; ok {
			t.Error("what is not empty is labelled so")
		}
		secret.Finalizers = nil // else the namespace's end would wait for it
	})
}

// Two that begin at the same time do not both succeed.
func TestSecretsCreateOnce(t *testing.T) {
	client, k := secrets(t), key("one")
	save(t, &store.Secrets{Client: client}, k, store.Record{Owner: "uid-1", Instance: anInstance(password)})
	_, err := (&store.Secrets{Client: client}).Save(t.Context(), k, thing, store.Record{Owner: "uid-1", Instance: anInstance("other")})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("got error %v, want a conflict", err)
	}
}

func TestSecretsForeign(t *testing.T) {
	cases := map[string]corev1.Secret{
		"another type": {Data: map[string][]byte{"instance.json": []byte(`{"version": 1, "state": "` + password + `"}`)}},
		"no instance":  {Type: v1alpha1.SecretTypeInstance, Data: map[string][]byte{"other": []byte(password)}},
		"broken":       {Type: v1alpha1.SecretTypeInstance, Data: map[string][]byte{"instance.json": []byte(`{"version": "` + password + `"}`)}},
		"truncated": {
			Type: v1alpha1.SecretTypeInstance,
			Data: map[string][]byte{"instance.json": []byte(`{"version": 1, "state": {"password": "` + password)},
		},
		"broken tokens": {
			Type: v1alpha1.SecretTypeInstance,
			Data: map[string][]byte{"instance.json": []byte(`{"version": 1}`), "handled.json": []byte(password)},
		},
		"too new": {
			Type: v1alpha1.SecretTypeInstance,
			Data: map[string][]byte{
				"instance.json": []byte(`{"version": 1000, "state": {"password": "` + password + `"}}`),
			},
		},
	}
	client := secrets(t)
	for name, secret := range cases {
		t.Run(name, func(t *testing.T) {
			s, k := &store.Secrets{Client: client}, key(strings.ReplaceAll(name, " ", "-"))
			secret.Name = store.SecretName(k)
			if _, err := client.Create(t.Context(), &secret, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			_, err := s.Load(t.Context(), k, thing)
			if err == nil || errors.Is(err, store.ErrNotFound) {
				t.Errorf("Load answers %v", err)
			}
			if err != nil && strings.Contains(err.Error(), password) {
				t.Errorf("the error holds a secret: %v", err)
			}
			if _, err := s.Save(t.Context(), k, thing, store.Record{Owner: "uid-1", Instance: anInstance("x")}); !errors.Is(err, store.ErrConflict) {
				t.Errorf("Save over it answers %v", err)
			}
		})
	}
}

func TestSecretsUnchanged(t *testing.T) {
	client := secrets(t)
	k := key("one")
	counting := &counter{SecretInterface: client}
	s := &store.Secrets{Client: counting}
	rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(password)})
	counting.writes = 0
	again := save(t, s, k, rec)
	if again.Version != rec.Version || counting.writes != 0 {
		t.Errorf("an unchanged record was written: version %s, then %s, %d writes", rec.Version, again.Version, counting.writes)
	}
	// Nor is it by a process that has only read it.
	s = &store.Secrets{Client: counting}
	if again = save(t, s, k, load(t, s, k)); again.Version != rec.Version || counting.writes != 0 {
		t.Errorf("an unchanged record was written after reading: %d writes", counting.writes)
	}
	again.Rewrite = true
	rewritten := save(t, s, k, again)
	if _, err := (&store.Secrets{Client: client}).Save(t.Context(), k, thing, rec); !errors.Is(err, store.ErrConflict) || rewritten.Rewrite {
		t.Errorf("the former version of a record that was written again is written over: %v", err)
	}
	again = rewritten
	again.Owner = "uid-2"
	owned := save(t, s, k, again)
	if owned.Version == rec.Version || load(t, s, k).Owner != "uid-2" {
		t.Error("a new owner was not written")
	}
	owned.Handled.Retry = "now"
	if save(t, s, k, owned); load(t, s, k).Handled.Retry != "now" {
		t.Error("a token was not written")
	}
}

// counter counts requests for single Secrets.
type counter struct {
	typedcorev1.SecretInterface
	writes, gets int
}

func (c *counter) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.Secret, error) {
	c.gets++
	return c.SecretInterface.Get(ctx, name, o)
}

func (c *counter) Create(ctx context.Context, s *corev1.Secret, o metav1.CreateOptions) (*corev1.Secret, error) {
	c.writes++
	return c.SecretInterface.Create(ctx, s, o)
}

func (c *counter) Update(ctx context.Context, s *corev1.Secret, o metav1.UpdateOptions) (*corev1.Secret, error) {
	c.writes++
	return c.SecretInterface.Update(ctx, s, o)
}

// What the API server, or the encoding, has to say of a write does not tell what was written.
func TestSecretsErrorsHoldNoSecrets(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	cases := map[string]struct {
		ctx context.Context
		in  instance.Instance
		key store.Key
	}{
		"cancelled": {gone, anInstance(password), key("cancelled")},
		"of another schema": {t.Context(), instance.Instance{
			State: cty.ObjectVal(map[string]cty.Value{
				"id": cty.StringVal(password), "password": cty.ListValEmpty(cty.String),
			}), Status: instance.Full,
		}, key("schema")},
		"not a name": {t.Context(), anInstance(password), key("Not A Name")},
	}
	client := secrets(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &store.Secrets{Client: client}
			_, err := s.Save(tc.ctx, tc.key, thing, store.Record{Owner: "uid-1", Instance: tc.in})
			if err == nil {
				t.Fatal("stored")
			}
			if text := err.Error(); strings.Contains(text, password) || len(text) > 1000 {
				t.Errorf("the error holds a secret, or far too much: %.1000s", text)
			}
		})
	}
	if err := (&store.Secrets{Client: client}).Delete(gone, key("one"), "1"); err == nil {
		t.Error("deleted without a connection")
	}
}

func keys() *rapid.Generator[store.Key] {
	return rapid.Custom(func(t *rapid.T) store.Key {
		// Short alphabets, so that keys are alike.
		label := `[ab]([ab-]{0,60}[ab])?`
		return store.Key{
			Group:     rapid.StringMatching(`[ab]{1,3}\.(io|dev)`).Draw(t, "group"),
			Kind:      rapid.StringMatching(`[AB][ABab]{0,62}`).Draw(t, "kind"),
			Namespace: rapid.OneOf(rapid.Just(""), rapid.StringMatching(label)).Draw(t, "namespace"),
			Name:      rapid.StringMatching(label+`(\.`+label+`){0,3}`).Filter(func(s string) bool { return len(s) <= 253 }).Draw(t, "name"),
		}
	})
}

func TestSecretName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := keys().Draw(t, "key")
		name := store.SecretName(k)
		if problems := validation.IsDNS1123Subdomain(name); len(problems) != 0 {
			t.Fatalf("%q is no name of a Secret: %v", name, problems)
		}
		if problems := validation.IsValidLabelValue(store.KindLabel(k.Group, k.Kind)); len(problems) != 0 {
			t.Fatalf("the label of %v: %v", k, problems)
		}
		if name != store.SecretName(k) {
			t.Fatal("another name for the same key")
		}
		other := keys().Draw(t, "other key")
		if other != k && store.SecretName(other) == name {
			t.Fatalf("one name for %v and %v", k, other)
		}
	})
}

func TestSecretNameTellsPartsApart(t *testing.T) {
	long := strings.Repeat("a", 240)
	seen := map[string]store.Key{}
	for _, k := range []store.Key{
		{Group: "x.io", Kind: "Thing", Namespace: "a", Name: "b.c"},
		{Group: "x.io", Kind: "Thing", Namespace: "b", Name: "b.c"},
		{Group: "x.io", Kind: "Thing", Namespace: "", Name: "b.c"},
		{Group: "y.io", Kind: "Thing", Namespace: "a", Name: "b.c"},
		{Group: "x.io", Kind: "THing", Namespace: "a", Name: "b.c"},
		{Group: "x.io", Kind: "Thin", Namespace: "a", Name: "g.b.c"},
		{Group: "x.io", Kind: "Thing", Namespace: "a", Name: long + ".a"},
		{Group: "x.io", Kind: "Thing", Namespace: "a", Name: long + ".b"},
	} {
		name := store.SecretName(k)
		if other, ok := seen[name]; ok {
			t.Errorf("one name for %v and %v", k, other)
		}
		seen[name] = k
		if !strings.Contains(name, strings.ToLower(k.Kind)) {
			t.Errorf("%q does not tell the kind", name)
		}
	}
}

// Many writers of one record: each write is seen by the next, and none is lost.
func TestSecretsFence(t *testing.T) {
	client, k := secrets(t), key("one")
	save(t, &store.Secrets{Client: client}, k, store.Record{Owner: "uid-1", Instance: instance.Instance{Private: nil}})
	const writers, each = 4, 5
	errs := make(chan error, writers)
	for range writers {
		go func() {
			s := &store.Secrets{Client: client}
			for done := 0; done < each; {
				rec, err := s.Load(context.Background(), k, thing)
				if err != nil {
					errs <- err
					return
				}
				rec.Instance.Private = append(rec.Instance.Private, 'x')
				_, err = s.Save(context.Background(), k, thing, rec)
				switch {
				case err == nil:
					done++
				case !errors.Is(err, store.ErrConflict):
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := len(load(t, &store.Secrets{Client: client}, k).Instance.Private); got != writers*each {
		t.Errorf("%d writes are left of %d", got, writers*each)
	}
}

func TestManagedFields(t *testing.T) {
	api := secrets(t)
	s, k := &store.Secrets{Client: api}, key("untracked")
	stored := func() *corev1.Secret {
		t.Helper()
		secret, err := api.Get(t.Context(), store.SecretName(k), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	rec := save(t, s, k, store.Record{Instance: anInstance("first")})
	rec.Instance = anInstance(strings.Repeat("a large one ", 100))
	rec = save(t, s, k, rec)
	if got := stored().ManagedFields; got != nil {
		t.Errorf("The API server keeps the managed fields %v.", got)
	}

	// Server-side apply of others works all the same, and what it knows stays.
	label := func(name string) {
		t.Helper()
		secret := applycorev1.Secret(store.SecretName(k), stored().Namespace).WithLabels(map[string]string{name: "yes"})
		if _, err := api.Apply(t.Context(), secret, metav1.ApplyOptions{FieldManager: "backup"}); err != nil {
			t.Fatal(err)
		}
	}
	label("first")
	rec.Instance = anInstance("second")
	save(t, s, k, rec)
	label("second")
	if labels := stored().Labels; labels["first"] != "" || labels["second"] != "yes" {
		t.Errorf("labels %v; want the second that was applied alone", labels)
	}
	got := load(t, s, k)
	same(t, got, store.Record{Version: got.Version, Instance: anInstance("second")})
}
