package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// Metrics are for those whom the API server knows and permits it.
func TestMetricsNeedPermission(t *testing.T) {
	t.Parallel()
	server := playgroundtest.Start(t)
	kube, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	ns := server.Namespace(t)
	token := func(name string) string {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := kube.CoreV1().ServiceAccounts(ns).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		answer, err := kube.CoreV1().ServiceAccounts(ns).CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status.Token
	}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: ns + "-metrics"},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}},
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: ns + "-metrics"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ns, Name: "permitted"}},
	}
	if _, err := kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	httpClient, err := rest.HTTPClientFor(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := controller.GuardMetrics(server.Config, httpClient)
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "metrics") }))
	if err != nil {
		t.Fatal(err)
	}
	permitted, other := token("permitted"), token("other")
	get := func(ctx context.Context, authorization, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, r)
		return w
	}
	waittest.Eventually(t, "the API server knows the users and their permissions", func(ctx context.Context) bool {
		return get(ctx, "Bearer "+permitted, "/metrics").Code == http.StatusOK &&
			get(ctx, "Bearer "+other, "/metrics").Code == http.StatusForbidden
	})
	for name, test := range map[string]struct {
		authorization, path string
		status              int
	}{
		"nobody":         {"", "/metrics", http.StatusUnauthorized},
		"a password":     {"Basic YTpi", "/metrics", http.StatusUnauthorized},
		"a forged token": {"Bearer " + permitted[:len(permitted)-8] + "AAAAAAAA", "/metrics", http.StatusUnauthorized},
		"another user":   {"Bearer " + other, "/metrics", http.StatusForbidden},
		"permitted":      {"Bearer " + permitted, "/metrics", http.StatusOK},
		"another path":   {"Bearer " + permitted, "/debug", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time, a permission is remembered
				w := get(t.Context(), test.authorization, test.path)
				if w.Code != test.status || (w.Body.String() == "metrics") != (test.status == http.StatusOK) {
					t.Errorf("status %d, want %d: %s", w.Code, test.status, w.Body)
				}
			}
		})
	}
}
