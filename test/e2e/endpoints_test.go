package e2e_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// A replica reports whether it can work, and its metrics are for those who may read them.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	server := playgroundtest.New(t, playgroundtest.Options{})
	c := on(t, server)
	metrics, health := clustertest.FreeAddress(t), clustertest.FreeAddress(t)
	flags := []string{"--provider-cache", filepath.Join(directory(t), "cache"), "--metrics-address", metrics, "--health-address", health}
	web := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // the certificate is self-signed
	get := func(ctx context.Context, url, token string) (status int, body string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := web.Do(r)
		if err != nil {
			return 0, ""
		}
		defer answer.Body.Close()
		content, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(content)
	}
	ready := func(t *testing.T, leadership string) {
		t.Helper()
		eventually(t, "it is ready", func(ctx context.Context) bool {
			status, body := get(ctx, "http://"+health+"/readyz?verbose", "")
			return status == http.StatusOK && clustertest.ContainsAll(body, "[+] API server", "[+] caches",
				leadership, "[+] kinds", "[+] providers: 0 running")
		})
	}
	t.Run("without leader election", func(t *testing.T) {
		c.RunProgram(t, poll, flags...)
		ready(t, "without leader election")
	})

	// The lease is longer than the test, so that the replica lives without the API server.
	p := c.StartProgram(t, poll, append(flags, "--leader-elect", "--lease-duration", "1h")...)
	defer p.Kill(t)
	ready(t, "this replica leads")

	kube, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "metrics"},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}},
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "metrics"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "metrics"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: system, Name: "landbridge"}},
	}
	if _, err := kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	answer, err := kube.CoreV1().ServiceAccounts(system).
		CreateToken(t.Context(), "landbridge", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "whoever may reads metrics", func(ctx context.Context) bool {
		status, body := get(ctx, "https://"+metrics+"/metrics", answer.Status.Token)
		return status == http.StatusOK && clustertest.ContainsAll(body, "controller_runtime_reconcile_total",
			`leader_election_master_status{name="landbridge.landbridge.io"} 1`) // an alert of the chart asks for this name
	})
	if status, body := get(t.Context(), "https://"+metrics+"/metrics", ""); status != http.StatusUnauthorized {
		t.Errorf("an anonymous request gets status %d: %s", status, body)
	}

	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is not ready", func(ctx context.Context) bool {
		status, body := get(ctx, "http://"+health+"/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "[-] API server: it does not answer")
	})
	if status, _ := get(t.Context(), "http://"+health+"/healthz", ""); status != http.StatusOK {
		t.Errorf("it is not alive any more: %d", status)
	}
}
