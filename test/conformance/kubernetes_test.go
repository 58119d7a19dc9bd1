package conformance_test

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// TestKubernetes manages objects of a real system, another API server, by a released provider that
// publishes no identities: namespaces, config maps, secrets, roles and service accounts. Its
// protocol 5 server cannot be linked, since it is of the first version of the plugin SDK.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	c := shared(t)
	server := playgroundtest.New(t, playgroundtest.Options{})
	remote, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"Plugin", "CLI"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			system{cluster: c, server: server, remote: remote, way: way}.test(t)
		})
	}
}

// system is the API server that the provider manages.
type system struct {
	*cluster
	server *playgroundtest.Server
	remote kubernetes.Interface
	way    string

	group     string
	local     string // the namespace of resources
	namespace string // the remote one
}

func (s system) test(t *testing.T) {
	t.Helper()
	name := "kubernetes-" + strings.ToLower(s.way)
	s.group, s.local, s.namespace = name+".landbridge.io/v1alpha1", s.Namespace(t), "shop-"+strings.ToLower(s.way)
	p, token, config, namespace, settings := s.example(t, name)
	s.MustCreate(t, p)
	s.executed(t, p, s.way)
	for _, u := range []*unstructured.Unstructured{token, config, namespace, settings} {
		s.MustCreate(t, u)
	}
	s.WaitReady(t, namespace)
	s.WaitReady(t, settings)
	s.configMaps(t, settings)
	s.secrets(t)
	s.permissions(t)
	s.Remove(t, namespace)
	eventually(t, "the namespace is deleted", func(ctx context.Context) bool {
		ns, err := s.remote.CoreV1().Namespaces().Get(ctx, s.namespace, metav1.GetOptions{})
		return kerrors.IsNotFound(err) || err == nil && ns.DeletionTimestamp != nil // nothing finalizes namespaces there
	})
	s.Remove(t, p)
}

// example returns the objects of examples/kubernetes.yaml, for a provider of that name.
func (s system) example(t *testing.T, name string) (p, token, config, namespace, settings *unstructured.Unstructured) {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	all := clustertest.Manifests(t, filepath.Join(root, "examples", "kubernetes.yaml"))
	if len(all) != 5 {
		t.Fatalf("%d objects in the example", len(all))
	}
	p, token, config, namespace, settings = all[0], all[1], all[2], all[3], all[4]
	set := func(u *unstructured.Unstructured, value any, path ...string) {
		t.Helper()
		if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
			t.Fatal(err)
		}
	}
	p.SetName(name)
	set(p, name+".landbridge.io", "spec", "group")
	set(p, s.way, "spec", "execution")
	token.SetNamespace(s.local)
	set(token, s.token(t), "stringData", "token")
	set(config, s.local, "spec", "tokenSecretRef", "namespace")
	set(config, s.server.Config.Host, "spec", "host")
	set(config, string(s.server.Config.CAData), "spec", "clusterCaCertificate")
	set(namespace, s.namespace, "spec", "forProvider", "metadata", "name")
	set(settings, s.namespace, "spec", "forProvider", "metadata", "namespace")
	for _, u := range []*unstructured.Unstructured{config, namespace, settings} {
		u.SetAPIVersion(s.group)
	}
	namespace.SetNamespace(s.local)
	settings.SetNamespace(s.local)
	return p, token, config, namespace, settings
}

// token returns a token of an account of the remote system that may do everything.
func (s system) token(t *testing.T) string {
	t.Helper()
	name := "landbridge-" + strings.ToLower(s.way)
	account := &corev1.ServiceAccount{}
	account.Name = name
	if _, err := s.remote.CoreV1().ServiceAccounts("default").Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: "default"}},
	}
	binding.Name = name
	if _, err := s.remote.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := s.remote.CoreV1().ServiceAccounts("default").
		CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Status.Token
}

// make creates a resource, and waits until it is ready.
func (s system) make(t *testing.T, kind, name string, arguments m) *unstructured.Unstructured {
	t.Helper()
	u := object(s.group, kind, s.local, name, m{"forProvider": arguments})
	s.MustCreate(t, u)
	s.WaitReady(t, u)
	return u
}

// secret creates a Secret that resources refer to.
func (s system) secret(t *testing.T, name string, data map[string]string) {
	t.Helper()
	secret := &corev1.Secret{StringData: data}
	secret.Namespace, secret.Name = s.local, name
	if err := s.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
}

func (s system) meta(name string) m { return m{"name": name, "namespace": s.namespace} }

// configMaps updates, repairs, replaces and deletes the config map of a resource, and imports
// another one.
func (s system) configMaps(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	api := s.remote.CoreV1().ConfigMaps(s.namespace)
	has := func(what, name string, data map[string]string) {
		t.Helper()
		eventually(t, what, func(ctx context.Context) bool {
			got, err := api.Get(ctx, name, metav1.GetOptions{})
			return err == nil && maps.Equal(got.Data, data)
		})
	}
	has("created", "settings", map[string]string{"colour": "red"})
	if got := u.GetAnnotations()["crossplane.io/external-name"]; got != s.namespace+"/settings" {
		t.Errorf("the external name is %q", got)
	}

	s.MustPatch(t, u, `{"spec":{"forProvider":{"data":{"colour":"blue","size":"2"}}}}`)
	has("updated", "settings", map[string]string{"colour": "blue", "size": "2"})

	drifted, err := api.Get(t.Context(), "settings", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	drifted.Data["colour"] = "green"
	if _, err := api.Update(t.Context(), drifted, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	has("repaired", "settings", map[string]string{"colour": "blue", "size": "2"})
	if err := api.Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	has("made again", "settings", map[string]string{"colour": "blue", "size": "2"})

	s.MustPatch(t, u, `{"spec":{"forProvider":{"metadata":{"name":"replaced"}}}}`)
	has("replaced", "replaced", map[string]string{"colour": "blue", "size": "2"})
	eventually(t, "the former one is deleted", func(ctx context.Context) bool {
		_, err := api.Get(ctx, "settings", metav1.GetOptions{})
		return kerrors.IsNotFound(err)
	})
	s.WaitReady(t, u)

	existing := &corev1.ConfigMap{Data: map[string]string{"made": "elsewhere"}}
	existing.Name = "existing"
	made, err := api.Create(t.Context(), existing, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	imported := object(s.group, "ConfigMap", s.local, "imported", m{
		"forProvider": m{"metadata": s.meta("existing"), "data": m{"made": "elsewhere"}}, "import": m{"id": s.namespace + "/existing"},
	})
	s.MustCreate(t, imported)
	s.WaitReady(t, imported)
	if now, err := api.Get(t.Context(), "existing", metav1.GetOptions{}); err != nil || now.UID != made.UID ||
		now.ResourceVersion != made.ResourceVersion {
		t.Errorf("the import changed the object: %v, %v", now, err)
	}
	for _, u := range []*unstructured.Unstructured{u, imported} {
		s.Remove(t, u)
	}
	if left, err := api.List(t.Context(), metav1.ListOptions{}); err != nil || len(left.Items) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// secrets has a sensitive map, which comes from a Secret here and arrives in one there.
func (s system) secrets(t *testing.T) {
	t.Helper()
	s.secret(t, "given", map[string]string{"data": `{"password":"hunter2"}`})
	u := s.make(t, "Secret", "login", m{"metadata": s.meta("login"), "dataSecretRef": m{"name": "given", "key": "data"}})
	got, err := s.remote.CoreV1().Secrets(s.namespace).Get(t.Context(), "login", metav1.GetOptions{})
	if err != nil || string(got.Data["password"]) != "hunter2" {
		t.Errorf("created with %d keys, %v", len(got.Data), err)
	}
	s.MustGet(t, u)
	for _, part := range []string{"spec", "status"} {
		if raw := text(u, part); strings.Contains(raw, "hunter2") {
			t.Errorf("%s shows the secret", part)
		}
	}
	s.Remove(t, u)
}

// permissions has nested blocks, and a service account, whose create waits for its token. Clusters
// since 1.24 make none by themselves.
func (s system) permissions(t *testing.T) {
	t.Helper()
	role := s.make(t, "Role", "reader", m{"metadata": s.meta("reader"), "rule": []any{
		m{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{"get", "list"}},
	}})
	s.MustPatch(t, role, `{"spec":{"forProvider":{"rule":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}]}}}`)
	eventually(t, "the role is updated", func(ctx context.Context) bool {
		got, err := s.remote.RbacV1().Roles(s.namespace).Get(ctx, "reader", metav1.GetOptions{})
		return err == nil && len(got.Rules) == 1 && len(got.Rules[0].Verbs) == 1
	})

	account := object(s.group, "ServiceAccount", s.local, "robot", m{"forProvider": m{"metadata": s.meta("robot")}})
	s.MustCreate(t, account)
	accounts := s.remote.CoreV1().ServiceAccounts(s.namespace)
	token := &corev1.Secret{Type: corev1.SecretTypeServiceAccountToken}
	token.Name, token.Annotations = "robot-token-x", map[string]string{corev1.ServiceAccountNameKey: "robot"}
	if _, err := s.remote.CoreV1().Secrets(s.namespace).Create(t.Context(), token, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the account has a token", func(ctx context.Context) bool {
		robot, err := accounts.Get(ctx, "robot", metav1.GetOptions{})
		if err != nil {
			return false
		}
		robot.Secrets = []corev1.ObjectReference{{Name: token.Name}}
		_, err = accounts.Update(ctx, robot, metav1.UpdateOptions{})
		return err == nil
	})
	s.WaitReady(t, account)
	for _, u := range []*unstructured.Unstructured{account, role} {
		s.Remove(t, u)
	}
}

var eventually = waittest.Eventually
