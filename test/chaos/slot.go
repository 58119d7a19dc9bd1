package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// slot is one resource of a user, which may currently not exist.
type slot struct {
	*world
	kind  *kind
	form  string
	index int
	label string // its name, and the first name of its remote object
	// namespace and name are the custom resource's.
	namespace, name string
	// createFirst is set when replacements create before they destroy.
	createFirst bool
	random      *rand.Rand // for its operations
	serial      int64

	mu sync.Mutex
	// spec is the user's spec.forProvider; nil if there should be no resource.
	spec    m
	secrets map[string]string // by key, of the Secret that the spec refers to
	// generation is the generation of the last write.
	generation int64
	taint      string // the last token
	// object is the id of the remote object when the slot was last well. destroyed is set when an
	// operation may have replaced it since.
	object    string
	witness   string // how the id was determined
	destroyed atomic.Bool
	// backup is an earlier copy of the stored state of the custom resource with the UID backupOf.
	// That of a predecessor of the same name would name another object.
	backup   map[string]any
	backupOf types.UID
}

func newSlots(w *world, o Options) []*slot {
	var out []*slot
	for _, form := range []string{"f6", "s2"} {
		for _, k := range kinds {
			n := 2
			if w.cli {
				n = 1 // each reconcile is one or two runs of the program
			}
			if k.name == "Thing" {
				n *= 2
			}
			for i := range n {
				s := &slot{
					world: w, kind: k, form: form, index: i,
					label: fmt.Sprintf("%s-%s-%d", form, strings.ToLower(k.name), i), namespace: namespace,
				}
				s.name = s.label
				// Names of things need not be unique, so two can exist at the same time.
				s.createFirst = k.name == "Thing" && i >= n/2
				s.random = rand.New(rand.NewPCG(o.Seed, uint64(len(out)+1)))
				out = append(out, s)
			}
		}
	}
	for i := range 2 {
		s := &slot{world: w, kind: depot, form: modules, index: i, label: fmt.Sprintf("depot-%d", i), namespace: namespace}
		s.name, s.random = s.label, rand.New(rand.NewPCG(o.Seed, uint64(len(out)+1)))
		out = append(out, s)
	}
	return out
}

// next returns a number that is new for the slot, rename a new name.
func (s *slot) next() int64 {
	s.serial++
	return s.serial + 1
}

func (s *slot) rename() string { return s.label + "." + strconv.FormatInt(s.next(), 10) }

func (s *slot) newSecrets() map[string]string {
	return map[string]string{
		"password": s.secret(fmt.Sprintf("password-%d-of-%s-%s", s.next(), s.label, randomText())),
		"secret":   s.secret(fmt.Sprintf("secret-%d-of-%s-%s", s.next(), s.label, randomText())),
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// owns reports whether an object of the cloud belongs to the slot, by its name.
func (s *slot) owns(o object) bool {
	name := o.text(s.kind.field)
	return name == s.label || strings.HasPrefix(name, s.label+".")
}

// manifest returns the user's manifest of the custom resource.
func (s *slot) manifest() *unstructured.Unstructured {
	// The tests do not wait hours for an object that an interrupted create may still create.
	lifecycle := m{"timeouts": m{"create": "25s", "update": "25s", "delete": "25s"}}
	if s.createFirst {
		lifecycle["createBeforeDestroy"] = true
	}
	spec := m{"forProvider": maps.Clone(s.spec), "lifecycle": lifecycle}
	if s.kind.name == "Credential" {
		spec["writeConnectionSecretToRef"] = m{"name": s.label + "-connection"}
	}
	if s.form != modules && s.namespace == namespace {
		if all := s.configurations(); len(all) > 1 {
			spec["providerConfigRef"] = m{"kind": "ClusterProviderConfig", "name": all[s.index%len(all)]}
		}
	}
	return &unstructured.Unstructured{Object: m{
		"apiVersion": s.form + ".landbridge.io/v1alpha1", "kind": s.kind.name,
		"metadata": m{"name": s.name, "namespace": s.namespace}, "spec": spec,
	}}
}

// key returns the resource's key in Landbridge's store.
func (s *slot) key() store.Key {
	return store.Key{Group: s.form + ".landbridge.io", Kind: s.kind.name, Namespace: s.namespace, Name: s.name}
}

// seen returns the custom resource as last observed; nil if there is none.
func (s *slot) seen() *unstructured.Unstructured {
	x, ok, err := s.stores[gvr(s.form, s.kind)].GetByKey(s.namespace + "/" + s.name)
	if err != nil || !ok {
		return nil
	}
	return x.(*unstructured.Unstructured)
}

// unsettled returns what is missing until a custom resource matches the user's spec, according to
// its status; empty if nothing is.
func (s *slot) unsettled(u *unstructured.Unstructured) string {
	if s.spec == nil {
		if u != nil {
			return "it is still there" + because(u)
		}
		return ""
	}
	if u == nil {
		return "it is not there"
	}
	if u.GetDeletionTimestamp() != nil {
		return "it is being deleted"
	}
	if u.GetGeneration() < s.generation {
		return "the change has not been heard of yet"
	}
	for _, c := range []string{"Synced", "Ready", "UpToDate"} {
		status, _, _, generation := condition(u, c)
		if status != "True" || generation != u.GetGeneration() {
			return "it is not " + c + because(u)
		}
	}
	switch {
	case at(u, "status", "operation", "kind") != "":
		return "an operation is under way"
	case at(u, "status", "deposed") != "":
		return "a replaced object is still there" + because(u)
	case at(u, "status", "state") != "Full":
		return "its state is " + at(u, "status", "state")
	case s.taint != "" && at(u, "status", "lastHandled", "taint") != s.taint:
		return "its taint was not acted upon"
	}
	return ""
}

// because returns the conditions of a custom resource.
func because(u *unstructured.Unstructured) string {
	var out []string
	for _, c := range []string{"Synced", "Ready", "LastAsyncOperation"} {
		if status, reason, message, generation := condition(u, c); status != "True" {
			out = append(out, fmt.Sprintf("%s=%s (%s, generation %d of %d) %s", c, status, reason, generation, u.GetGeneration(), message))
		}
	}
	if op := at(u, "status", "operation"); op != "" {
		out = append(out, "operation "+op)
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, "; ")
}

// objects returns the slot's objects in the cloud.
func (s *slot) objects(ctx context.Context) ([]object, error) {
	all, err := s.cloud.objects(ctx, s.kind.collection)
	if err != nil {
		return nil, err
	}
	var out []object
	for _, o := range all {
		if s.owns(o) {
			out = append(out, o)
		}
	}
	return out, nil
}

// well reports whether the custom resource and the cloud match the user's spec.
func (s *slot) well(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.seen()
	if s.unsettled(u) != "" {
		return false
	}
	all, err := s.objects(ctx)
	if err != nil {
		return false
	}
	if s.spec == nil {
		s.object = ""
		s.destroyed.Store(false)
		return len(all) == 0
	}
	// Landbridge may not know yet of an object that the custom resource does not name.
	if len(all) != 1 || all[0].text("id") != s.told(u) || s.kind.differs(s, all[0]) != "" {
		return false
	}
	s.keep(ctx, u, all[0])
	return true
}

// told returns the id of the object that a custom resource names.
func (s *slot) told(u *unstructured.Unstructured) string {
	if s.form == "s2" && s.kind.name == "Datastore" {
		return at(u, "status", "atProvider", "internalId")
	}
	return at(u, "status", "atProvider", "id")
}

// keep records the state of a resource that is well.
func (s *slot) keep(ctx context.Context, u *unstructured.Unstructured, o object) {
	if key := o.text("api_key"); key != "" {
		s.secret(key)
	}
	id := o.text("id")
	if s.object != "" && s.object != id && !s.destroyed.Load() {
		s.world.mu.Lock()
		s.unasked = append(s.unasked, fmt.Sprintf("%s: %s was replaced by %s, without a request; all was well at %s",
			s.label, s.object, id, s.witness))
		s.world.mu.Unlock()
		s.note("%s: %s was replaced by %s unasked", s.label, s.object, id)
	}
	s.object, s.witness = id, fmt.Sprintf("%.3f, version %s: %s", time.Since(s.began).Seconds(),
		u.GetResourceVersion(), encode(u.Object["status"]))
	s.destroyed.Store(false)
	if s.written(u) && s.random.IntN(4) == 0 {
		if secret, err := s.stored(ctx); err == nil {
			s.backup, _, _ = unstructured.NestedMap(secret.Object, "data")
			s.backupOf = u.GetUID()
		}
	}
}

// written reports whether the custom resource has what identifies the remote object.
func (s *slot) written(u *unstructured.Unstructured) bool {
	if s.kind.module {
		return false // one identity cannot name all of its objects
	}
	a := u.GetAnnotations()
	if s.kind.foreseen {
		return strings.Contains(a[v1alpha1.AnnotationIdentity], strconv.Quote(text(s.spec["name"]))) &&
			(s.kind.name != "Datastore" || strings.Contains(a[v1alpha1.AnnotationIdentity], strconv.Quote(text(s.spec["clusterInfo"].(m)["id"]))))
	}
	return a["crossplane.io/external-name"] == s.object
}

// wait waits for a while until the slot is well.
func (s *slot) wait(ctx context.Context, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; {
		if s.well(ctx) {
			return true
		}
		if time.Now().After(end) || ctx.Err() != nil || s.stopped() {
			return false
		}
		pause(ctx, 60*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// stored returns the Secret with the stored state of the remote object.
func (s *slot) stored(ctx context.Context) (*unstructured.Unstructured, error) {
	return s.client.Resource(secretsGVR).Namespace(system).Get(ctx, store.SecretName(s.key()), getOptions)
}

// patch changes the custom resource.
func (s *slot) patch(ctx context.Context, patch m, subresources ...string) error {
	return s.try(ctx, func(ctx context.Context) error {
		u, err := s.client.Resource(gvr(s.form, s.kind)).Namespace(s.namespace).
			Patch(ctx, s.name, types.MergePatchType, encode(patch), patchOptions, subresources...)
		if err == nil {
			s.generation = u.GetGeneration()
		}
		return err
	})
}
