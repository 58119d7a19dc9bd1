package conformance_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// TestKubernetes manages objects of a real system, another API server, by a released provider that publishes no
// identities: namespaces, config maps, secrets, roles and service accounts. Its protocol 5 server cannot be linked, since
// it is of the first version of the plugin SDK.
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
	p := object("landbridge.io/v1alpha1", "TerraformProvider", "", name, m{
		"source": "hashicorp/kubernetes", "group": name + ".landbridge.io", "execution": s.way,
		"activate":       []any{"kubernetes_namespace", "kubernetes_config_map", "kubernetes_secret", "kubernetes_role", "kubernetes_service_account"},
		"providerConfig": m{"fields": m{"client_key": m{"sensitive": true}}},
	})
	s.MustCreate(t, p)
	s.executed(t, p, s.way)
	s.secret(t, "credentials", map[string]string{"key": string(s.server.Config.KeyData)})
	config := object(s.group, "ClusterProviderConfig", "", "default", m{
		"host": s.server.Config.Host, "loadConfigFile": false,
		"clusterCaCertificate": string(s.server.Config.CAData), "clientCertificate": string(s.server.Config.CertData),
		"clientKeySecretRef": m{"name": "credentials", "namespace": s.local, "key": "key"},
	})
	s.MustCreate(t, config)

	namespace := s.make(t, "Namespace", "shop", m{"metadata": m{"name": s.namespace, "labels": m{"team": "a"}}})
	s.configMaps(t)
	s.secrets(t)
	s.permissions(t)
	s.Remove(t, namespace)
	eventually(t, "the namespace is deleted", func(ctx context.Context) bool {
		ns, err := s.remote.CoreV1().Namespaces().Get(ctx, s.namespace, metav1.GetOptions{})
		return kerrors.IsNotFound(err) || err == nil && ns.DeletionTimestamp != nil // nothing finalizes namespaces there
	})
	s.Remove(t, p)
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

// configMaps creates, updates, repairs, replaces, imports and deletes config maps.
func (s system) configMaps(t *testing.T) {
	t.Helper()
	api := s.remote.CoreV1().ConfigMaps(s.namespace)
	has := func(what, name string, data map[string]string) {
		t.Helper()
		eventually(t, what, func(ctx context.Context) bool {
			got, err := api.Get(ctx, name, metav1.GetOptions{})
			return err == nil && maps.Equal(got.Data, data)
		})
	}
	u := s.make(t, "ConfigMap", "settings", m{"metadata": s.meta("settings"), "data": m{"colour": "red"}})
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
	if now, err := api.Get(t.Context(), "existing", metav1.GetOptions{}); err != nil || now.UID != made.UID || now.ResourceVersion != made.ResourceVersion {
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

// permissions has nested blocks, and a service account, whose create waits for its token. Clusters since 1.24 make none
// by themselves.
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

var eventually = clustertest.Eventually
