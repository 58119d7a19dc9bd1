package clustertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// serviceAccount is the user that deploy/rbac/controller.yaml is for, and groups are its groups.
const serviceAccount = "system:serviceaccount:" + System + ":landbridge"

var groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + System, "system:authenticated"}

// restricted returns a configuration of a client with the permissions in deploy/rbac, which are
// created if necessary.
func (c *Cluster) restricted(ctx context.Context) (*rest.Config, error) {
	if err := c.Permit(ctx); err != nil {
		return nil, err
	}
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: serviceAccount, Groups: groups}
	return config, nil
}

// restrictedKubeconfig returns the path of a kubeconfig with the permissions in deploy/rbac.
func (c *Cluster) restrictedKubeconfig(tb testing.TB) string {
	tb.Helper()
	if err := c.Permit(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(c.Kubeconfig)
	if err != nil {
		tb.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.Impersonate, user.ImpersonateGroups = serviceAccount, groups
	}
	path := filepath.Join(tb.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Permit creates the objects in deploy/rbac that do not exist.
func (c *Cluster) Permit(ctx context.Context) error {
	root, err := testbin.Root()
	if err != nil {
		return err
	}
	create := func(name, namespace string) error {
		return c.createAll(ctx, filepath.Join(root, "deploy", "rbac", name), namespace)
	}
	for _, name := range []string{"controller.yaml", "roles.yaml", "approval.yaml", "deletion.yaml"} {
		if err := create(name, ""); err != nil {
			return err
		}
	}
	if !c.Bounded {
		if err := create("mutations.yaml", ""); err != nil {
			return err
		}
	}
	if c.Served == nil {
		return create("all-namespaces.yaml", "")
	}
	for _, namespace := range c.Served {
		if err := create("one-namespace.yaml", namespace); err != nil {
			return err
		}
	}
	return nil
}

// As returns a configuration of a client of a user who has ClusterRoles in a namespace.
func (c *Cluster) As(tb testing.TB, user, namespace string, roles ...string) *rest.Config {
	tb.Helper()
	for _, role := range roles {
		err := c.Create(tb.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user + "-" + role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	return config
}

// createAll creates the objects of a file that do not exist. namespace, unless it is empty, is that
// of all.
func (c *Cluster) createAll(ctx context.Context, path, namespace string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if namespace != "" {
			u.SetNamespace(namespace)
		}
		if err := widen(u); err != nil {
			return err
		}
		if err := c.Create(ctx, u); err != nil && !kerrors.IsAlreadyExists(err) {
			return err
		}
	}
}

// widen lets the controller define kinds in groups below example.org, as an administrator would
// whose TerraformProviders have them, and have the API server ask for plans at this machine. It
// changes the policy for the controller alone.
func widen(u *unstructured.Unstructured) error {
	if u.GetKind() != "ValidatingAdmissionPolicy" || u.GetName() != "landbridge-controller" {
		return nil
	}
	expressions := map[string]string{
		"groups": `["landbridge.io", "example.org"]`,
		"urls":   `["https://localhost:", "https://127.0.0.1:"]`,
	}
	all, _, err := unstructured.NestedSlice(u.Object, "spec", "variables")
	if err != nil {
		return err
	}
	for _, variable := range all {
		v, ok := variable.(map[string]any)
		if !ok {
			continue
		}
		if name, _ := v["name"].(string); expressions[name] != "" {
			v["expression"] = expressions[name]
			delete(expressions, name)
		}
	}
	if len(expressions) > 0 {
		return fmt.Errorf("the policy %s has no variables %v", u.GetName(), slices.Sorted(maps.Keys(expressions)))
	}
	return unstructured.SetNestedSlice(u.Object, all, "spec", "variables")
}
