package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// noise returns text that cannot be compressed much, the same for the same seed.
func noise(seed, size int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	b := make([]byte, size)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// all returns the Secrets of a namespace by name.
func all(t rapid.TB, client typedcorev1.SecretInterface) map[string]corev1.Secret {
	t.Helper()
	list, err := client.List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]corev1.Secret{}
	for _, s := range list.Items {
		out[s.Name] = s
	}
	return out
}

// parts returns the names of the parts that a head points to.
func parts(t rapid.TB, head corev1.Secret) []string {
	t.Helper()
	var c struct{ Parts []struct{ Name string } }
	if raw := head.Data["content.json"]; raw != nil {
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, p := range c.Parts {
		out = append(out, p.Name)
	}
	return out
}

// The limit concerns what is stored before an operation, and what it leaves as far as it is
// planned. In between, a record may have both and a journal.
func TestEncodeTooLarge(t *testing.T) {
	const most = 10_000
	of := func(size int) instance.Instance { return anInstance(noise(1, size)) }
	with := func(in instance.Instance, planned, journal int) instance.Instance {
		in.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, Journal: []byte(noise(2, journal))}
		if planned > 0 {
			in.Operation.PlannedState = of(planned).State
		}
		return in
	}
	cases := map[string]struct {
		in       instance.Instance
		tooLarge bool
	}{
		"state":           {in: of(9_000)},
		"state too large": {in: of(10_000), tooLarge: true},
		"deposed too large": {
			in: instance.Instance{
				Deposed: []instance.Deposed{of(5_000).Depose("00000000"), of(5_000).Depose("00000001")},
			}, tooLarge: true,
		},
		"update":                      {in: with(of(9_000), 9_000, 0)},
		"update, with journal":        {in: with(of(9_000), 9_000, 9_000)},
		"update of what is too large": {in: with(of(10_000), 100, 0), tooLarge: true},
		"create too large":            {in: with(instance.Instance{}, 10_000, 0), tooLarge: true},
		"update too large":            {in: with(of(100), 10_000, 0), tooLarge: true},
		"journal":                     {in: with(of(100), 100, 25_000)},
		"journal too large":           {in: with(of(100), 100, 35_000), tooLarge: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := store.Encode(tc.in, thing, most)
			if errors.Is(err, store.ErrTooLarge) != tc.tooLarge || (err == nil) == tc.tooLarge {
				t.Errorf("%d bytes, error %v", len(got), err)
			}
		})
	}
}

// The API server's own limits, and those of etcd and of proxies, are permanent errors.
func TestSecretsRefused(t *testing.T) {
	invalid := func(causes ...metav1.StatusCause) error {
		err := kerrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "one", nil)
		err.ErrStatus.Details.Causes = causes
		return err
	}
	cases := map[string]struct {
		err  error
		want error
	}{
		"413": {kerrors.NewRequestEntityTooLargeError("limit is 3145728"), store.ErrTooLarge},
		"413 of a proxy": {
			&kerrors.StatusError{
				ErrStatus: metav1.Status{Code: 413, Reason: metav1.StatusReasonRequestEntityTooLarge},
			}, store.ErrTooLarge,
		},
		"422":                {invalid(), store.ErrRejected},
		"422 for its length": {invalid(metav1.StatusCause{Type: metav1.CauseTypeTooLong, Field: "data"}), store.ErrTooLarge},
		"etcd":               {kerrors.NewInternalError(errors.New("etcdserver: request is too large")), store.ErrTooLarge},
		"etcd's client": {
			kerrors.NewInternalError(errors.New("rpc error: code = ResourceExhausted desc = trying to send message " +
				"larger than max (2097219 vs. 2097152)")), store.ErrTooLarge,
		},
		"unavailable": {kerrors.NewServiceUnavailable("later"), nil},
		"internal":    {kerrors.NewInternalError(errors.New("etcdserver: leader changed")), nil},
		"forbidden":   {kerrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "one", errors.New("exceeded quota")), nil},
	}
	for name, tc := range cases {
		for _, size := range []int{100, 10_000} {
			for _, at := range []string{"head", "part"} {
				if at == "part" && size == 100 {
					continue
				}
				t.Run(fmt.Sprint(name, " ", at, " ", size), func(t *testing.T) {
					api, k := &api{t: t}, key("one")
					s := &store.Secrets{Client: api, PartSize: 1000}
					rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance("x")})
					api.refuse = func(verb string, secret *corev1.Secret) error {
						if verb != "get" && (secret.Name == store.SecretName(k)) == (at == "head") && secret.Data["instance.json"] == nil == (size > 100) {
							return tc.err
						}
						return nil
					}
					rec.Instance = anInstance(noise(1, size))
					_, err := s.Save(t.Context(), k, thing, rec)
					if tc.want != nil && !errors.Is(err, tc.want) || err == nil ||
						store.Permanent(err) != (tc.want != nil) || errors.Is(err, store.ErrConflict) {
						t.Errorf("got error %v, want %v", err, tc.want)
					}
					api.refuse = nil
					if left := len(api.secrets); tc.want != nil && left != 1 {
						t.Errorf("%d Secrets are left", left)
					}
					// It is stored as soon as it is accepted.
					rec = save(t, s, k, rec)
					same(t, load(t, &store.Secrets{Client: api}, k), rec)
				})
			}
		}
	}
}

// The journal of an operation is stored again and again: what has not changed of a large state is
// not written each time. The outcome is written as a whole.
func TestSecretsJournal(t *testing.T) {
	api, k := &api{t: t}, key("one")
	s := &store.Secrets{Client: api, PartSize: 1000}
	in := anInstance("x")
	in.Private = []byte(noise(1, 100_000)) // as a module's state
	rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: in})
	for i := range 20 {
		rec.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, Journal: []byte(noise(2, 1000*(i+1)))}
		api.writes = 0
		rec = save(t, s, k, rec)
		same(t, load(t, &store.Secrets{Client: api, PartSize: 1000}, k), rec)
		if used := len(parts(t, *api.secrets[store.SecretName(k)])); i > 0 && api.writes > used/2 { // half of them are deletions
			t.Errorf("%d writes for a step of the journal", api.writes)
		}
		if left, used := len(api.secrets), len(parts(t, *api.secrets[store.SecretName(k)])); left != used+1 {
			t.Errorf("%d Secrets are left, %d parts are used", left, used)
		}
	}
	before := slices.Collect(maps.Keys(api.secrets))
	rec.Instance.Operation = nil
	rec = save(t, s, k, rec)
	for _, name := range before {
		if name != store.SecretName(k) && api.secrets[name] != nil {
			t.Errorf("the outcome uses %s of the journal", name)
		}
	}
	same(t, load(t, &store.Secrets{Client: api}, k), rec)
}

// Manifests of a record are what the store would have written.
func TestManifests(t *testing.T) {
	for _, size := range []int{100, 100 << 10, 2 << 20} {
		api, k := &api{t: t}, key("one")
		rec := store.Record{Instance: anInstance(noise(1, size))}
		head, parts, err := store.Manifests(k, thing, rec)
		if err != nil {
			t.Fatal(err)
		}
		if (len(parts) > 0) != (size > 1<<20) {
			t.Errorf("%d bytes: %d parts", size, len(parts))
		}
		for _, secret := range append(parts, head) {
			if _, err := api.Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		s := &store.Secrets{Client: api}
		got := load(t, s, k)
		rec.Version = got.Version
		same(t, got, rec)
		got.Instance = anInstance("x")
		save(t, s, k, got)
		if len(api.secrets) != 1 {
			t.Errorf("%d bytes: %d Secrets are left", size, len(api.secrets))
		}
	}
}

// What is restored from a backup while a record is written is whole: the parts of the record
// before, which the write removes, are left if they are restored ones.
func TestSecretsRestoredDuringWrite(t *testing.T) {
	for name, known := range map[string]bool{"the writer made them": true, "the writer read them": false} {
		t.Run(name, func(t *testing.T) {
			api, k := &api{t: t}, key("one")
			s := &store.Secrets{Client: api, PartSize: 1000}
			before := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(noise(1, 5000))})
			backup := maps.Clone(api.secrets)
			if !known {
				s = &store.Secrets{Client: api, PartSize: 1000}
				before = load(t, s, k)
			}
			removed := 0
			api.wrote = func() {
				if _, ok := api.secrets[parts(t, *backup[store.SecretName(k)])[0]]; ok || removed > 0 {
					return
				}
				removed++ // one part, and the others are about to be
				for name, secret := range backup {
					api.version++
					secret = secret.DeepCopy()
					secret.ResourceVersion, secret.UID = fmt.Sprint(api.version), types.UID("restored-"+name)
					api.secrets[name] = secret
				}
			}
			next := before
			next.Instance = anInstance(noise(2, 5000))
			if _, err := s.Save(t.Context(), k, thing, next); err != nil {
				t.Fatal(err)
			}
			if removed == 0 {
				t.Fatal("nothing was restored")
			}
			got := load(t, &store.Secrets{Client: api, PartSize: 1000}, k)
			before.Version = got.Version
			same(t, got, before)
		})
	}
}

// Damage is an error that names the Secret, and not another record.
func TestSecretsDamaged(t *testing.T) {
	cases := map[string]func(api *api, head *corev1.Secret, part *corev1.Secret){
		"part missing": func(api *api, _, part *corev1.Secret) { delete(api.secrets, part.Name) },
		"part changed": func(_ *api, _, part *corev1.Secret) { part.Data["instance.json.zst"][0]++ },
		"part truncated": func(_ *api, _, part *corev1.Secret) {
			part.Data["instance.json.zst"] = part.Data["instance.json.zst"][1:]
		},
		"checksum":      func(_ *api, head, _ *corev1.Secret) { replace(head, `"sha256":"`, `"sha256":"00`) },
		"size":          func(_ *api, head, _ *corev1.Secret) { replace(head, `"size":`, `"size":1`) },
		"negative size": func(_ *api, head, _ *corev1.Secret) { replace(head, `"size":`, `"size":-`) },
		"malformed":     func(_ *api, head, _ *corev1.Secret) { head.Data["content.json"] = []byte(password) },
		"no parts": func(_ *api, head, _ *corev1.Secret) {
			head.Data["content.json"] = []byte(`{"size":1,"sha256":"` + strings.Repeat("00", 32) + `"}`)
		},
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			api, k := &api{t: t}, key("one")
			s := &store.Secrets{Client: api, PartSize: 1000}
			save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(password + noise(1, 5000))})
			head := api.secrets[store.SecretName(k)]
			damage(api, head, api.secrets[parts(t, *head)[2]])
			_, err := s.Load(t.Context(), k, thing)
			if !errors.Is(err, store.ErrUnreadable) || !strings.Contains(err.Error(), store.SecretName(k)) ||
				strings.Contains(err.Error(), password) {
				t.Errorf("got error %v", err)
			}
		})
	}
}

func replace(head *corev1.Secret, from, to string) {
	head.Data["content.json"] = []byte(strings.Replace(string(head.Data["content.json"]), from, to, 1))
}

// A head that a finalizer of another controller keeps has its parts.
func TestSecretsDeletedWithFinalizer(t *testing.T) {
	client, k := secrets(t), key("one")
	s := &store.Secrets{Client: client}
	save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance(noise(1, 1<<20))})
	edit(t, client, k, func(secret *corev1.Secret) { secret.Finalizers = []string{"example.org/backup"} })
	rec := load(t, s, k)
	if err := s.Delete(t.Context(), k, rec.Version); err != nil {
		t.Fatal(err)
	}
	if _, err := (&store.Secrets{Client: client}).Encoded(t.Context(), k); err != nil {
		t.Errorf("while the Secret exists: %v", err)
	}
	edit(t, client, k, func(secret *corev1.Secret) { secret.Finalizers = nil })
	if _, err := s.Sweep(t.Context(), func(context.Context, store.Key) (bool, error) { return false, nil }); err != nil {
		t.Fatal(err)
	}
	if left := all(t, client); len(left) != 0 {
		t.Errorf("%d Secrets are left", len(left))
	}
}

// api is an API server with Secrets alone: optimistic locking, and nothing else.
type api struct {
	typedcorev1.SecretInterface // nil

	t             rapid.TB
	secrets       map[string]*corev1.Secret
	version       int
	calls, writes int
	// refuse returns the error of a write.
	refuse func(verb string, secret *corev1.Secret) error
	// wrote is called after each write.
	wrote func()
}

var resource = schema.GroupResource{Resource: "secrets"}

func (a *api) put(verb string, secret *corev1.Secret) (*corev1.Secret, error) {
	a.calls++
	if a.refuse != nil {
		if err := a.refuse(verb, secret); err != nil {
			return nil, err
		}
	}
	now := a.secrets[secret.Name]
	switch {
	case verb == "create" && now != nil:
		return nil, kerrors.NewAlreadyExists(resource, secret.Name)
	case verb == "update" && now == nil:
		return nil, kerrors.NewNotFound(resource, secret.Name)
	case verb == "update" && now.ResourceVersion != secret.ResourceVersion:
		return nil, kerrors.NewConflict(resource, secret.Name, errors.New("changed"))
	}
	if a.secrets == nil {
		a.secrets = map[string]*corev1.Secret{}
	}
	a.version++
	stored := secret.DeepCopy()
	stored.ResourceVersion = fmt.Sprint(a.version)
	if verb == "create" {
		stored.UID = types.UID("uid-" + stored.ResourceVersion)
	}
	a.secrets[secret.Name] = stored
	a.written()
	return stored.DeepCopy(), nil
}

// touch adds a label that is not Landbridge's.
func (a *api) touch(name string) {
	if s := a.secrets[name]; s != nil {
		a.version++
		s.ResourceVersion = fmt.Sprint(a.version)
		s.Labels["example.org/touched"] = s.ResourceVersion
	}
}

func (a *api) written() {
	a.writes++
	if a.wrote != nil {
		a.wrote()
	}
}

func (a *api) Create(_ context.Context, s *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	return a.put("create", s)
}

func (a *api) Update(_ context.Context, s *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	return a.put("update", s)
}

func (a *api) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	a.calls++
	if s := a.secrets[name]; s != nil {
		return s.DeepCopy(), nil
	}
	return nil, kerrors.NewNotFound(resource, name)
}

func (a *api) Delete(_ context.Context, name string, o metav1.DeleteOptions) error {
	a.calls++
	now := a.secrets[name]
	switch {
	case now == nil:
		return kerrors.NewNotFound(resource, name)
	case o.Preconditions != nil && o.Preconditions.ResourceVersion != nil && *o.Preconditions.ResourceVersion != now.ResourceVersion,
		o.Preconditions != nil && o.Preconditions.UID != nil && *o.Preconditions.UID != now.UID:
		return kerrors.NewConflict(resource, name, errors.New("changed"))
	}
	delete(a.secrets, name)
	a.written()
	return nil
}

func (a *api) List(_ context.Context, o metav1.ListOptions) (*corev1.SecretList, error) {
	a.calls++
	selector, err := labels.Parse(o.LabelSelector)
	if err != nil {
		a.t.Fatal(err)
	}
	out := &corev1.SecretList{}
	for _, name := range slices.Sorted(maps.Keys(a.secrets)) {
		if s := a.secrets[name]; selector.Matches(labels.Set(s.Labels)) {
			out.Items = append(out.Items, *s.DeepCopy())
		}
	}
	return out, nil
}

// process is a life of a writer: what happens at which of its calls.
type process struct {
	*api
	dead bool
	n    int
	at   map[int]string
	// others lets other clients work.
	others func()
}

var errLost = errors.New("the connection is lost")

// call carries out a call, or not, as the script says.
func (p *process) call(f func()) error {
	if p.dead {
		return errLost
	}
	p.n++
	what := p.at[p.n]
	switch what {
	case "others":
		p.others()
	case "touched":
		p.touch(store.SecretName(key("one")))
	case "fails":
		return errLost
	case "dies":
		p.dead = true
		return errLost
	}
	f()
	switch what {
	case "others after":
		p.others()
	case "answer lost":
		return errLost
	case "dies after":
		p.dead = true
		return errLost
	}
	return nil
}

func (p *process) Create(ctx context.Context, s *corev1.Secret, o metav1.CreateOptions) (out *corev1.Secret, err error) {
	if lost := p.call(func() { out, err = p.api.Create(ctx, s, o) }); lost != nil {
		return nil, lost
	}
	return out, err
}

func (p *process) Update(ctx context.Context, s *corev1.Secret, o metav1.UpdateOptions) (out *corev1.Secret, err error) {
	if lost := p.call(func() { out, err = p.api.Update(ctx, s, o) }); lost != nil {
		return nil, lost
	}
	return out, err
}

func (p *process) Get(ctx context.Context, name string, o metav1.GetOptions) (out *corev1.Secret, err error) {
	if lost := p.call(func() { out, err = p.api.Get(ctx, name, o) }); lost != nil {
		return nil, lost
	}
	return out, err
}

func (p *process) List(ctx context.Context, o metav1.ListOptions) (out *corev1.SecretList, err error) {
	if lost := p.call(func() { out, err = p.api.List(ctx, o) }); lost != nil {
		return nil, lost
	}
	return out, err
}

func (p *process) Delete(ctx context.Context, name string, o metav1.DeleteOptions) (err error) {
	if lost := p.call(func() { err = p.api.Delete(ctx, name, o) }); lost != nil {
		return lost
	}
	return err
}

// writer is one of two that write the same record, one process after the other.
type writer struct {
	process *process
	secrets *store.Secrets
	rec     store.Record
	// text is the encoding of rec, if it is known.
	text  string
	known bool
}

// crashTest has two writers, each interrupted at any call and while the other one works.
type crashTest struct {
	t       *rapid.T
	api     *api
	writers [2]*writer
	n       int
	// tried are the encodings that writers have tried to store, refused those that were refused for
	// good.
	tried, refused map[string]bool
	// stored is set when a record is stored for certain. deletes counts the attempts to delete it.
	stored  bool
	deletes int
	// over is what each record is to replace, visible what a reader gets. doomed are records to
	// delete.
	over    map[string]string
	visible string
	doomed  map[string]bool
}

func newCrashTest(t *rapid.T) *crashTest {
	c := &crashTest{
		t: t, api: &api{t: t}, tried: map[string]bool{}, refused: map[string]bool{}, over: map[string]string{}, doomed: map[string]bool{},
	}
	c.api.wrote = c.check
	return c
}

func (c *crashTest) start(i int) *writer {
	p := &process{api: c.api}
	c.writers[i] = &writer{process: p, secrets: &store.Secrets{Client: p, PartSize: 600}}
	return c.writers[i]
}

// script draws what happens at the next calls of a writer.
func (c *crashTest) script(i, depth int) *writer {
	w := c.writers[i]
	if w == nil || w.process.dead {
		w = c.start(i)
	}
	whats := []string{"fails", "dies", "answer lost", "dies after", "touched"}
	if depth == 0 {
		whats = append(whats, "others", "others after", "others", "others after")
		w.process.others = func() {
			script := w.process.at
			c.act(1-i, depth+1)
			w.process.at = script
		}
	}
	w.process.n, w.process.at = 0, map[int]string{}
	for range rapid.IntRange(0, 3).Draw(c.t, "events") {
		w.process.at[rapid.IntRange(1, 14).Draw(c.t, "call")] = rapid.SampledFrom(whats).Draw(c.t, "what")
	}
	return w
}

func (c *crashTest) act(i, depth int) {
	w := c.script(i, depth)
	ctx, k := context.Background(), key("one")
	if !w.known || rapid.IntRange(0, 4).Draw(c.t, "load") == 0 {
		rec, err := w.secrets.Load(ctx, k, thing)
		switch {
		case errors.Is(err, store.ErrNotFound):
			rec = store.Record{}
		case errors.Is(err, errLost):
			return
		case err != nil:
			c.t.Fatalf("Load: %v", err)
		}
		w.rec, w.text, w.known = rec, "", true
		if rec.Version != "" {
			w.text = encoded(c.t, rec.Instance)
		}
	}
	if rapid.IntRange(0, 6).Draw(c.t, "delete") == 0 {
		c.stored, c.deletes = false, c.deletes+1
		c.doomed[w.text] = true
		err := w.secrets.Delete(ctx, k, w.rec.Version)
		switch {
		case err == nil:
			w.rec, w.text = store.Record{}, ""
		case !errors.Is(err, errLost) && !errors.Is(err, store.ErrConflict):
			c.t.Fatalf("Delete: %v", err)
		default:
			w.known = false
		}
		return
	}
	c.n++
	next := w.rec
	next.Owner = "uid-1"
	next.Instance = anInstance(noise(c.n, rapid.SampledFrom([]int{10, 500, 2000, 4000}).Draw(c.t, "size")))
	if rapid.Bool().Draw(c.t, "operation") {
		next.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, Journal: []byte(noise(c.n, 1000))}
		next.Instance.Private = []byte(noise(0, 3000)) // the same each time
	}
	text := encoded(c.t, next.Instance)
	c.tried[text], c.over[text] = true, w.text
	deletes := c.deletes
	stored, err := w.secrets.Save(ctx, k, thing, next)
	switch {
	case err == nil:
		w.rec, w.text, c.stored = stored, text, c.stored || deletes == c.deletes
	case errors.Is(err, store.ErrConflict):
		c.refused[text] = true
		w.known = false
	case errors.Is(err, errLost):
		// It may be stored; the next one is written over it, or over what was there before.
		w.known = rapid.Bool().Draw(c.t, "again")
	default:
		c.t.Fatalf("Save: %v", err)
	}
	c.check()
}

func encoded(t rapid.TB, in instance.Instance) string {
	b, err := instance.Encode(in, thing)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// check reads the record with a client of its own. It has to be one that was written as a whole.
func (c *crashTest) check() {
	b, err := (&store.Secrets{Client: &api{t: c.t, secrets: c.api.secrets}}).Encoded(context.Background(), key("one"))
	switch {
	case errors.Is(err, store.ErrNotFound):
		if c.stored {
			c.t.Fatal("the record is lost")
		}
	case err != nil:
		c.t.Fatalf("a reader gets the error %v", err)
	case !c.tried[string(b)]:
		c.t.Fatalf("a reader gets what was never written")
	case c.refused[string(b)]:
		c.t.Fatalf("a reader gets what was refused")
	}
	switch now := string(b); {
	case now == c.visible:
	case now != "" && c.over[now] != c.visible:
		c.t.Fatalf("a record was written over one that its writer has not seen")
	case now == "" && !c.doomed[c.visible]:
		c.t.Fatalf("a record was deleted that its writer has not seen")
	default:
		c.visible = now
	}
}

// A reader gets a whole record at every time, whichever calls of two writers fail or never return.
// No writer replaces what it has not seen, and nothing is left in the end.
func TestSecretsCrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCrashTest(t)
		writers := rapid.IntRange(0, 1).Draw(t, "writers")
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			c.act(rapid.IntRange(0, writers).Draw(t, "writer"), 1-writers)
		}
		c.api.wrote = nil

		// A process that saves leaves only what is stored.
		ctx, k, w := context.Background(), key("one"), c.writers[0]
		if writers > 0 || w == nil || w.process.dead {
			w = c.start(0)
		}
		w.process.at = nil
		rec, err := w.rec, error(nil)
		if !w.known {
			if rec, err = w.secrets.Load(ctx, k, thing); err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
		}
		large := c.deletes > 0 || rapid.Bool().Draw(t, "large")
		rec.Instance = anInstance(noise(-1, map[bool]int{true: 3000, false: 10}[large]))
		if rec, err = w.secrets.Save(ctx, k, thing, rec); errors.Is(err, store.ErrConflict) {
			t.Skip("its last write was stored, although it has no answer")
		}
		if err != nil {
			t.Fatal(err)
		}
		if used, left := parts(t, *c.api.secrets[store.SecretName(k)]), len(c.api.secrets)-1; len(used) != left {
			t.Fatalf("%d parts are used, %d exist", len(used), left)
		}
		// So does deleting it.
		if err := w.secrets.Delete(ctx, k, rec.Version); err != nil {
			t.Fatal(err)
		}
		if len(c.api.secrets) != 0 {
			t.Fatalf("%d Secrets are left", len(c.api.secrets))
		}
	})
}

// A writer that knows a small record finds the parts of another one that was interrupted.
func TestSecretsOtherWriterInterrupted(t *testing.T) {
	for n := 1; n < 12; n++ {
		api, k := &api{t: t}, key("one")
		s := &store.Secrets{Client: api, PartSize: 600}
		rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance("x")})
		other := &store.Secrets{Client: &process{api: api, at: map[int]string{n: "dies"}}, PartSize: 600}
		if theirs, err := other.Load(t.Context(), k, thing); err == nil {
			theirs.Instance = anInstance(noise(1, 2000))
			_, _ = other.Save(t.Context(), k, thing, theirs)
		}
		rec.Instance = anInstance("y")
		out, err := s.Save(t.Context(), k, thing, rec)
		if errors.Is(err, store.ErrConflict) {
			continue // the other one had stored its record
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, load(t, &store.Secrets{Client: api}, k), out)
		if len(api.secrets) != 1 {
			t.Errorf("interrupted at call %d: %d Secrets are left", n, len(api.secrets))
		}
	}
}

// Sweep removes what a crash leaves while a record is deleted, or before one is complete.
func TestSecretsCrashSwept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCrashTest(t)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			c.act(rapid.IntRange(0, 1).Draw(t, "writer"), 0)
		}
		c.api.wrote = nil
		gone := func(context.Context, store.Key) (bool, error) { return false, nil }
		before, err := (&store.Secrets{Client: c.api}).Encoded(context.Background(), key("one"))
		if _, err := (&store.Secrets{Client: c.api}).Sweep(context.Background(), gone); err != nil {
			t.Fatal(err)
		}
		after, errAfter := (&store.Secrets{Client: c.api}).Encoded(context.Background(), key("one"))
		if string(after) != string(before) || !errors.Is(errAfter, err) {
			t.Fatalf("before %v, after %v", err, errAfter)
		}
		if err != nil && len(c.api.secrets) != 0 {
			t.Fatalf("%d Secrets are left", len(c.api.secrets))
		}
	})
}
