package simulation

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// rewrites is how often an object was replaced with the same name and zone.
type rewrites struct {
	place string
	times int
}

// incarnation is one custom resource from its creation to its end, and what its user did to it. It
// is known by its tag, which all its objects have.
type incarnation struct {
	key store.Key
	tag string
	// replacing is set from the destruction of its object until there is a new one, in schedules
	// with references.
	replacing bool
	name      string // the latest name and zone in its spec
	zone      string
	// places has all names and zones that were in its spec.
	places map[string]bool
	// configuration is the name of its provider configuration.
	configuration string
	// strange is set for what stands for the objects that others have made, and left are the
	// accounts that the user has confirmed to be no longer those of the resource.
	strange bool
	left    map[string]bool
	// gives is set when another resource was asked to take its object over, and takes when it was
	// asked to do so.
	gives, takes bool
	// meddled is set when a user deleted or stored its record, by which shards hand it over.
	meddled bool
	// shares is set when its record has the object of another resource.
	shares bool
	// unpublished is set when it has no connection Secret.
	unpublished bool
	// createFirst is set when replacements create before they destroy.
	createFirst bool
	// deleted is set when its deletion was requested while its policies permitted to destroy the
	// object.
	deleted bool
	// kept is set when its policies once did not permit that.
	kept bool
	// tainted is set when the user tainted it.
	tainted bool
	// imports is set when it imports an object: whose password is unknown.
	imports bool
	// released is set when its finalizers were removed by hand.
	released bool
	// unsecret is set while its stored instance was deleted by hand and not stored again. lost is
	// set when no controller remembers it any more.
	unsecret, lost bool
	// rewritten is how often its objects were replaced only because the cloud shows their zones in
	// another way, by type.
	rewritten map[string]rewrites
	// resized is set when its size was changed, and retried when its user asked for a retry.
	resized, retried bool
	// made is set when it has had an object.
	made bool
	// onFailure is what a failure of its actions means; empty if it has none invoked.
	onFailure trigger.OnFailure
	// drifted is set when its object was destroyed by others.
	drifted bool
	// approval is its approval policy, approved are the plans that its user has approved, and
	// changes what they were used for.
	approval string
	approved []seen
	changes  []carriedOut
	// referred is when it was given another configuration.
	referred time.Time
	// gone is when it was deleted; zero while it exists.
	gone time.Time
}

// users change custom resources, Secrets and the cloud.
type users struct {
	w       *world
	byTag   map[string]*incarnation
	current map[store.Key]*incarnation
	serial  int
	// saved are stored instances that were deleted by hand, and backups those that a backup has.
	// Each is a Secret and its parts.
	saved, backups map[store.Key][]*corev1.Secret
	// configurations are the accounts of the provider configurations. splits are those that are to
	// be divided kind by kind.
	configurations map[string]ownership.Account
	splits         map[string]bool
	// declared is when the account of a configuration was declared or changed.
	declared map[string]time.Time
	// released is when the brake was released last.
	released time.Time
	// accesses are the provider configurations if the cloud has several accounts, and former are
	// all that they were.
	accesses map[string]access
	former   []access
}

func newUsers(w *world) *users {
	return &users{
		w: w, byTag: map[string]*incarnation{}, current: map[store.Key]*incarnation{},
		saved: map[store.Key][]*corev1.Secret{}, backups: map[store.Key][]*corev1.Secret{},
		configurations: map[string]ownership.Account{}, splits: map[string]bool{}, declared: map[string]time.Time{},
		accesses: map[string]access{},
	}
}

// owner returns the incarnation that a stored instance belongs to; nil if there is none.
func (u *users) owner(s *corev1.Secret) *incarnation {
	return u.byTag[strings.TrimPrefix(s.Annotations["landbridge.io/owner-uid"], "uid-")]
}

// gone notes that a resource is gone.
func (u *users) gone(r *unstructured.Unstructured) {
	u.byTag[strings.TrimPrefix(string(r.GetUID()), "uid-")].gone = u.w.now()
}

// types are the resource types of the objects of a resource.
func (u *users) types(k store.Key) []string {
	if u.isPair(k) {
		return contained
	}
	for t, r := range u.w.model.Resources {
		if r.Kind == k.Kind {
			return []string{t}
		}
	}
	return nil
}

// isPair reports whether a resource is a pair.
func (u *users) isPair(k store.Key) bool { return k.Kind == u.w.model.Resources[pair].Kind }

// pair is the resource that is a pair.
func (u *users) pair() store.Key { return u.w.keys[slices.IndexFunc(u.w.keys, u.isPair)] }

func (u *users) resource(k store.Key) *unstructured.Unstructured { return u.w.api.resources[k] }

// operate carries out one operation of a user.
func (u *users) operate() {
	c := u.w.choices
	if c.references {
		u.operateReferring()
		return
	}
	if c.brake {
		switch c.next(40) {
		case 38:
			u.releaseBrake()
			return
		case 36, 37:
			u.deleteAll("team", "crew")
			return
		case 39:
			u.deleteAll(pick(c, "team", "crew"))
			return
		}
	}
	k := pick(c, u.w.keys...)
	if c.modules && !c.one(12) || len(c.behaviours) > 0 && c.one(4) {
		k = u.pair() // or modules would be rare
	}
	if c.modules && u.isPair(k) && u.replacePair(k) {
		return
	}
	if c.shared() && !c.one(3) {
		// What moves while it is being changed is of most interest.
		if changing := u.changing(); len(changing) > 0 {
			k = pick(c, changing...)
		}
	}
	r := u.resource(k)
	if r == nil {
		if !u.share(k) {
			u.create(k)
		}
		return
	}
	i := u.current[k]
	if r.GetDeletionTimestamp() != nil && c.next(4) != 0 {
		// What is being deleted is left alone most of the time.
		u.elsewhere(k, i)
		return
	}
	if c.shared() && !c.accounts && c.one(3) {
		u.divide(k, i)
		return
	}
	if c.accounts && c.one(3) {
		u.account(k, i)
		return
	}
	if c.triggers && c.one(6) {
		u.repeat(k)
		return
	}
	if c.approvals && c.one(2) {
		u.approve(k, i)
		return
	}
	switch c.next(23) {
	case 0, 1, 2, 3:
		u.resize(k)
	case 4, 5, 6:
		u.move(k, i)
	case 7, 8, 9, 10, 11:
		u.delete(k, i)
	case 12:
		if u.isPair(k) { // what it contains is tainted one by one
			u.move(k, i)
			return
		}
		u.taint(k, i)
	case 13:
		if reason, _ := condition(r, "Synced"); reason == string(v1alpha1.ReasonCreateOutcomeUnknown) {
			// A retry has no effect. The user does not want to know what became of the create.
			u.keep(k, i)
			u.delete(k, i)
			return
		}
		u.retry(k, i)
	case 14:
		u.keep(k, i)
	case 15:
		u.w.note("user lets the object of %s %s be destroyed", k.Kind, k.Name)
		i.deleted = i.deleted || r.GetDeletionTimestamp() != nil
		u.edit(k, []any{"*"}, "spec", "managementPolicies")
	case 16, 17, 18:
		u.w.note("user interrupts %s %s", k.Kind, k.Name)
		u.serial++
		u.annotate(k, v1alpha1.AnnotationInterrupt, fmt.Sprint(u.serial))
	default:
		u.elsewhere(k, i)
	}
}

// replacePair replaces the objects of a pair as soon as all of them exist, and leaves it alone most
// of the time until then: else pairs would seldom come so far that anything is destroyed. It
// reports false if anything else may be done.
func (u *users) replacePair(k store.Key) bool {
	c, r, i := u.w.choices, u.resource(k), u.current[k]
	switch {
	case r == nil || r.GetDeletionTimestamp() != nil:
		return false
	case len(u.objects(i)) < len(contained):
		return !c.one(8)
	case c.one(4):
		return false
	}
	u.move(k, i)
	return true
}

// elsewhere does something other than editing the resource.
func (u *users) elsewhere(k store.Key, i *incarnation) {
	c := u.w.choices
	switch c.next(9) {
	case 0, 1:
		u.drift(i)
	case 2:
		u.destroyObject(i)
	case 3:
		u.deleteSecret(k, i)
	case 4:
		u.restoreSecret(k)
	case 5:
		if u.resource(k).GetDeletionTimestamp() != nil {
			u.w.note("user removes the finalizers of %s %s", k.Kind, k.Name)
			i.released = true
			u.w.api.edit(k, func(r *unstructured.Unstructured) { r.SetFinalizers(nil) })
		}
	case 6:
		if u.resource(k).GetDeletionTimestamp() != nil {
			u.w.note("user removes the finalizers and the stored instance of %s %s", k.Kind, k.Name)
			i.released = true
			u.w.api.edit(k, func(r *unstructured.Unstructured) { r.SetFinalizers(nil) })
			for _, s := range u.stored(k) {
				u.w.api.deleteSecret(s)
			}
		}
	case 7:
		u.backUp(k)
	case 8:
		u.restoreBackup(k, i)
	}
}

// move moves a resource to another zone, for which its object is replaced.
func (u *users) move(k store.Key, i *incarnation) {
	u.moveTo(k, i, pick(u.w.choices, "z1", "z2", "z3"))
}

func (u *users) taint(k store.Key, i *incarnation) {
	u.w.note("user taints %s %s", k.Kind, k.Name)
	i.tainted = true
	u.serial++
	u.annotate(k, v1alpha1.AnnotationTaint, fmt.Sprint(u.serial))
}

// moveAll changes the zones of all resources that may be replaced.
func (u *users) moveAll() {
	for _, k := range u.w.keys {
		i, r := u.current[k], u.resource(k)
		if r == nil || r.GetDeletionTimestamp() != nil || i.kept {
			continue
		}
		zone := "z1"
		if i.zone == zone {
			zone = "z2"
		}
		u.moveTo(k, i, zone)
	}
}

func (u *users) moveTo(k store.Key, i *incarnation, zone string) {
	u.w.note("user moves %s to %s", k.Name, zone)
	i.zone, i.places[zone] = zone, true
	u.edit(k, zone, "spec", "forProvider", "zone")
}

// keep forbids to destroy the object of a resource.
func (u *users) keep(k store.Key, i *incarnation) {
	u.w.note("user keeps the object of %s %s", k.Kind, k.Name)
	i.kept = true
	u.edit(k, []any{"Observe", "Create", "Update", "LateInitialize"}, "spec", "managementPolicies")
}

// edit sets a field of a resource.
func (u *users) edit(k store.Key, value any, path ...string) {
	u.w.api.edit(k, func(r *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(r.Object, value, path...); err != nil {
			panic(err)
		}
	})
}

func (u *users) annotate(k store.Key, name, value string) {
	u.w.api.edit(k, func(r *unstructured.Unstructured) {
		a := r.GetAnnotations()
		if a == nil {
			a = map[string]string{}
		}
		a[name] = value
		r.SetAnnotations(a)
	})
}

func (u *users) create(k store.Key) { u.createWith(k, nil) }

// createWith creates a resource, which takes over the object of the resource of an incarnation
// unless that is nil.
func (u *users) createWith(k store.Key, from *incarnation) {
	c := u.w.choices
	u.serial++
	i := &incarnation{
		key: k, tag: fmt.Sprintf("tag-%d.", u.serial), name: k.Name, zone: "z1", createFirst: c.one(4),
		rewritten: map[string]rewrites{},
	}
	i.configuration = defaultConfiguration
	if c.shared() && !c.accounts {
		of := u.left(k)
		if of == "" && c.splits && !c.one(3) { // one account, so that modules and others may have the same objects
			of = declaredAccount
		}
		i.configuration = pick(c, u.configurationNames(of)...)
	}
	if c.accounts {
		i.left = map[string]bool{}
		i.configuration = pick(c, u.accessNames()...)
	}
	if c.shared() && !shares(i.configuration) {
		i.name = "own-" + i.name
	} else if !c.accounts && c.one(12) {
		i.name = "a" // which another resource may have
	}
	// An object with the name of the new one conflicts with the old one.
	i.createFirst = i.createFirst && k.Kind != u.w.model.Resources[named].Kind && !u.isPair(k)
	if u.isPair(k) && !(c.splits && shares(i.configuration)) {
		i.name = "pair-" + k.Name
	}
	if from != nil {
		i.name, i.zone, i.configuration, i.createFirst, i.takes, from.gives = from.name, from.zone, from.configuration, false, true, true
	}
	i.gives = slices.ContainsFunc(u.w.keys, func(other store.Key) bool {
		r := u.resource(other)
		return r != nil && r.GetAnnotations()[v1alpha1.AnnotationMoveFrom] == k.Kind+"/"+k.Name
	})
	i.places = map[string]bool{i.name: true, i.zone: true}
	u.byTag[i.tag], u.current[k] = i, i
	r := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": u.w.apiVersion, "kind": k.Kind,
		"metadata": map[string]any{"namespace": k.Namespace, "name": k.Name, "uid": "uid-" + i.tag},
		"spec": map[string]any{
			"forProvider":                map[string]any{"name": i.name, "zone": i.zone, "tag": i.tag, "size": int64(1)},
			"managementPolicies":         []any{"*"},
			"providerConfigRef":          map[string]any{"kind": "ClusterProviderConfig", "name": i.configuration},
			"writeConnectionSecretToRef": map[string]any{"name": strings.TrimSuffix(i.tag, ".")},
			"lifecycle":                  map[string]any{"createBeforeDestroy": i.createFirst},
		},
	}}
	// Unchanged resources without a connection Secret are only looked at, and leave marks.
	if i.unpublished = u.serial%3 == 2; i.unpublished {
		unstructured.RemoveNestedField(r.Object, "spec", "writeConnectionSecretToRef")
	}
	if from != nil {
		u.w.note("it takes over the object of %s %s (%s)", from.key.Kind, from.key.Name, from.tag)
		r.SetAnnotations(map[string]string{v1alpha1.AnnotationMoveFrom: from.key.Kind + "/" + from.key.Name})
	}
	u.chooseApproval(i, r.Object["spec"].(map[string]any))
	u.chooseReference(i, r.Object["spec"].(map[string]any))
	u.chooseTriggers(i, r.Object["spec"].(map[string]any))
	u.w.note("user creates %s %s (%s, %s)", k.Kind, k.Name, i.name, i.tag)
	u.w.api.createResource(r)
}

// left returns the configuration of an earlier resource whose stored instance may have stayed;
// empty if there is none. A new resource of its name uses that instance, whose objects must not be
// reached through an account that is not known to be the same.
func (u *users) left(k store.Key) string {
	if earlier := u.current[k]; earlier != nil && earlier.released {
		return earlier.configuration
	}
	return ""
}

func (u *users) resize(k store.Key) {
	size := int64(u.w.choices.next(5)) + 1
	u.w.note("user sets the size of %s %s to %d", k.Kind, k.Name, size)
	u.current[k].resized = true
	u.edit(k, size, "spec", "forProvider", "size")
}

func (u *users) delete(k store.Key, i *incarnation) {
	u.w.note("user deletes %s %s", k.Kind, k.Name)
	policies, _, _ := unstructured.NestedStringSlice(u.resource(k).Object, "spec", "managementPolicies")
	i.deleted = i.deleted || slices.Contains(policies, "*")
	if len(u.w.choices.behaviours) > 0 && u.w.choices.one(3) {
		u.w.note("its object is destroyed without being read")
		u.annotate(k, v1alpha1.AnnotationDeleteWithoutRefresh, "true")
	}
	u.w.api.deleteResource(k)
}

// objects are the remote objects of a resource.
func (u *users) objects(i *incarnation) []*object {
	var out []*object
	for _, o := range u.w.cloud.objects {
		if o.tag == i.tag && !o.coming {
			out = append(out, o)
		}
	}
	return out
}

func (u *users) drift(i *incarnation) {
	if objects := u.objects(i); len(objects) > 0 {
		o := pick(u.w.choices, objects...)
		o.size, o.updatedBy = 7, nil
		u.w.note("somebody changes the size of %s", o)
	}
}

// touch changes nothing that matters of the resource of an object, which is looked at for that.
func (u *users) touch(o *object) {
	i := u.byTag[o.tag]
	if u.resource(i.key) == nil || u.current[i.key] != i {
		return
	}
	u.w.note("user touches %s %s", i.key.Kind, i.key.Name)
	o.touched++
	u.serial++
	u.annotate(i.key, "example.org/touched", fmt.Sprint(u.serial))
}

func (u *users) destroyObject(i *incarnation) {
	if objects := u.objects(i); len(objects) > 0 {
		o := pick(u.w.choices, objects...)
		u.w.note("somebody destroys %s", o)
		i.drifted = true
		u.w.cloud.remove(o)
	}
}

func secretKey(k store.Key) types.NamespacedName {
	return types.NamespacedName{Namespace: systemNamespace, Name: store.SecretName(k)}
}

// stored returns the Secret of a stored instance, and its parts.
func (u *users) stored(k store.Key) []*corev1.Secret {
	head := u.w.api.secrets[secretKey(k)]
	if head == nil {
		return nil
	}
	out := []*corev1.Secret{head}
	for _, key := range u.w.api.secretNames() {
		if strings.HasPrefix(key.Name, head.Name+".") {
			out = append(out, u.w.api.secrets[key])
		}
	}
	return out
}

// backUp takes a backup of what is stored of a resource. One that lacks a part, because that is
// just being written or removed, does not replace an earlier one.
func (u *users) backUp(k store.Key) {
	all := u.stored(k)
	if len(u.backups[k]) > 0 && len(all) > 0 && u.w.api.content(all[0]) == nil {
		return
	}
	u.backups[k] = all
}

func (u *users) deleteSecret(k store.Key, i *incarnation) {
	all := u.stored(k)
	if len(all) == 0 {
		return
	}
	u.w.note("user deletes the stored instance of %s %s", k.Kind, k.Name)
	u.forgetApproval(k, i)
	u.saved[k] = all
	i.meddled = true
	leader := u.w.keeper(k)
	i.lost = i.lost || leader == nil || leader.dead.Load() || leader.suspended ||
		slices.ContainsFunc(all, func(s *corev1.Secret) bool { return !leader.knows[s.Name] })
	if u.w.choices.one(3) {
		all = all[:1] // without its parts
	}
	for _, s := range all {
		u.w.api.deleteSecret(s)
	}
	i.unsecret = true
}

// restoreSecret creates a deleted Secret again, as a backup does, if nothing was stored since.
func (u *users) restoreSecret(k store.Key) {
	all := u.saved[k]
	if len(all) == 0 || u.w.api.secrets[secretKey(k)] != nil {
		return
	}
	delete(u.saved, k)
	if u.owner(all[0]) != u.current[k] {
		return // of an earlier resource of the same name
	}
	u.w.note("user restores the stored instance of %s %s", k.Kind, k.Name)
	u.forgetApproval(k, u.current[k])
	u.restore(all)
}

// restore stores Secrets, the parts first. What is restored of a resource that is being deleted may
// stay, and the next resource of the name adopts its object.
func (u *users) restore(all []*corev1.Secret) {
	if i := u.owner(all[0]); i != nil {
		r := u.resource(i.key)
		i.meddled = true
		i.released = i.released || r == nil || r.GetDeletionTimestamp() != nil
	}
	for _, s := range slices.Backward(all) {
		s = s.DeepCopy()
		s.UID = types.UID("secret-" + u.w.api.nextVersion())
		u.w.api.putSecret(s)
	}
}

// marks are the passwords and ids by which content names its objects. The password of an imported
// one is unknown.
var marks = regexp.MustCompile(`password-\d+\.|"id":"[^"]+"`)

// restoreBackup replaces what is stored by what a backup has. If that knows of other objects, or an
// operation is or was under way, nothing more can be expected.
func (u *users) restoreBackup(k store.Key, i *incarnation) {
	all, now := u.backups[k], u.w.api.secrets[secretKey(k)]
	if len(all) == 0 || u.owner(all[0]) != i {
		return
	}
	known := func(s *corev1.Secret) string {
		content := u.w.api.content(s)
		if bytes.Contains(content, []byte(`"operation"`)) {
			return "operation"
		}
		found := marks.FindAllString(string(content), -1)
		slices.Sort(found)
		return fmt.Sprint(slices.Compact(found))
	}
	before := "nothing"
	if now != nil {
		before = known(now)
	}
	u.w.note("user restores the stored instance of %s %s from a backup", k.Kind, k.Name)
	u.forgetApproval(k, i)
	u.restore(all)
	elsewhere := u.w.choices.accounts && u.recordedIn(k) != u.accountOf(i.configuration)
	if after := known(all[0]); after != before || after == "operation" || elsewhere {
		i.lost = true
	}
}

// sharedObject is in the message of a resource whose object the record of another one names, too.
const sharedObject = "name the same remote object"

// notDestroyed is in the message of an instance of a module that is deleted, and one of whose
// objects belongs to another resource.
const notDestroyed = "so the objects of this instance are not destroyed"

// interruptedDependent is in the message of a resource whose object is not replaced because a
// resource that refers to it was interrupted.
const interruptedDependent = "its last operation was interrupted"

// retry requests a retry of a resource, after which replacements count anew.
func (u *users) retry(k store.Key, i *incarnation) {
	u.serial++
	i.retried = true
	clear(i.rewritten)
	u.annotate(k, v1alpha1.AnnotationRetry, fmt.Sprint(u.serial))
}

// retryAll requests a retry of all resources.
func (u *users) retryAll() {
	for _, k := range u.w.keys {
		if i := u.current[k]; u.resource(k) != nil {
			u.retry(k, i)
		}
	}
}

var confirm = regexp.MustCompile(`landbridge.io/confirm-create to "([^"]+)"`)

// help does what conditions ask of a user, once faults have ended.
func (u *users) help() {
	// An object that two resources have stays the one's; only the other is released.
	shared := slices.ContainsFunc(u.w.keys, func(k store.Key) bool {
		r := u.resource(k)
		if r == nil || r.GetDeletionTimestamp() == nil {
			return false
		}
		_, message := condition(r, "Synced")
		return strings.Contains(message, sharedObject)
	})
	for _, k := range u.w.keys {
		r := u.resource(k)
		if r == nil {
			if u.w.choices.references {
				u.create(k)
			}
			continue
		}
		u.helpWithActions(k, r)
		reason, message := condition(r, "Synced")
		i := u.current[k]
		if reason == string(v1alpha1.ReasonAwaitingApproval) || reason == string(v1alpha1.ReasonPlanChanged) {
			// What became of the plan that was approved before.
			if _, message = condition(r, string(v1alpha1.TypeLastAsyncOperation)); strings.Contains(message, "Object exists already") {
				reason = string(v1alpha1.ReasonAlreadyExists)
			}
			u.approve(k, i)
		}
		if u.w.api.limit < maxObject && strings.Contains(message, "too large to be stored") {
			u.w.note("user raises the limit of the API server")
			u.w.api.limit = maxObject
		}
		if all := u.backups[k]; len(all) > 0 && strings.Contains(message, "a part of it does not exist") {
			u.w.note("user restores all parts of the stored instance of %s %s from a backup", k.Kind, k.Name)
			u.restore(all)
		}
		if u.isPair(k) && strings.Contains(message, nameTaken) && r.GetDeletionTimestamp() == nil {
			u.delete(k, i)
		}
		if reason == string(v1alpha1.ReasonAwaitingDependents) && strings.Contains(message, interruptedDependent) {
			u.retryAll()
		}
		switch xpv2.ConditionReason(reason) {
		case v1alpha1.ReasonAccountChanged:
			u.answer(k, i, message)
		case v1alpha1.ReasonMoved:
			if r.GetDeletionTimestamp() == nil {
				u.delete(k, i)
			}
		case v1alpha1.ReasonMoveFailed:
			if !strings.Contains(message, "It is tried again.") {
				u.w.note("user has %s %s take nothing over", k.Kind, k.Name)
				u.annotate(k, v1alpha1.AnnotationMoveFrom, "")
			}
		case v1alpha1.ReasonCreateOutcomeUnknown, v1alpha1.ReasonImportFailed:
			u.decide(k, i, message)
		case v1alpha1.ReasonInterrupted, v1alpha1.ReasonInconsistentResult:
			u.retry(k, i)
		case v1alpha1.ReasonDestroyBrake:
			u.releaseBrake()
		case v1alpha1.ReasonReplaceRefused:
			i.deleted = i.deleted || r.GetDeletionTimestamp() != nil
			u.edit(k, []any{"*"}, "spec", "managementPolicies")
		case v1alpha1.ReasonAlreadyExists, v1alpha1.ReasonIdentityConflict:
			switch {
			case r.GetDeletionTimestamp() != nil &&
				(strings.Contains(message, sharedObject) || u.isPair(k) && strings.Contains(message, notDestroyed)):
				u.keep(k, i)
			case r.GetDeletionTimestamp() == nil && !shared:
				u.delete(k, i)
			}
		}
	}
}

// decide decides what an interrupted create made.
func (u *users) decide(k store.Key, i *incarnation, message string) {
	if slices.ContainsFunc(u.w.cloud.objects, func(o *object) bool { return o.tag == i.tag && o.coming }) {
		return // wait until it is there
	}
	var known []byte
	if s := u.w.api.secrets[secretKey(k)]; s != nil {
		known = u.w.api.content(s)
	}
	for _, o := range u.objects(i) {
		if u.isPair(k) {
			if !mentions(known, o) {
				u.w.note("user destroys %s", o)
				u.w.cloud.remove(o)
			}
			continue
		}
		if identifies(known, o) {
			continue // a replaced object
		}
		if o.account != u.accountOf(i.configuration) {
			continue
		}
		u.w.note("user imports %s", o)
		i.imports = true
		u.edit(k, map[string]any{"id": o.id}, "spec", "import")
		return
	}
	if m := confirm.FindStringSubmatch(message); m != nil {
		u.w.note("user confirms the create of %s %s", k.Kind, k.Name)
		u.annotate(k, v1alpha1.AnnotationConfirmCreate, m[1])
		return
	}
	u.w.note("user removes the annotations of %s %s", k.Kind, k.Name)
	u.w.api.edit(k, func(r *unstructured.Unstructured) {
		unstructured.RemoveNestedField(r.Object, "spec", "import")
		a := r.GetAnnotations()
		delete(a, "crossplane.io/external-name")
		delete(a, v1alpha1.AnnotationIdentity)
		r.SetAnnotations(a)
	})
}

// condition returns the reason and the message of a condition.
func condition(r *unstructured.Unstructured, kind string) (reason, message string) {
	list, _, _ := unstructured.NestedSlice(r.Object, "status", "conditions")
	for _, c := range list {
		if m, _ := c.(map[string]any); m["type"] == kind {
			reason, _ = m["reason"].(string)
			message, _ = m["message"].(string)
			message = crd.WholeMessage(r, kind, message)
			if m["status"] == "True" {
				reason = "True"
			}
		}
	}
	return reason, message
}
