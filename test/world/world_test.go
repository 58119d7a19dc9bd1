package world_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// chosen reports whether a list of names, separated by commas, has a name. An empty list has all.
func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// attempt is a behaviour that is tried in a way with a form of the provider.
type attempt struct {
	*cluster
	trial
	behaviour examplecloudtest.Behaviour
	way       way
	form      string
	// label is the name of its provider configuration, and what the names of its objects begin
	// with.
	label   string
	changed *unstructured.Unstructured
	kept    *unstructured.Unstructured
	// overdue is set when something did not happen in time. Then the resources are deleted, and
	// nothing else.
	overdue bool
	// corrected is set when both resources have what the API returns.
	corrected bool
	shown     map[string]string // reasons that conditions had, with a message
	attended  []string          // what the user did about create outcomes that are unknown
	verdict   verdict
}

// TestWorld tries all behaviours in all ways.
func TestWorld(t *testing.T) {
	var all []*attempt
	for _, b := range examplecloudtest.Catalogue {
		tried, ok := trials[b.Name]
		if !ok {
			t.Errorf("%s is in the catalogue and is not tried", b.Name)
		}
		if tried.of == nil {
			tried.of = record
		}
		if tried.field == "" {
			tried.field = "value"
		}
		if tried.to == nil {
			tried.to = "second"
		}
		if tried.forms == nil {
			tried.forms = []string{sdk}
		}
		for _, w := range ways {
			for _, form := range tried.forms {
				// The forms differ in how they plan and answer, which is the same in all ways.
				if form == framework && w.name != native && b.Name != "normalised-case" {
					continue
				}
				if chosen(*only, b.Name) && chosen(*onlyWays, w.name) {
					all = append(all, &attempt{
						trial: tried, behaviour: b, way: w, form: form, label: b.Name + "-" + form + "-" + w.name,
						shown: map[string]string{},
					})
				}
			}
		}
	}
	if len(trials) != len(examplecloudtest.Catalogue) {
		t.Errorf("%d behaviours are tried, and the catalogue has %d", len(trials), len(examplecloudtest.Catalogue))
	}
	if len(all) == 0 {
		t.Fatal("there are no such behaviours and ways")
	}
	x := newCluster(t)
	for _, w := range ways {
		these := slices.DeleteFunc(slices.Clone(all), func(a *attempt) bool { return a.way.name != w.name })
		if len(these) == 0 {
			continue
		}
		x.restart(t, w.poll)
		for _, a := range these {
			a.cluster = x
			a.configure(t, a.label, a.way.configuration(a.form))
		}
		each(t, w.name+": create and change", these, (*attempt).createAndChange)
		x.restart(t, w.poll)
		each(t, w.name+": delete", these, (*attempt).delete)
		for _, a := range these {
			results.add(a.behaviour.Name, w.name, &a.verdict)
		}
	}
}

func each(t *testing.T, name string, all []*attempt, do func(*attempt, *testing.T)) {
	t.Run(name, func(t *testing.T) {
		for _, a := range all {
			t.Run(a.label, func(t *testing.T) {
				t.Parallel()
				do(a, t)
			})
		}
	})
}

func (a *attempt) createAndChange(t *testing.T) {
	a.changed, a.kept = a.resource("a"), a.resource("b")
	for _, u := range a.both() {
		for _, f := range a.behaviour.For("name", u.GetName()) {
			a.cloud.Fault(t, f)
		}
		a.MustCreate(t, u)
	}
	// Something asks for both while the objects are young.
	a.eventually(t, "created", func() bool { return a.exist(t) })
	for _, u := range a.both() {
		a.RequestReconcile(t, u)
	}
	a.settle(t, "after the create")
	if a.overdue {
		return
	}
	if a.returned != nil {
		a.corrected = true
		patch, err := json.Marshal(m{"spec": m{"forProvider": a.returned}})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range a.both() {
			a.MustPatch(t, u, string(patch))
		}
	}
	a.MustPatch(t, a.changed, fmt.Sprintf(`{"spec":{"forProvider":{%q:%s}}}`, camel(a.field), encode(a.to)))
	a.RequestReconcile(t, a.kept)
	a.settle(t, "after the change")
}

func (a *attempt) delete(t *testing.T) {
	if !a.overdue {
		a.settle(t, "after the restart")
	}
	rounds := 1
	if a.again {
		rounds = 2
	}
	for round := range rounds {
		if round > 0 && a.overdue {
			break
		}
		if round > 0 {
			a.changed, a.kept = a.resource("a"), a.resource("b")
			for _, u := range a.both() {
				a.MustCreate(t, u)
			}
			a.settle(t, "when created again")
		}
		for _, u := range a.both() {
			if err := a.Delete(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
		a.eventually(t, "gone", func() bool {
			for _, u := range a.both() {
				if a.look(t, u) {
					a.attend(t, u)
					return false
				}
			}
			return true
		})
	}
	// Nothing appears afterwards.
	time.Sleep(a.way.poll)
	a.judge(t)
	a.report(t)
}

func (a *attempt) both() []*unstructured.Unstructured {
	return []*unstructured.Unstructured{a.changed, a.kept}
}

func (a *attempt) resource(suffix string) *unstructured.Unstructured {
	name := a.label + "-" + suffix
	spec := maps.Clone(a.of.first)
	maps.Copy(spec, a.spec)
	spec["name"] = name
	return a.way.resource(a.of, a.form, a.namespace, name, spec)
}

// look reads a resource, notes what it shows, and reports whether it exists.
func (a *attempt) look(t *testing.T, u *unstructured.Unstructured) bool {
	t.Helper()
	err := a.Get(t.Context(), client.ObjectKeyFromObject(u), u)
	if kerrors.IsNotFound(err) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"Synced", "Ready"} {
		if status, reason, message := objecttest.Condition(u, c); status == "False" {
			a.shown[c+" "+reason] = message
		}
	}
	return true
}

// eventually waits until something holds. It is a failure if it does not.
func (a *attempt) eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := a.way.limit
	for end := time.Now().Add(limit); !holds(); time.Sleep(300 * time.Millisecond) {
		if time.Now().After(end) {
			a.overdue = true
			for _, u := range a.both() {
				if a.look(t, u) {
					a.verdict.note(&a.verdict.failed, "%s is not %s within %s: %s", u.GetName(), what, limit, conditions(u))
				}
			}
			return
		}
	}
}

// settle waits until both resources are at rest, for a while. One that never settles is so between
// its updates.
func (a *attempt) settle(t *testing.T, when string) {
	t.Helper()
	var since time.Time
	once := map[string]bool{}
	a.eventually(t, "at rest "+when, func() bool {
		rest := true
		for _, u := range a.both() {
			if !a.look(t, u) {
				a.verdict.note(&a.verdict.failed, "%s does not exist %s", u.GetName(), when)
				return true
			}
			a.attend(t, u)
			one := a.rests(t, u)
			once[u.GetName()] = once[u.GetName()] || one
			rest = rest && one
		}
		if a.never() {
			return len(once) == 2 && !slices.Contains(slices.Collect(maps.Values(once)), false)
		}
		switch {
		case !rest:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return rest && time.Since(since) > 2*a.way.poll
	})
}

// rests reports whether a resource is as docs/faults.md says, and its object as the spec says.
func (a *attempt) rests(t *testing.T, u *unstructured.Unstructured) bool {
	t.Helper()
	status, reason, _ := objecttest.Condition(u, "Synced")
	want := ""
	if !a.corrected {
		want = a.at(a.trial.rest)
	}
	synced := status == "True" && objecttest.IsTrue(u, "Ready") && want == "" || status == "False" && reason == want && want != ""
	if !synced || !objecttest.Current(u) || text(u, "status", "operation") != "" {
		return false
	}
	if objecttest.IsTrue(u, "NeverSettles") != a.never() {
		return false
	}
	objects := a.objects(t, u.GetName())
	if len(objects) != 1 {
		return false
	}
	want = text(u, "spec", "forProvider", camel(a.field))
	if a.stored != nil {
		want = a.stored(want)
	}
	return fmt.Sprint(objects[0][a.field]) == want
}

// never reports whether the resources never settle, as they are now.
func (a *attempt) never() bool { return a.neverSettles[a.form] && !a.corrected }

// at returns what is said of the form and the way, of the way, of the form, or of all.
func (a *attempt) at(said map[string]string) string {
	for _, key := range []string{a.form + " " + a.way.name, a.way.name, a.form, "all"} {
		if s, ok := said[key]; ok {
			return s
		}
	}
	return ""
}

// objects returns the stored objects with a name.
func (a *attempt) objects(t *testing.T, name string) []map[string]any {
	t.Helper()
	return slices.DeleteFunc(a.cloud.Stored(t, a.of.collection), func(o map[string]any) bool { return o["name"] != name })
}

// exist reports whether both resources have an object, or report something.
func (a *attempt) exist(t *testing.T) bool {
	t.Helper()
	for _, u := range a.both() {
		a.look(t, u)
		status, reason, _ := objecttest.Condition(u, "Synced")
		if len(a.objects(t, u.GetName())) == 0 && (status != "False" || reason == "") {
			return false
		}
	}
	return true
}

// confirm matches a message that asks for the annotation.
var confirm = regexp.MustCompile(`annotation ` + regexp.QuoteMeta(v1alpha1.AnnotationConfirmCreate) + ` to \\?"([0-9a-f-]+)`)

// attend acts as a user whose resource reports that the outcome of a create is unknown, as
// documented.
func (a *attempt) attend(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	status, reason, message := objecttest.Condition(u, "Synced")
	operation := confirm.FindStringSubmatch(message)
	exists := reason == string(v1alpha1.ReasonAlreadyExists)
	switch {
	case status != "False" || !objecttest.Current(u) || operation == nil && !exists:
		return
	case operation != nil && u.GetAnnotations()[v1alpha1.AnnotationConfirmCreate] == operation[1],
		text(u, "spec", "import") != "" && u.GetDeletionTimestamp() == nil:
		return
	}
	left := a.objects(t, u.GetName())
	if len(left) == 0 && operation == nil {
		return // it is looked for again
	}
	a.attended = append(a.attended, fmt.Sprintf("%s: %s, %d objects", u.GetName(), reason, len(left)))
	if len(left) == 1 && !a.way.module && u.GetDeletionTimestamp() == nil {
		a.MustPatch(t, u, fmt.Sprintf(`{"spec":{"import":{"id":%q}}}`, a.of.importID(left[0])))
		return
	}
	for _, o := range left {
		a.cloud.Remove(t, a.of.collection, fmt.Sprint(o["id"]))
	}
	if operation != nil {
		a.MustPatch(t, u, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationConfirmCreate, operation[1]))
	}
}

// judge looks into the cloud's record after the resources are gone.
func (a *attempt) judge(t *testing.T) {
	t.Helper()
	events := a.cloud.Changes(t)
	for _, u := range a.both() {
		exists := a.look(t, u)
		live, creates, most := 0, 0, 0
		for _, e := range events {
			if e.Collection != a.of.collection || !slices.Contains(strings.Split(e.Key, "/"), u.GetName()) {
				continue
			}
			switch e.What {
			case "creates":
				live++
				creates++
			case "deletes", "by_hand":
				live--
			}
			most = max(most, live)
		}
		if most > 1 {
			a.verdict.note(&a.verdict.doubled, "%s had %d objects at once", u.GetName(), most)
		}
		if allowed := max(a.creates, 1) + len(a.attended); creates > allowed {
			a.verdict.note(&a.verdict.lost, "%s had %d objects, one after the other, instead of %d", u.GetName(), creates, allowed)
		}
		if live > 0 && !exists {
			a.verdict.note(&a.verdict.lost, "%s is gone, and has left %d objects", u.GetName(), live)
		}
		if creates == 0 {
			a.verdict.note(&a.verdict.failed, "%s had no object", u.GetName())
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(a.shown)) {
		_, name, _ := strings.Cut(reason, " ")
		if !slices.Contains(a.usual(), name) {
			a.verdict.note(&a.verdict.failed, "%s is shown: %s", reason, a.shown[reason])
		}
	}
}

// usual are the reasons that are no surprise.
func (a *attempt) usual() []string {
	return slices.Concat(a.passing, []string{a.at(a.trial.rest), "Creating", "Deleting", "Unavailable", "Pending", "Updating"})
}

// report says at once what is wrong: a run takes minutes.
func (a *attempt) report(t *testing.T) {
	for what, list := range map[string][]string{"lost": a.verdict.lost, "doubled": a.verdict.doubled, "failed": a.verdict.failed} {
		for _, line := range list {
			t.Fail()
			fmt.Printf("%s: %s: %s\n", a.label, what, line)
		}
	}
	for _, line := range a.attended {
		fmt.Printf("%s: a person attended to %s\n", a.label, line)
	}
}

func conditions(u *unstructured.Unstructured) string {
	var out []string
	for _, kind := range []string{"Ready", "Synced", "NeverSettles"} {
		if status, reason, message := objecttest.Condition(u, kind); status != "" {
			out = append(out, fmt.Sprintf("%s=%s %s %q", kind, status, reason, message))
		}
	}
	return strings.Join(out, ", ")
}

// camel returns the name of a field in a spec.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = title(p)
	}
	return strings.Join(parts, "")
}

func encode(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}
