package e2e_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// Pausing, and releasing the brake, are rights of their own: no role for resources has them, and
// each Role has only its own.
func TestRightsOfAdministrators(t *testing.T) {
	c := shared(t)
	ns := c.Namespace(t)
	// user returns the client of a user with ClusterRoles in the whole cluster but for Landbridge's
	// namespace, and a Role there.
	user := func(name, role string, roles ...string) client.Client {
		subject := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}}
		for _, r := range roles {
			b := &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name + "-" + r}, Subjects: subject,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r},
			}
			if err := c.Create(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			all := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: ns + "-" + name + "-" + r}, Subjects: subject, RoleRef: b.RoleRef}
			if err := c.Create(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Delete(t.Context(), all) })
		}
		if role != "" {
			b := &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: ns + "-" + name},
				Subjects:   subject, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
			}
			if err := c.Create(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Delete(t.Context(), b) })
		}
		config := rest.CopyConfig(c.Config)
		config.Impersonate = rest.ImpersonationConfig{UserName: name}
		out, err := client.New(config, client.Options{Scheme: c.Scheme()})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, test := range map[string]struct {
		as             client.Client
		pause, release bool
	}{
		"edit":     {as: user("rights-edit", "", "landbridge-edit", "landbridge-configure", "landbridge-approve")},
		"admin":    {as: user("rights-admin", "", "landbridge-admin")},
		"pauser":   {as: user("rights-pauser", "landbridge-pause"), pause: true},
		"releaser": {as: user("rights-releaser", "landbridge-release-brake"), release: true},
		"logs":     {as: user("rights-logs", "landbridge-logs", "landbridge-view")},
		"replicas": {as: user("rights-replicas", "landbridge-replicas")},
	} {
		t.Run(name, func(t *testing.T) {
			for config, may := range map[string]bool{halt.PauseConfigMap: test.pause, halt.BrakeConfigMap: test.release} {
				patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"tried":"by-`+name+`"}}}`))
				m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: config}}
				err := test.as.Patch(t.Context(), m, patch, client.DryRunAll)
				if may && err != nil || !may && !kerrors.IsForbidden(err) {
					t.Errorf("%s: %v", config, err)
				}
				if err := test.as.Delete(t.Context(), m, client.DryRunAll); !kerrors.IsForbidden(err) {
					t.Errorf("deleting %s: %v", config, err)
				}
			}
		})
	}
}
