package unmanaged

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	phases "github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/test/simulation"
	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// object returns the object with a UID; nil if it is gone.
func (w *world) object(uid string) *unstructured.Unstructured {
	for _, u := range w.objects {
		if string(u.GetUID()) == uid {
			return u
		}
	}
	return nil
}

// invocationsOf returns the invocations for the object with a UID.
func (c *cloud) invocationsOf(uid string) (all []*invocation) {
	for _, i := range c.invocations {
		if i.label == uid {
			all = append(all, i)
		}
	}
	return all
}

// invokes checks an invocation that is requested of the cloud: it is recorded, and follows failed
// ones only, if it may.
func (w *world) invokes(i *invocation) {
	before, u := w.cloud.invocationsOf(i.label), w.object(i.label)
	if u == nil {
		w.violated(simulation.OutcomeLost, i.label, "an action is invoked for an object that is gone")
		return
	}
	retries := unmanaged.TextOf(u, "spec", "retryPolicy") == "OnFailure"
	if slices.ContainsFunc(before, func(b *invocation) bool { return b.told != terraform.ActionFailed }) ||
		len(before) > 0 && (!retries || len(before) >= maxAttempts) {
		w.violated(simulation.InvokedAgain, i.label, "%s is invoked again after %d invocations, with retries: %t",
			u.GetName(), len(before), retries)
	}
	attempts, _, _ := unstructured.NestedInt64(u.Object, "status", "attempts")
	if phase := unmanaged.TextOf(u, "status", "phase"); phase != string(phases.Running) || attempts != int64(len(before)+1) {
		w.violated(simulation.OutcomeLost, i.label, "%s is invoked while its record has the phase %q and %d attempts",
			u.GetName(), phase, attempts)
	}
}

// seen checks an object that is written.
func (w *world) seen(u *unstructured.Unstructured) {
	raw, err := json.Marshal(u.Object)
	if err != nil {
		panic(err)
	}
	w.secretIn(u.GetKind(), string(raw))
	if w.modeOf(apiserver.KeyOf(u)) == model.Action {
		w.seenAction(u)
	}
}

// seenAction checks that the phase of an action is what has happened.
func (w *world) seenAction(u *unstructured.Unstructured) {
	all := w.cloud.invocationsOf(string(u.GetUID()))
	phase := phases.Phase(unmanaged.TextOf(u, "status", "phase"))
	told := terraform.ActionNotInvoked
	known := false // the process that has invoked it last goes on
	if len(all) > 0 {
		last := all[len(all)-1]
		told, known = last.told, last.by == w.leader
	}
	wrong := false
	switch phase {
	case phases.Succeeded:
		wrong = told != terraform.ActionSucceeded
	case phases.Failed:
		wrong = told != terraform.ActionFailed
	case phases.Unknown:
		wrong = known && told != terraform.ActionOutcomeUnknown
	case phases.Running:
	default:
		wrong = told != terraform.ActionNotInvoked && told != terraform.ActionFailed
	}
	if wrong {
		w.violated(simulation.OutcomeLost, string(u.GetUID()), "the phase of %s is %q, and the last outcome is %q", u.GetName(), phase, told)
	}
}

// tokenIn returns the token that a Secret has.
func (w *world) tokenIn(s *corev1.Secret) *token {
	if s == nil {
		return nil
	}
	for _, t := range w.cloud.tokens {
		if string(s.Data["attribute.secret"]) == t.secret {
			return t
		}
	}
	return nil
}

// seenSecret follows which token a Secret has.
func (w *world) seenSecret(s *corev1.Secret) {
	now := w.tokenIn(s)
	if now == nil {
		return
	}
	now.shown, now.until = true, time.Time{}
	if at, ok := s.Annotations[v1alpha1.AnnotationRenewAt]; ok {
		var err error
		if now.until, err = time.Parse(time.RFC3339, at); err != nil {
			panic(err)
		}
	}
	for _, t := range w.cloud.tokens {
		if t != now && t.name == now.name && t.shown && t.replaced.IsZero() {
			t.replaced = now.opened
		}
	}
}

// unseen is called when the Secret of an ephemeral resource is gone: nothing in it is in use.
func (w *world) unseen(k store.Key) {
	for _, t := range w.cloud.tokens {
		if u := w.objects[k]; t.name == string(u.GetUID()) {
			t.shown = false
		}
	}
}

// inUse is how long a token that was replaced is in use if it has no time of renewal.
const inUse = 10 * time.Minute

// closes checks a token that is closed: its object is being deleted, or it is no longer in use.
func (w *world) closes(p *process, t *token) {
	u := w.object(t.name)
	if u == nil || u.GetDeletionTimestamp() != nil || !t.shown {
		return
	}
	k := apiserver.KeyOf(u)
	switch now := time.Now().Add(time.Microsecond); { // clocks differ
	case w.tokenIn(w.secrets[out(k)]) == t:
		w.violated(simulation.ClosedInUse, t.id, "%s closes %s, which the Secret of %s has", p.name, t.id, named(k))
	case now.Before(t.until), t.until.IsZero() && now.Before(t.replaced.Add(inUse)):
		w.violated(simulation.ClosedInUse, t.id, "%s closes %s of %s, which was replaced %s ago and could "+
			"be used until %s", p.name, t.id, named(k), now.Sub(t.replaced), t.until)
	}
}

// mostTokens is more than a schedule opens without an endless loop.
const mostTokens = 10 * perSchedule

// check checks what must hold at any time.
func (w *world) check() {
	if len(w.cloud.tokens) > mostTokens {
		w.violated(simulation.Stuck, "tokens", "%d tokens were opened for %d operations", len(w.cloud.tokens), perSchedule)
	}
	for _, t := range w.cloud.tokens {
		if !t.live() || t.excused {
			continue
		}
		recorded := w.recorded(t)
		switch {
		case recorded:
			t.stored = true
		case t.stored && (t.told.IsZero() || time.Now().Before(t.told)): // else a close that fails is given up
			w.violated(simulation.LeftOpen, t.id, "the record of %s was dropped, and it is open", t.id)
		case t.by == w.leader && time.Since(t.opened) > noticed && !t.by.worksOn(t.name):
			w.violated(simulation.LeftOpen, t.id, "%s has opened %s at %s, leads, and has not recorded it", t.by.name, t.id, t.opened.Sub(w.began))
		}
	}
	w.checkExpired()
}

// recorded reports whether a record has what is needed to close a token.
func (w *world) recorded(t *token) bool {
	private := []byte(base64.StdEncoding.EncodeToString([]byte(secretPrefix + "private-" + t.id)))
	for name, s := range w.secrets {
		if name.Namespace == systemNamespace && bytes.Contains(s.Data["leases.json"], append(slices.Clone(private), '"')) {
			return true
		}
	}
	return false
}

// worksOn reports whether a process looks at the object with a UID.
func (p *process) worksOn(uid string) bool {
	for k := range p.working {
		if u := p.cache[k]; u == nil || string(u.GetUID()) == uid {
			return true
		}
	}
	return false
}

// noticed is how long it takes at most until a process tells that something has ended: several
// attempts, with the longest delays between them.
const noticed = 10 * time.Minute

// checkExpired checks that no object is ready for long whose token may have ended.
func (w *world) checkExpired() {
	if w.leader == nil || w.leader.suspended || time.Since(w.leader.began) < noticed {
		return
	}
	for _, k := range w.keys {
		u := w.objects[k]
		if u == nil || u.GetDeletionTimestamp() != nil || w.modeOf(k) != model.Ephemeral || !objecttest.IsTrue(u, "Ready") {
			continue
		}
		if t := w.tokenIn(w.secrets[out(k)]); t != nil && !t.told.IsZero() && time.Since(t.told) > noticed {
			w.violated(simulation.WrongResult, t.id, "%s is ready, and what its Secret has had to be renewed by %s", named(k), t.told)
		}
	}
}

// checkSettled checks what must hold when faults have ended for some time.
func (w *world) checkSettled() {
	for _, k := range w.keys {
		u := w.objects[k]
		if u == nil || u.GetDeletionTimestamp() != nil {
			if u != nil {
				w.violated(simulation.Stuck, named(k), "%s is not gone", named(k))
			}
			continue
		}
		switch w.modeOf(k) {
		case model.Action:
			w.checkOver(k, u)
		case model.Ephemeral:
			w.checkOpen(k, u)
		default:
			w.checkRead(k, u)
		}
	}
}

func (w *world) checkOver(k store.Key, u *unstructured.Unstructured) {
	phase := phases.Phase(unmanaged.TextOf(u, "status", "phase"))
	retries := phase == phases.Failed && unmanaged.TextOf(u, "spec", "retryPolicy") == "OnFailure" &&
		len(w.cloud.invocationsOf(string(u.GetUID()))) < maxAttempts
	if _, expires, _ := unstructured.NestedInt64(u.Object, "spec", "ttlSecondsAfterFinished"); expires || !phase.Final() || retries {
		w.violated(simulation.Stuck, named(k), "%s is %s: %v", named(k), phase, u.Object["status"])
	}
}

func (w *world) checkOpen(k store.Key, u *unstructured.Unstructured) {
	t := w.tokenIn(w.secrets[out(k)])
	switch {
	case !objecttest.IsTrue(u, "Ready", "Synced"):
		w.violated(simulation.Stuck, named(k), "%s is not ready: %v", named(k), u.Object["status"])
	case t == nil || !t.live() && !t.revoked:
		w.violated(simulation.WrongResult, named(k), "%s is ready, and its Secret has nothing that is open", named(k))
	case t.name != string(u.GetUID()) || t.lifetime.String() != lifetimeOf(u):
		w.violated(simulation.WrongResult, named(k), "%s is ready, and its Secret has what was opened with other arguments", named(k))
	}
}

func lifetimeOf(u *unstructured.Unstructured) string {
	d, err := time.ParseDuration(unmanaged.TextOf(u, "spec", "forProvider", "lifetime"))
	if err != nil {
		panic(err)
	}
	return d.String()
}

func (w *world) checkRead(k store.Key, u *unstructured.Unstructured) {
	n := w.cloud.values[unmanaged.TextOf(u, "spec", "forProvider", "name")]
	secret := w.secrets[out(k)]
	switch {
	case !objecttest.IsTrue(u, "Ready", "Synced"):
		w.violated(simulation.Stuck, named(k), "%s is not ready: %v", named(k), u.Object["status"])
	case fmt.Sprint(objecttest.At(u, "status", "atProvider", "value")) != fmt.Sprint(n):
		w.violated(simulation.WrongResult, named(k), "%s shows %v, and the value is %d", named(k), objecttest.At(u, "status", "atProvider"), n)
	case secret == nil || !metav1.IsControlledBy(secret, u) ||
		string(secret.Data["attribute.password"]) != fmt.Sprintf("%spassword-%d", secretPrefix, n):
		w.violated(simulation.WrongResult, named(k), "the Secret of %s does not have the password of %d", named(k), n)
	}
}

// checkGone checks what must hold when everything was deleted.
func (w *world) checkGone() {
	for _, k := range w.keys {
		if u := w.objects[k]; u != nil {
			w.violated(simulation.Stuck, named(k), "%s is not gone: %v", named(k), u.Object["status"])
		}
	}
	for _, t := range w.cloud.tokens {
		if t.live() && t.stored && (t.told.IsZero() || time.Now().Before(t.told)) {
			w.violated(simulation.LeftOpen, t.id, "%s is open, and its object is gone", t.id)
		}
	}
	for name := range w.secrets {
		if name.Namespace == systemNamespace {
			w.violated(simulation.LeftOpen, name.Name, "the record %s of an object that is gone is left", shown(name.Name))
		}
	}
}
