package downgrade_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// slot is a resource, and what its user has declared.
type slot struct {
	*cluster
	kind *kind
	form string // the name of the group
	name string // of the resource, and of its object
	// spec is spec.forProvider, and others are the other fields of spec.
	spec, others m
	// resolved are the fields of spec.forProvider that references have set.
	resolved m
	secrets  map[string]string // of a credential, by the key in its Secret
	serial   int

	observed     bool // it is only looked at
	createsFirst bool // replacements create before they destroy
	unsettled    bool // it never settles
	tainted      bool
	deleted      bool
	// underway is set while an operation of it was interrupted.
	underway bool
	// kept is what a release has read first of content.
	kept string
}

// add declares a resource. It is created by create.
func (x *cluster) add(k *kind, form, name string, others m) *slot {
	s := &slot{cluster: x, kind: k, form: form, name: name, spec: k.first(name), others: others}
	x.slots = append(x.slots, s)
	results.resources++
	return s
}

// resource returns the manifest.
func (s *slot) resource() *unstructured.Unstructured {
	spec := m{"forProvider": maps.Clone(s.spec)}
	maps.Copy(spec, s.others)
	lifecycle := m{"timeouts": m{"create": "5m", "update": "5m", "delete": "5m"}}
	if s.createsFirst {
		lifecycle["createBeforeDestroy"] = true
	}
	if more, ok := s.others["lifecycle"].(m); ok {
		maps.Copy(lifecycle, more)
	}
	spec["lifecycle"] = lifecycle
	if s.connects() {
		spec["writeConnectionSecretToRef"] = m{"name": s.name + "-connection"}
	}
	return object(group(s.form)+"/v1alpha1", s.kind.name, s.namespace, s.name, spec)
}

// connects reports whether it writes a connection Secret.
func (s *slot) connects() bool { return s.kind == credential }

// create creates the resource, and returns once it exists.
func (s *slot) create(t *testing.T) *slot {
	t.Helper()
	if s.kind == credential {
		s.rotate(t)
	}
	if s.kind.collection != "" && s.others["import"] == nil {
		s.expect(s, "creates", 1)
	}
	s.MustCreate(t, s.resource())
	return s
}

// rotate gives a credential other secrets.
func (s *slot) rotate(t *testing.T) {
	t.Helper()
	s.secrets = map[string]string{}
	for _, key := range []string{"password", "secret"} {
		s.secrets[key] = fmt.Sprintf("%s %d of %s", key, s.serial, s.name)
	}
	s.secret(t, s.name, s.secrets)
}

func (s *slot) patch(t *testing.T, merge string) {
	t.Helper()
	s.MustPatch(t, s.resource(), merge)
}

func (s *slot) annotate(t *testing.T, name, value string) {
	t.Helper()
	s.patch(t, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, name, value))
}

// declare writes spec.forProvider.
func (s *slot) declare(t *testing.T) {
	t.Helper()
	merge, err := json.Marshal(m{"spec": m{"forProvider": s.spec}})
	if err != nil {
		t.Fatal(err)
	}
	s.patch(t, string(merge))
}

// update changes the resource so that its object is updated.
func (s *slot) update(t *testing.T) {
	t.Helper()
	s.serial++
	if s.kind == credential {
		s.rotate(t)
		s.allow(s, "updates") // the password may be updated before the other one
	}
	s.kind.change(s, s.spec, s.serial+1)
	s.expect(s, "updates", 1)
	s.declare(t)
}

// replace changes the resource so that its object is replaced.
func (s *slot) replace(t *testing.T) {
	t.Helper()
	s.serial++
	s.kind.replace(s, s.spec, s.serial+1)
	s.expect(s, "creates", 1)
	s.expect(s, "deletes", 1)
	s.declare(t)
}

// remove deletes the resource.
func (s *slot) remove(t *testing.T) {
	t.Helper()
	if s.kind.collection != "" && !s.observed {
		s.expect(s, "deletes", 1)
	}
	s.deleted = true
	if err := s.Delete(t.Context(), s.resource()); err != nil {
		t.Fatal(err)
	}
}

// fault has something go wrong with the requests for its object.
func (s *slot) fault(t *testing.T, on string, fault m) {
	t.Helper()
	all := m{"on": on, "collection": s.kind.collection, "match": m{s.kind.titled(): s.name}}
	maps.Copy(all, fault)
	s.cloud.Fault(t, all)
}

// begins waits until the cloud is asked for what a fault delays, such as delete: the status does
// not tell of each operation.
func (s *slot) begins(t *testing.T, on string) {
	t.Helper()
	s.underway = true
	waittest.Eventually(t, on+" of "+s.name, func(context.Context) bool { return !s.cloud.Waits(t, s.name, on) })
}

// happens waits until something happens in the cloud.
func (s *slot) happens(t *testing.T, what string) {
	t.Helper()
	waittest.Eventually(t, what+" of "+s.name, func(context.Context) bool {
		for _, e := range s.cloud.Changes(t)[s.seen:] {
			if e.What == what && (e.Key == s.name || strings.HasSuffix(e.Key, "/"+s.name)) {
				return true
			}
		}
		return false
	})
}

// confirm matches the message about a create whose outcome is unknown.
var confirm = regexp.MustCompile(`annotation ` + regexp.QuoteMeta(v1alpha1.AnnotationConfirmCreate) + ` to`)

// settle waits until the resource is as it is declared, or gone.
func (s *slot) settle(t *testing.T) {
	t.Helper()
	u := s.resource()
	if s.deleted {
		s.WaitGone(t, u)
		s.underway = false
		return
	}
	s.RequestReconcile(t, u)
	asked := u.GetAnnotations()["crossplane.io/reconcile-requested-at"]
	s.WaitFor(t, u, "at rest", func() bool {
		status, _, message := objecttest.Condition(u, "Synced")
		if status == "False" && confirm.MatchString(message) && text(u, "spec", "import") == "" {
			// A person looks for the object.
			if all := s.objects(t); len(all) == 1 {
				s.patch(t, fmt.Sprintf(`{"spec":{"import":{"id":%q}}}`, all[0]["id"]))
			}
			return false
		}
		if text(u, "status", "lastHandledReconcileAt") != asked {
			return false
		}
		if text(u, "status", "operation") != "" || text(u, "status", "deposed") != "" || !objecttest.Current(u) {
			return false
		}
		if s.tainted {
			return text(u, "status", "state") == "Tainted"
		}
		if s.unsettled { // it may be between two of its updates
			return text(u, "status", "state") == "Full"
		}
		return objecttest.IsTrue(u, "Ready", "Synced") && text(u, "status", "plan") == ""
	})
	s.underway = false
	if s.others["references"] != nil && s.resolved == nil {
		s.resolved = maps.Clone(objecttest.At(u, "spec", "forProvider").(m))
		maps.DeleteFunc(s.resolved, func(name string, _ any) bool { return s.spec[name] != nil })
	}
}

// objects returns the objects in the cloud.
func (s *slot) objects(t *testing.T) []m {
	t.Helper()
	var out []m
	for _, o := range s.cloud.Stored(t, s.kind.collection) {
		if o[s.kind.titled()] == s.name {
			out = append(out, o)
		}
	}
	return out
}

// judge compares the object and the secrets with what is declared.
func (s *slot) judge(t *testing.T, when string) {
	t.Helper()
	if s.connects() && !s.deleted {
		s.judgeConnection(t, when)
	}
	if s.kind.collection == "" {
		return
	}
	all := s.objects(t)
	switch {
	case s.deleted && len(all) > 0 && !s.observed:
		found(t, &results.lost, "%s: %s is gone, and has left %d objects", when, s.name, len(all))
	case s.deleted || len(all) == 1:
	case len(all) == 0:
		found(t, &results.lost, "%s: %s has no object", when, s.name)
	default:
		found(t, &results.doubled, "%s: %s has %d objects", when, s.name, len(all))
	}
	if s.deleted || len(all) != 1 || s.observed {
		return
	}
	declared := maps.Clone(s.spec)
	maps.Copy(declared, s.resolved)
	for name, want := range s.kind.fields(s, declared) {
		if got := fmt.Sprint(all[0][name]); got != want {
			found(t, &results.lost, "%s: %s: %s is %q, and %q is declared", when, s.name, name, got, want)
		}
	}
}

// judgeConnection compares the connection Secret with the object.
func (s *slot) judgeConnection(t *testing.T, when string) {
	t.Helper()
	secret := object("v1", "Secret", s.namespace, s.name+"-connection", nil)
	if err := s.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		found(t, &results.lost, "%s: the connection Secret of %s: %v", when, s.name, err)
		return
	}
	key, _ := base64.StdEncoding.DecodeString(text(secret, "data", "attribute.api_key"))
	if all := s.objects(t); len(all) != 1 || len(key) == 0 || string(key) != all[0]["api_key"] {
		found(t, &results.lost, "%s: the connection Secret of %s does not have its API key", when, s.name)
	}
}
