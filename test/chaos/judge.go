package chaos

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// verdict lists what is wrong.
type verdict struct{ duplicates, orphans, lost, stuck []string }

// settled reports whether nothing is wrong that could still recover.
func (v *verdict) settled() bool { return len(v.orphans)+len(v.lost)+len(v.stuck) == 0 }

// settle waits until nothing is wrong for a while, and returns what is.
func (a *agenda) settle(ctx context.Context, limit time.Duration) (*verdict, error) {
	for end := time.Now().Add(limit); ; pause(ctx, 500*time.Millisecond) {
		v, err := a.judge(ctx)
		if err == nil && v.settled() {
			// Operations that Landbridge does not know of may still be running.
			pause(ctx, a.poll()+time.Second)
			if v, err = a.judge(ctx); err == nil && v.settled() {
				return v, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if time.Now().After(end) {
			return v, err
		}
	}
}

// judge compares the users' specs, the Kubernetes objects and the cloud's objects. All faults have
// ended.
func (a *agenda) judge(ctx context.Context) (*verdict, error) {
	v := &verdict{}
	resources := map[string]*unstructured.Unstructured{}
	for _, x := range everything() {
		list, err := a.list(ctx, x.form, x.kind)
		if err != nil {
			return nil, err
		}
		for i := range list {
			u := &list[i]
			resources[x.form+"/"+x.kind.name+"/"+u.GetNamespace()+"/"+u.GetName()] = u
		}
	}
	stored, err := a.storedSecrets(ctx)
	if err != nil {
		return nil, err
	}
	objects := map[string]map[string]object{}
	for _, k := range kinds {
		list, err := a.cloud.objects(ctx, k.collection)
		if err != nil {
			return nil, err
		}
		objects[k.collection] = map[string]object{}
		for _, o := range list {
			objects[k.collection][o.text("id")] = o
		}
	}

	managed := map[string][]string{}
	for _, s := range a.slots {
		u := resources[s.form+"/"+s.kind.name+"/"+namespace+"/"+s.label]
		if what := s.unsettled(u); what != "" {
			v.stuck = append(v.stuck, s.label+": "+what)
		}
		if u == nil {
			continue
		}
		id := s.told(u)
		managed[s.kind.collection] = append(managed[s.kind.collection], id)
		o, ok := objects[s.kind.collection][id]
		switch {
		case !ok:
			v.stuck = append(v.stuck, fmt.Sprintf("%s: there is no object %q", s.label, id))
			continue
		case s.spec != nil:
			if what := s.kind.differs(s, o); what != "" {
				v.stuck = append(v.stuck, s.label+": "+what)
			}
		}
		if err := a.judgeSecrets(ctx, v, s, o, stored); err != nil {
			return nil, err
		}
	}
	for _, e := range a.estates {
		what, err := a.left(ctx, e)
		if err != nil {
			return nil, err
		}
		if what != "" {
			v.stuck = append(v.stuck, e.namespace+": "+what)
		}
	}
	for owner := range stored {
		group, rest, _ := strings.Cut(owner, "/")
		if resources[group+"/"+rest] == nil {
			v.lost = append(v.lost, "what is stored of "+owner+" has outlived it")
		}
	}
	return v, a.judgeCloud(ctx, v, managed, objects)
}

// storedSecrets returns the states that Landbridge has stored, by form/kind/namespace/name.
func (a *agenda) storedSecrets(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	list, err := a.client.Resource(secretsGVR).Namespace(system).List(ctx, listOptions)
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		u := &list.Items[i]
		if at(u, "type") != v1alpha1.SecretTypeInstance {
			continue
		}
		secret := &corev1.Secret{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, secret); err != nil {
			return nil, err
		}
		k, ok := store.KeyOf(secret)
		if !ok {
			return nil, fmt.Errorf("the Secret %s does not name its resource", u.GetName())
		}
		b, err := a.states.Encoded(ctx, k) // it may be compressed, and in several Secrets
		switch {
		case errors.Is(err, store.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		form, _, _ := strings.Cut(k.Group, ".")
		out[form+"/"+k.Kind+"/"+k.Namespace+"/"+k.Name] = string(b)
	}
	return out, nil
}

// judgeSecrets checks that the secrets of a resource are in the places meant for them.
func (a *agenda) judgeSecrets(ctx context.Context, v *verdict, s *slot, o object, stored map[string]string) error {
	remembered, ok := stored[s.form+"/"+s.kind.name+"/"+namespace+"/"+s.label]
	if !ok {
		v.lost = append(v.lost, s.label+": nothing is stored ("+store.SecretName(s.key())+")")
	}
	if n, _ := s.spec["bytes"].(int64); ok && int64(len(remembered)) < n {
		v.lost = append(v.lost, fmt.Sprintf("%s: %d bytes are stored, without its %d random ones", s.label, len(remembered), n))
	}
	if s.kind.name != "Credential" {
		return nil
	}
	key := o.text("api_key")
	a.secret(key)
	if ok && !strings.Contains(remembered, key) {
		v.lost = append(v.lost, s.label+": the API key is not stored")
	}
	u, err := a.client.Resource(secretsGVR).Namespace(namespace).Get(ctx, s.label+"-connection", getOptions)
	if kerrors.IsNotFound(err) {
		v.lost = append(v.lost, s.label+": there is no connection Secret")
		return nil
	}
	if err != nil {
		return err
	}
	if b, _ := base64.StdEncoding.DecodeString(at(u, "data", "attribute.api_key")); string(b) != key {
		v.lost = append(v.lost, s.label+": the connection Secret does not hold the API key")
	}
	return nil
}

// judgeCloud checks the cloud's audit.
func (a *agenda) judgeCloud(ctx context.Context, v *verdict, managed map[string][]string, objects map[string]map[string]object) error {
	for c := range managed {
		managed[c] = slices.DeleteFunc(managed[c], func(id string) bool { return id == "" })
	}
	books, err := a.cloud.audit(ctx, managed)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		book := books[k.collection]
		for _, id := range book.OrphanIDs {
			v.orphans = append(v.orphans, fmt.Sprintf("%s %s, called %s", k.collection, id, objects[k.collection][id].text(k.field)))
		}
		if book.Duplicates > 0 {
			v.duplicates = append(v.duplicates, fmt.Sprintf("%d of %s at the end", book.Duplicates, k.collection))
		}
		if book.Running > 0 {
			v.stuck = append(v.stuck, fmt.Sprintf("%d creations of %s are under way", book.Running, k.collection))
		}
	}
	events, err := a.cloud.events(ctx)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.What == "duplicates_ever" && !a.mayBeTwo(e.Key) {
			v.duplicates = append(v.duplicates, fmt.Sprintf("%s %s, called %s, at %.3f", e.Collection, e.ObjectID,
				e.Key, e.Time.Sub(a.began).Seconds()))
		}
	}
	return nil
}

// mayBeTwo reports whether two objects with the natural key may exist for a while: a tainted one
// is replaced like any other.
func (a *agenda) mayBeTwo(key string) bool {
	name := key[strings.LastIndexByte(key, '/')+1:]
	return slices.ContainsFunc(a.slots, func(s *slot) bool {
		return s.createFirst && (name == s.label || strings.HasPrefix(name, s.label+"."))
	})
}

// leaked searches for secrets where they must not be.
func (a *agenda) leaked(ctx context.Context) ([]string, error) {
	var out []string
	look := func(where, text string) {
		for secret := range a.secrets {
			if secret != "" && strings.Contains(text, secret) {
				out = append(out, where+" shows a secret")
				return
			}
		}
	}
	all := []schema.GroupVersionResource{eventsGVR, providersGVR}
	for form := range forms {
		all = append(all, gvrOf(form, "clusterproviderconfigs"))
	}
	for _, x := range everything() {
		all = append(all, gvr(x.form, x.kind))
	}
	for _, r := range all {
		list, err := a.client.Resource(r).List(ctx, listOptions)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			b, err := json.Marshal(list.Items[i].Object)
			if err != nil {
				return nil, err
			}
			look(fmt.Sprintf("%s %s/%s", r.Resource, list.Items[i].GetNamespace(), list.Items[i].GetName()), string(b))
		}
	}
	logs, err := filepath.Glob(filepath.Join(a.dir, "controller-*.log"))
	if err != nil {
		return nil, err
	}
	for _, path := range logs {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		look(path, string(b))
	}
	return out, nil
}
