package ui

import (
	"context"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// rights finds out what the person may list and watch.
type rights struct {
	client kubernetes.Interface
	// known are the namespaces that are looked at even if namespaces may not be listed, such as
	// that of the person's context.
	known []string
}

func newRights(config *rest.Config, known []string) (*rights, error) {
	c, err := kubernetes.NewForConfig(config)
	return &rights{c, slices.DeleteFunc(known, func(n string) bool { return n == "" })}, err
}

// scope is a kind in one namespace, or with "" in all.
type scope struct {
	kind      status.Kind
	namespace string
}

// String identifies the scope for people.
func (s scope) String() string {
	if s.namespace == "" {
		return s.kind.String()
	}
	return s.kind.String() + " in " + s.namespace
}

// scopes returns what the person may list and watch of the kinds: all namespaces, or else each of
// those that are permitted. Few requests are made: one for each group, and one for each namespace.
func (r *rights) scopes(ctx context.Context, kinds []status.Kind) []scope {
	groups := map[string]bool{}
	var out []scope
	var others []status.Kind
	for _, k := range kinds {
		whole, asked := groups[k.Group]
		if !asked {
			whole = r.may(ctx, k.Group, "*")
			groups[k.Group] = whole
		}
		if whole || r.may(ctx, k.Group, k.Resource) {
			out = append(out, scope{kind: k})
		} else if !k.Cluster {
			others = append(others, k)
		}
	}
	if len(others) == 0 {
		return out
	}
	for _, namespace := range r.namespaces(ctx) {
		review, err := r.client.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{
			Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
		}, metav1.CreateOptions{})
		if err != nil {
			continue
		}
		for _, k := range others {
			// Where the authorizer cannot list its rules, the list itself tells.
			if permits(review.Status.ResourceRules, k) || review.Status.Incomplete {
				out = append(out, scope{k, namespace})
			}
		}
	}
	return out
}

// may reports whether the person may list and watch a resource in all namespaces.
func (r *rights) may(ctx context.Context, group, resource string) bool {
	for _, verb := range []string{"list", "watch"} {
		review, err := r.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Group: group, Resource: resource, Verb: verb},
			},
		}, metav1.CreateOptions{})
		if err != nil || !review.Status.Allowed {
			return false
		}
	}
	return true
}

// namespaces returns those that the person may list; else those that are known.
func (r *rights) namespaces(ctx context.Context) []string {
	out := slices.Clone(r.known)
	list, err := r.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return out
	}
	for _, n := range list.Items {
		if !slices.Contains(r.known, n.Name) {
			out = append(out, n.Name)
		}
	}
	return out
}

// permits reports whether rules permit to list and watch a kind.
func permits(rules []authorizationv1.ResourceRule, k status.Kind) bool {
	for _, verb := range []string{"list", "watch"} {
		if !slices.ContainsFunc(rules, func(r authorizationv1.ResourceRule) bool {
			return len(r.ResourceNames) == 0 && has(r.Verbs, verb) && has(r.APIGroups, k.Group) && has(r.Resources, k.Resource)
		}) {
			return false
		}
	}
	return true
}

func has(all []string, one string) bool {
	return slices.Contains(all, "*") || slices.Contains(all, one)
}
