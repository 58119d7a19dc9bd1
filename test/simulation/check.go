package simulation

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
)

// Violation is an invariant that did not hold.
type Violation struct {
	Kind ViolationKind
	Text string
}

// ViolationKind is the kind of a Violation.
type ViolationKind string

// The kinds of violations.
const (
	// Duplicate: there are more remote objects of a resource than it may have.
	Duplicate ViolationKind = "duplicate"
	// Orphan: nothing names a remote object any more, or a stored instance or an entry in memory is
	// left behind.
	Orphan ViolationKind = "orphan"
	// LostSecret: a value that the provider returns only once is not stored.
	LostSecret ViolationKind = "lost secret"
	// Destroyed: a remote object was destroyed though nothing asked for it.
	Destroyed ViolationKind = "destroyed unasked"
	// SecondWriter: a process changed the cloud after its successor did.
	SecondWriter ViolationKind = "second writer"
	// DoubleWork: two shards work on a resource at once.
	DoubleWork ViolationKind = "double work"
	// Strange: an object that is not that of the resource was changed or destroyed.
	Strange ViolationKind = "stranger changed"
	// Stuck: a resource does not become what its user asks for, though all faults have ended.
	Stuck ViolationKind = "stuck"

	// InvokedAgain: an action is invoked again, and its last invocation has not failed, or it must
	// not be.
	InvokedAgain ViolationKind = "invoked again"
	// OutcomeLost: what is recorded of an action is not what has happened.
	OutcomeLost ViolationKind = "outcome lost"
	// LeftOpen: an ephemeral resource is open, and no record has what is needed to close it.
	LeftOpen ViolationKind = "left open"
	// ClosedInUse: an ephemeral resource was closed while its result may be in use.
	ClosedInUse ViolationKind = "closed in use"
	// WrongResult: a result is shown that is not that of the arguments, or has ended.
	WrongResult ViolationKind = "wrong result"
	// SecretShown: a secret is in an object or in an event.
	SecretShown ViolationKind = "secret shown"
)

// check checks the invariants from the outside: it sees the API server, the cloud, and what users
// did.
type check struct {
	w *world
	// writers are the latest terms that changed the cloud, by their shards.
	writers map[int]int
	// changing are the processes that change objects of a resource now, by its tag, with the number
	// of their changes.
	changing map[string]map[*process]int
	// ended is the number of processes that have ended.
	ended int
	// busy is how many changes of objects of a resource are under way, by its tag. destroyedIDs are
	// the ids of objects that processes have destroyed. They are known in schedules with references
	// only.
	busy         map[string]int
	destroyedIDs map[string]bool

	// destroying are the destroys that processes have begun.
	destroying map[*process][]destroying
	violations []Violation
	seen       map[string]bool
	// sought is the kind of violations that end a schedule; found is set when there was one.
	sought ViolationKind
	found  bool
}

func newCheck(w *world) *check {
	return &check{
		w: w, seen: map[string]bool{}, writers: map[int]int{}, changing: map[string]map[*process]int{},
		busy: map[string]int{}, destroyedIDs: map[string]bool{}, destroying: map[*process][]destroying{},
	}
}

// violated records a violation, once for each subject.
func (c *check) violated(kind ViolationKind, subject, format string, args ...any) {
	if c.seen[string(kind)+subject] {
		return
	}
	c.seen[string(kind)+subject] = true
	v := Violation{kind, fmt.Sprintf(format, args...)}
	c.violations = append(c.violations, v)
	c.found = c.found || kind == c.sought
	c.w.note("VIOLATION, %s: %s", v.Kind, v.Text)
}

// writes is called for each change that a process requests of the cloud.
func (c *check) writes(p *process) {
	if p.term < c.writers[p.shard] {
		c.violated(SecondWriter, p.name, "%s changes the cloud after its successor did", p)
	}
	c.writers[p.shard] = max(c.writers[p.shard], p.term)
}

// failover is called when a process ends: what only it remembered is lost.
func (c *check) failover() {
	c.ended++
	for _, i := range c.w.users.byTag {
		i.lost = i.lost || i.unsecret
	}
}

// stored is called when a stored instance is written.
func (c *check) stored(s *corev1.Secret) {
	for _, i := range c.w.users.current {
		reserved := c.w.shards > 0 && s.Labels["landbridge.io/empty"] != "" // by a shard that knows nothing
		if secretKey(i.key).Name == s.Name && s.Annotations["landbridge.io/owner-uid"] == "uid-"+i.tag && !reserved {
			i.unsecret = false
		}
	}
	c.w.recordVersions(s)
	content := c.w.api.content(s)
	for _, o := range c.w.cloud.objects {
		o.stored = o.stored || mentions(content, o)
	}
}

// mentions reports whether the content of a stored instance has the password of an object.
func mentions(content []byte, o *object) bool { return bytes.Contains(content, []byte(o.password)) }

// identifies reports whether the content of a stored instance has the id of an object. The password
// of one that was found after its create was interrupted, or imported, is unknown.
func identifies(content []byte, o *object) bool {
	return bytes.Contains(content, fmt.Appendf(nil, "%q:%q", "id", o.id))
}

// names reports whether the content of a stored instance names an object.
func names(content []byte, o *object) bool {
	if o.uid != "" {
		return bytes.Contains(content, []byte(o.uid))
	}
	return bytes.Contains(content, []byte(`"`+o.id+`"`))
}

// decided is how long ago a process may have decided on what it requests, for instance because the
// API server was asked in between. It finds out after its request, and undoes it.
const decided = reconcileTimeout

// creates is called before a process creates the Secret of a stored instance, with the time of the
// request. It must not do so for a resource of which it has heard that it is gone, unless it had
// decided before.
func (c *check) creates(p *process, s *corev1.Secret, sent time.Time) {
	i := c.w.users.owner(s)
	if i == nil || !isHead(s) || i.gone.IsZero() {
		return
	}
	uid := types.UID("uid-" + i.tag)
	if known := p.Cached(i.key); known != nil && known.GetUID() == uid {
		return
	}
	if heard := p.left[uid]; sent.Sub(heard) > decided {
		c.violated(Orphan, i.tag+"again", "%s is stored again, though %s knows since %s that the resource is gone",
			shown(s.Name), p, c.w.now().Sub(heard))
	}
}

// refused is called when a Secret of a stored instance is too large.
func (c *check) refused(s *corev1.Secret) {
	for _, o := range c.w.cloud.objects {
		if i := c.w.users.byTag[o.tag]; !o.stored && strings.HasPrefix(s.Name, secretKey(i.key).Name) {
			o.refused = true
		}
	}
}

// created is called when the cloud creates an object.
func (c *check) created(o *object) {
	i := c.w.users.byTag[o.tag]
	i.made = true
	most := 1
	if i.createFirst {
		most = 2
	}
	n, known := 0, true
	var content []byte
	if s := c.w.api.secrets[secretKey(i.key)]; s != nil {
		content = c.w.api.content(s)
	}
	for _, other := range c.w.cloud.objects {
		if i.left[other.account] {
			continue
		}
		if other.tag == o.tag && other.resourceType == o.resourceType && (other.resourceType != named || other.name == o.name) {
			n++
			known = known && (other == o || mentions(content, other) || identifies(content, other))
		}
	}
	// Replaced objects that cannot be destroyed add up, as in Terraform.
	if n > most && !(i.createFirst && known) && !i.excused() {
		c.violated(Duplicate, o.tag, "%s is one of %d objects of the resource", o, n)
	}
}

// excused reports whether a user did to the resource what no controller can make up for.
func (i *incarnation) excused() bool { return i.released || i.lost || i.gives }

// destroyed is called when a process destroys an object.
func (c *check) destroyed(p *process, o *object) {
	c.replaces(o)
	if o.shared {
		c.shares(p, o)
		return
	}
	i := c.w.users.byTag[o.tag]
	if i.strange || c.misled(o.resourceType) {
		return
	}
	rewritten := o.normalised == normalisedReplacement && len(i.places) == 1
	wanted := i.deleted || i.tainted || i.drifted || i.excused() || i.createFirst && !rewritten
	incomplete := !o.stored || o.tainted || o.coming
	moved := i.zone != o.zone || i.name != o.name || len(i.places) > 2
	// To another version of the provider, the configuration is another one.
	inconsistent := o.inconsistent && (i.resized || i.retried || c.w.versions != nil)
	_, follows := c.w.references[i.key] // replaces checks it
	approved := (o.inconsistent || o.normalised == normalisedReplacement) && i.approvesReplacement()
	asked := wanted || incomplete || moved || inconsistent || approved || follows
	if !asked && o.normalised == normalisedReplacement {
		was := i.rewritten[o.resourceType]
		if place := o.name + " " + o.zone; was.place != place {
			was = rewrites{place: place}
		}
		was.times++ // each object may be replaced twice for that, and for nothing else
		i.rewritten[o.resourceType] = was
		asked = was.times <= 2
	}
	if !asked {
		c.violated(Destroyed, o.id+o.tag, "%s is destroyed, though nothing asks for it", o)
	}
}

// mostRepeats is how often an object is updated to the same size at most in an hour, with at most
// one update more for each process that has ended.
const mostRepeats = 8

// updated is called when a process updates an object to a size.
func (c *check) updated(p *process, o *object, size int64) {
	now := c.w.now()
	if o.size == size && o.updatedBy == p && now.Before(o.formerUntil) && o.normalised == "" && !c.w.users.byTag[o.tag].excused() {
		c.violated(Stuck, o.id+o.tag+"former", "%s is updated to size %d again by %s, to which a read has shown it as it was before", o, size, p)
	}
	if o.size != size || now.Sub(o.repeatedSince) > time.Hour {
		o.repeats, o.repeatedSince = 0, now
	}
	if o.repeats++; o.repeats > mostRepeats+c.ended {
		c.violated(Stuck, o.id+o.tag, "%s is updated again and again to size %d", o, size)
	}
}

// rivalsOf checks that a process does not tell that the object to create exists already, while only
// one is shown that it has destroyed for the resource itself.
func (c *check) rivalsOf(p *process, r *unstructured.Unstructured) {
	if reason, _ := condition(r, "Synced"); reason != string(v1alpha1.ReasonAlreadyExists) {
		return
	}
	for _, o := range c.w.cloud.ghosts {
		i := c.w.users.byTag[o.tag]
		latest := c.w.cloud.latest[o.account+o.resourceType+o.name] == o
		if string(r.GetUID()) == "uid-"+o.tag && o.resourceType == named && latest && o.destroyedBy == p && !i.excused() {
			c.violated(Stuck, o.id+o.tag+"shown", "%s is told to exist already by %s, which has destroyed it", o, p)
		}
	}
}

// step checks what must hold after every step.
func (c *check) step() {
	for _, o := range c.w.cloud.objects {
		i := c.w.users.byTag[o.tag]
		if i.excused() || i.kept || i.imports || i.left[o.account] {
			continue
		}
		if r := c.w.api.resources[i.key]; r != nil && r.GetUID() == types.UID("uid-"+i.tag) {
			continue
		}
		if s := c.w.api.secrets[secretKey(i.key)]; s != nil &&
			s.Annotations["landbridge.io/owner-uid"] == "uid-"+i.tag && s.Labels["landbridge.io/empty"] == "" {
			continue
		}
		c.violated(Orphan, o.id+o.tag, "nothing names %s any more: its resource is gone", o)
	}
}

// end checks what must hold when all faults have ended, and everything had time to settle.
func (c *check) end() {
	for _, k := range c.w.keys {
		r, i := c.w.api.resources[k], c.w.users.current[k]
		if r == nil {
			continue
		}
		ready, _ := condition(r, "Ready")
		synced, message := condition(r, "Synced")
		switch {
		case r.GetDeletionTimestamp() != nil:
			c.violated(Stuck, i.tag, "%s %s is not deleted: %s %s", k.Kind, k.Name, synced, message)
			continue
		case ready != "True" || synced != "True":
			c.violated(Stuck, i.tag, "%s %s is not ready: Ready %s, Synced %s: %s", k.Kind, k.Name, ready, synced, message)
			continue
		}
		c.settled(i)
	}
	c.forgotten()
	c.kept()
	for _, key := range c.w.api.secretNames() {
		s := c.w.api.secrets[key]
		if key.Namespace != systemNamespace || !isHead(s) {
			continue
		}
		if s.Labels["landbridge.io/empty"] != "" {
			c.empty(s)
			continue
		}
		i := c.w.users.owner(s)
		if i != nil && c.w.users.current[i.key] == i && c.w.api.resources[i.key] != nil {
			continue
		}
		if i == nil || !i.excused() {
			c.violated(Orphan, s.Name, "the stored instance %s of %s is left behind: %s", shown(s.Name),
				s.Annotations["landbridge.io/owner-uid"], c.w.api.content(s))
		}
	}
}

// empty checks an empty stored instance. If a fault keeps a process from removing it, the next
// process does, so only resources that were released after all faults had ended are checked.
func (c *check) empty(s *corev1.Secret) {
	k, _ := store.KeyOf(s)
	i := c.w.users.current[k]
	if i == nil || i.excused() || c.w.api.resources[k] != nil || !i.gone.After(c.w.calmed) {
		return
	}
	if owner := s.Annotations["landbridge.io/owner-uid"]; owner == "" || owner == "uid-"+i.tag {
		c.violated(Orphan, s.Name, "the empty stored instance %s of %s is left behind", shown(s.Name), i.tag)
	}
}

// forgotten checks that leaders remember nothing of resources that are gone.
func (c *check) forgotten() {
	for _, p := range c.w.leaders() {
		c.forgottenBy(p)
	}
}

func (c *check) forgottenBy(p *process) {
	for _, tag := range slices.Sorted(maps.Keys(c.w.users.byTag)) {
		i := c.w.users.byTag[tag]
		if c.w.api.resources[i.key] != nil {
			continue
		}
		r, known := p.scheduler.Remembered(scheduler.Request{Resource: scheduler.Resource{Key: i.key, UID: types.UID("uid-" + tag)}})
		if r.Running && c.w.api.limit < maxObject {
			continue // the outcome of an operation cannot be stored, and is kept
		}
		if known {
			c.violated(Orphan, tag+"remembered", "%s %s is gone, and %s remembers it", i.key.Kind, i.key.Name, p)
		}
	}
}

// kept checks that nothing in memory has the UID of a resource that is gone, but for the brake,
// which counts the destroys of the last minute.
func (c *check) kept() {
	gone := map[string]*incarnation{}
	for tag, i := range c.w.users.byTag {
		if r := c.w.api.resources[i.key]; r == nil || string(r.GetUID()) != "uid-"+tag {
			gone["uid-"+tag] = i
		}
	}
	own := reflect.TypeFor[check]().PkgPath()
	left := []reflect.Type{reflect.TypeFor[scheduler.Options](), reflect.TypeFor[context.Context](), reflect.TypeFor[brake.Brake]()}
	leave := func(t reflect.Type) bool { return slices.Contains(left, t) || t.PkgPath() == own }
	for _, p := range c.w.leaders() {
		see := func(at, text string) {
			i := gone[text]
			if i == nil || i.released && strings.HasPrefix(at, "scheduler.owners") {
				return // claims of one whose finalizers were removed may stay while its successor has claims
			}
			if p.scheduler.Running() == 0 || c.w.api.limit >= maxObject {
				c.violated(Orphan, text+at, "%s %s is gone, and %s keeps %s in %s", i.key.Kind, i.key.Name, p, text, at)
			}
		}
		leaktest.Texts(reflect.ValueOf(p.scheduler), "scheduler", leave, see)
		for name, k := range p.kinds {
			of := reflect.ValueOf(k.Kind).Elem()
			for _, field := range []string{"activations", "handles", "tracked", "turns", "paths"} {
				leaktest.Texts(of.FieldByName(field), name+"."+field, leave, see)
			}
		}
	}
}

// settled checks a resource that is ready.
func (c *check) settled(i *incarnation) {
	for _, t := range c.w.users.types(i.key) {
		c.settledObject(i, t)
	}
}

// strays checks that the stored instance of a resource names all objects of the resource, besides
// those that are as it wants them.
func (c *check) strays(i *incarnation, resourceType string, wanted []*object) {
	s := c.w.api.secrets[secretKey(i.key)]
	if s == nil || i.excused() || i.kept || i.imports {
		return
	}
	content := c.w.api.content(s)
	for _, o := range c.w.cloud.objects {
		if o.tag == i.tag && o.resourceType == resourceType && !slices.Contains(wanted, o) && !i.left[o.account] && !names(content, o) {
			c.violated(Orphan, o.id+o.tag, "nothing names %s any more, though its resource exists", o)
		}
	}
}

func (c *check) settledObject(i *incarnation, resourceType string) {
	var found []*object
	account := c.w.users.accountOf(i.configuration)
	for _, o := range c.w.cloud.objects {
		if o.account == account && o.tag == i.tag && o.resourceType == resourceType && o.name == i.name && o.zone == i.zone {
			found = append(found, o)
		}
	}
	c.strays(i, resourceType, found)
	switch {
	case len(found) == 0:
		c.violated(Stuck, i.tag, "%s %s is ready, but has no object", i.key.Kind, i.key.Name)
		return
	case len(found) > 1 && !i.excused() && !i.left[account]:
		c.violated(Duplicate, i.tag, "%s %s has %d objects", i.key.Kind, i.key.Name, len(found))
		return
	case i.imports || i.excused() || i.left[account]:
		return
	}
	o := found[0]
	c.follows(i, o)
	if o.refused || o.unknown {
		return
	}
	if s := c.w.api.secrets[secretKey(i.key)]; s == nil || !mentions(c.w.api.content(s), o) {
		c.violated(LostSecret, o.id+o.tag, "the password of %s is not stored", o)
	}
	if i.key.Kind == c.w.model.Resources[pair].Kind || i.unpublished {
		return
	}
	published := c.w.api.secrets[types.NamespacedName{Namespace: i.key.Namespace, Name: strings.TrimSuffix(i.tag, ".")}]
	if published == nil || string(published.Data["attribute.password"]) != o.password {
		c.violated(LostSecret, o.id+o.tag, "the password of %s is not in its connection Secret", o)
	}
}
