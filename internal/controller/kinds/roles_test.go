package kinds_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// withRoles returns a Runtime in which "owner" has the definition of one kind.
func withRoles(t *testing.T) (*kinds.Runtime, *kubefake.Clientset) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	former := &metav1.PartialObjectMetadata{
		ObjectMeta: metav1.ObjectMeta{
			Name: "formers." + group, Labels: map[string]string{v1alpha1.LabelProvider: "owner"},
		},
	}
	former.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	c := clientfake.NewClientBuilder().WithScheme(scheme).WithObjects(former).Build()
	kube := kubefake.NewClientset()
	return &kinds.Runtime{Manager: cluster{client: c}, Roles: kube.RbacV1().ClusterRoles(), Logger: logr.Discard()}, kube
}

// permissions returns the rules of the ClusterRoles, by their names, and the roles that select
// them.
func permissions(t *testing.T, kube *kubefake.Clientset) map[string][]rbacv1.PolicyRule {
	t.Helper()
	list, err := kube.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]rbacv1.PolicyRule{}
	for _, r := range list.Items {
		for label, value := range r.Labels {
			if value == "true" {
				out[r.Name+" "+label] = r.Rules
			}
		}
	}
	return out
}

func TestRoles(t *testing.T) {
	t.Parallel()
	rt, kube := withRoles(t)
	read, write := []string{"get", "list", "watch"}, []string{
		"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
	}
	control := []string{"get", "list", "watch", "update", "patch"}
	want := map[string][]rbacv1.PolicyRule{
		"landbridge:owner:view landbridge.io/aggregate-to-view": {{
			APIGroups: []string{group}, Resources: []string{"formers"}, Verbs: read,
		}},
		"landbridge:owner:edit landbridge.io/aggregate-to-edit": {{
			APIGroups: []string{group}, Resources: []string{"formers"}, Verbs: write,
		}},
		"landbridge:owner:approve landbridge.io/aggregate-to-approve": {{
			APIGroups: []string{group}, Resources: []string{"formers"}, Verbs: []string{"approve"},
		}},
		"landbridge:owner:controller landbridge.io/aggregate-to-controller": {{
			APIGroups: []string{group}, Resources: []string{
				"formers", "formers/status", "formers/finalizers",
			}, Verbs: control,
		}},
	}
	if err := rt.EnsureRoles(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, permissions(t, kube)); diff != "" {
		t.Errorf("for what is defined (-want +got):\n%s", diff)
	}
	all := []kschema.GroupResource{
		{Group: group, Resource: "things"}, {Group: group, Resource: "providerconfigs"}, {Group: group, Resource: "clusterproviderconfigs"},
	}
	if err := rt.EnsureRoles(t.Context(), "owner", all...); err != nil {
		t.Fatal(err)
	}
	want = map[string][]rbacv1.PolicyRule{
		"landbridge:owner:view landbridge.io/aggregate-to-view": {{
			APIGroups: []string{group},
			Resources: []string{"clusterproviderconfigs", "formers", "providerconfigs", "things"}, Verbs: read,
		}},
		"landbridge:owner:edit landbridge.io/aggregate-to-edit": {{
			APIGroups: []string{group}, Resources: []string{"formers", "things"}, Verbs: write,
		}},
		"landbridge:owner:approve landbridge.io/aggregate-to-approve": {{
			APIGroups: []string{group}, Resources: []string{"formers", "things"}, Verbs: []string{"approve"},
		}},
		"landbridge:owner:configure landbridge.io/aggregate-to-configure": {
			{APIGroups: []string{group}, Resources: []string{"providerconfigs"}, Verbs: write},
		},
		"landbridge:owner:admin landbridge.io/aggregate-to-admin": {{
			APIGroups: []string{group}, Resources: []string{"clusterproviderconfigs"}, Verbs: write,
		}},
		"landbridge:owner:controller landbridge.io/aggregate-to-controller": {{APIGroups: []string{group}, Resources: []string{
			"clusterproviderconfigs", "formers", "providerconfigs", "things",
			"clusterproviderconfigs/status", "clusterproviderconfigs/finalizers", "formers/status", "formers/finalizers",
			"providerconfigs/status", "providerconfigs/finalizers", "things/status", "things/finalizers",
		}, Verbs: control}},
	}
	for _, again := range [][]kschema.GroupResource{nil, all} {
		if diff := cmp.Diff(want, permissions(t, kube)); diff != "" {
			t.Errorf("with more resources (-want +got):\n%s", diff)
		}
		if err := rt.EnsureRoles(t.Context(), "owner", again...); err != nil {
			t.Fatal(err)
		}
	}
	if err := rt.EnsureRoles(t.Context(), "owner",
		append(all, kschema.GroupResource{Group: "action." + group, Resource: "backups"})...); err != nil {
		t.Fatal(err)
	}
	ofActions := map[string][]string{}
	for role, rules := range permissions(t, kube) {
		for _, r := range rules {
			if r.APIGroups[0] == "action."+group {
				ofActions[strings.Fields(role)[0]] = append(ofActions[strings.Fields(role)[0]], r.Verbs...)
			}
		}
	}
	if diff := cmp.Diff(map[string][]string{
		"landbridge:owner:view": read, "landbridge:owner:approve": {"approve"}, "landbridge:owner:invoke": append(slices.Clone(write), "invoke"),
		"landbridge:owner:controller": append([]string{"create", "delete"}, control...),
	}, ofActions); diff != "" {
		t.Errorf("for actions (-want +got):\n%s", diff)
	}
	if err := rt.RemoveRoles(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	if left := permissions(t, kube); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A controller that may not write roles leaves them to others; other failures are errors.
func TestRolesWithoutPermission(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refusal error
		fails   bool
	}{
		"forbidden": {refusal: kerrors.NewForbidden(kschema.GroupResource{Resource: "clusterroles"}, "x", errors.New("no"))},
		"failing":   {refusal: errors.New("no answer"), fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rt, kube := withRoles(t)
			kube.PrependReactor("*", "clusterroles", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.refusal })
			if err := errors.Join(rt.EnsureRoles(t.Context(), "owner"), rt.RemoveRoles(t.Context(), "owner")); (err != nil) != test.fails {
				t.Errorf("error: %v", err)
			}
		})
	}
}
