package controller

import (
	"context"
	"slices"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	typedauthorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// referredSecrets wakes resources when a Secret changes that they, or their provider
// configurations, refer to. It watches the metadata of the Secrets in the namespaces of such
// resources, and keeps no more than names and versions. Where the controller may not watch Secrets,
// resources notice changes at their next poll.
type referredSecrets struct {
	metadata metadata.Interface
	// allowed reports whether the Secrets of a namespace may be watched.
	allowed func(ctx context.Context, namespace string) bool
	wake    func(store.Key)

	mu         sync.Mutex
	ctx        context.Context // nil before Start
	uses       map[store.Key][]types.NamespacedName
	namespaces map[string]*referredNamespace
}

// referredNamespace has the Secrets of one namespace that resources refer to.
type referredNamespace struct {
	of   *referredSecrets
	stop context.CancelFunc
	// users of each Secret, and the last version of it.
	users    map[string]map[store.Key]bool
	versions map[string]string
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (s *referredSecrets) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable.
func (s *referredSecrets) Start(ctx context.Context) error {
	s.mu.Lock()
	s.ctx = ctx
	for name, n := range s.namespaces {
		s.watch(name, n)
	}
	s.mu.Unlock()
	<-ctx.Done()
	return nil
}

// Uses records which Secrets a resource refers to.
func (s *referredSecrets) Uses(k store.Key, secrets []types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uses == nil {
		s.uses, s.namespaces = map[store.Key][]types.NamespacedName{}, map[string]*referredNamespace{}
	}
	before := s.uses[k]
	for _, name := range secrets {
		n, ok := s.namespaces[name.Namespace]
		if !ok {
			n = &referredNamespace{of: s, users: map[string]map[store.Key]bool{}, versions: map[string]string{}}
			s.namespaces[name.Namespace] = n
			s.watch(name.Namespace, n)
		}
		if n.users[name.Name] == nil {
			n.users[name.Name] = map[store.Key]bool{}
		}
		n.users[name.Name][k] = true
	}
	for _, name := range before {
		if !slices.Contains(secrets, name) {
			s.drop(k, name)
		}
	}
	if s.uses[k] = secrets; len(secrets) == 0 {
		delete(s.uses, k)
	}
}

// drop removes a user of a Secret. A namespace without any is not watched any more.
func (s *referredSecrets) drop(k store.Key, name types.NamespacedName) {
	n := s.namespaces[name.Namespace]
	delete(n.users[name.Name], k)
	if len(n.users[name.Name]) > 0 {
		return
	}
	delete(n.users, name.Name)
	if len(n.users) == 0 {
		if n.stop != nil {
			n.stop()
		}
		delete(s.namespaces, name.Namespace)
	}
}

// watch watches a namespace, if the controller has started.
func (s *referredSecrets) watch(namespace string, n *referredNamespace) {
	if s.ctx == nil {
		return
	}
	var ctx context.Context
	ctx, n.stop = context.WithCancel(s.ctx)
	go func() {
		if !s.allowed(ctx, namespace) {
			return
		}
		lists := secretsOf(s.metadata, namespace, store.Others)
		cache.NewReflectorWithOptions(lists, &metav1.PartialObjectMetadata{}, n,
			cache.ReflectorOptions{Name: "referred-secrets"}).RunWithContext(ctx)
	}()
}

// secretsOf lists and watches the metadata of the Secrets of a namespace that a selector matches.
func secretsOf(from metadata.Interface, namespace, selector string) *cache.ListWatch {
	secrets := from.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(namespace)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = selector
			return secrets.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = selector
			return secrets.Watch(ctx, o)
		},
	}
}

// seen notes the version of a Secret, "" for none, and wakes its users if it is another one. The
// first version only wakes them if told to.
func (n *referredNamespace) seen(name, version string, first bool) {
	n.of.mu.Lock()
	before, known := n.versions[name]
	n.versions[name] = version
	if version == "" {
		delete(n.versions, name)
	}
	var users []store.Key
	if before != version && (known || first) {
		for k := range n.users[name] {
			users = append(users, k)
		}
	}
	n.of.mu.Unlock()
	for _, k := range users {
		n.of.wake(k)
	}
}

// Add implements cache.ReflectorStore.
func (n *referredNamespace) Add(object any) error { return n.note(object, true) }

// Update implements cache.ReflectorStore.
func (n *referredNamespace) Update(object any) error { return n.note(object, true) }

func (n *referredNamespace) note(object any, first bool) error {
	secret, err := meta.Accessor(object)
	if err == nil {
		n.seen(secret.GetName(), secret.GetResourceVersion(), first)
	}
	return err
}

// Delete implements cache.ReflectorStore.
func (n *referredNamespace) Delete(object any) error {
	secret, err := meta.Accessor(object)
	if err == nil {
		n.seen(secret.GetName(), "", false)
	}
	return err
}

// Replace implements cache.ReflectorStore. What is listed first was there when the resources read
// it.
func (n *referredNamespace) Replace(objects []any, _ string) error {
	listed := map[string]bool{}
	for _, object := range objects {
		if err := n.note(object, false); err != nil {
			return err
		}
		if secret, err := meta.Accessor(object); err == nil {
			listed[secret.GetName()] = true
		}
	}
	n.of.mu.Lock()
	var gone []string
	for name := range n.versions {
		if !listed[name] {
			gone = append(gone, name)
		}
	}
	n.of.mu.Unlock()
	for _, name := range gone {
		n.seen(name, "", false)
	}
	return nil
}

// Resync implements cache.ReflectorStore.
func (n *referredNamespace) Resync() error { return nil }

// mayWatchSecrets returns a function that reports whether this program may list and watch the
// Secrets of a namespace.
func mayWatchSecrets(kube typedauthorizationv1.AuthorizationV1Interface) func(context.Context, string) bool {
	return func(ctx context.Context, namespace string) bool {
		for _, verb := range []string{"list", "watch"} {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Resource: "secrets"},
			}}
			answer, err := kube.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil || !answer.Status.Allowed {
				return false
			}
		}
		return true
	}
}
