package chart_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/program"
	"github.com/landbridge-io/landbridge/tools/release/chart"
)

// others are groups of kinds that neither this API server nor Kubernetes' Go types have.
var others = []string{"monitoring.coreos.com", "cert-manager.io"}

// Every combination of values renders to objects that Kubernetes' types and the API server accept,
// and to pods that may run in namespaces with the restricted standard.
func TestCombinations(t *testing.T) {
	t.Parallel()
	c := clustertest.Start(t, playgroundtest.Options{}, "")
	loaded := load(t)
	install(t, c, loaded, "landbridge-system", "team", "other")
	judged := map[string]error{} // by text
	all := combinations()
	for _, name := range names(all) {
		rendered.Add(1)
		r, err := chart.Render(loaded, chart.Namespace, all[name])
		if err != nil {
			failed.Add(1)
			t.Errorf("%s: %v", name, err)
			continue
		}
		wrong := false
		for _, m := range r.Manifests {
			err, known := judged[m.Text]
			if !known {
				err = judge(t, c, m.Object)
				judged[m.Text] = err
			}
			if err != nil {
				wrong = true
				t.Errorf("%s: %s: %v\n%s", name, m.Template, err, m.Text)
			}
		}
		if wrong {
			failed.Add(1)
			t.FailNow() // the others would repeat it
		}
		applied.Add(1)
	}
	if len(judged) < 100 {
		t.Errorf("only %d different objects were rendered", len(judged))
	}
}

// judge returns what is wrong with an object.
func judge(t *testing.T, c *clustertest.Cluster, u *unstructured.Unstructured) error {
	t.Helper()
	typed, err := decode(u)
	if err != nil {
		return err
	}
	switch o := typed.(type) {
	case *appsv1.Deployment:
		check := deployable
		if o.Name == "landbridge-ui" {
			check = powerless
		}
		if err := check(o); err != nil {
			return err
		}
	case *batchv1.Job:
		if err := restricted(&o.Spec.Template); err != nil {
			return err
		}
	}
	if !served(t, c, u) {
		return nil
	}
	return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.DryRunAll,
		client.FieldOwner("helm"), client.ForceOwnership)
}

// decode reads an object into its Go type; unknown fields are an error. It returns nil for the
// kinds of others, and of Landbridge itself, whose schema the API server has.
func decode(u *unstructured.Unstructured) (runtime.Object, error) {
	group := u.GroupVersionKind().Group
	if slices.Contains(others, group) || group == "landbridge.io" {
		return nil, nil
	}
	raw, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, clientgoscheme.Scheme, clientgoscheme.Scheme,
		json.SerializerOptions{Strict: true})
	o, _, err := decoder.Decode(raw, nil, nil)
	return o, err
}

// served reports whether the API server has the kind of the object.
func served(t *testing.T, c *clustertest.Cluster, u *unstructured.Unstructured) bool {
	t.Helper()
	k := u.GroupVersionKind()
	_, err := c.RESTMapper().RESTMapping(k.GroupKind(), k.Version)
	if err != nil && k.Group == "landbridge.io" {
		t.Fatal(err)
	}
	return err == nil
}

// deployable returns what is wrong with a Deployment of controllers.
func deployable(d *appsv1.Deployment) error {
	if err := restricted(&d.Spec.Template); err != nil {
		return err
	}
	pod := d.Spec.Template.Spec
	main := pod.Containers[0]
	// The program itself parses the flags.
	command := program.Controller{Name: "controller"}.Command()
	if err := command.ParseFlags(main.Args[1:]); err != nil {
		return fmt.Errorf("the flags: %w", err)
	}
	grace, err := command.Flags().GetDuration("grace-period")
	if err != nil {
		return err
	}
	// The manager waits 10 seconds longer than for operations.
	if have := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; have <= grace+10*time.Second {
		return fmt.Errorf("the pod ends after %s, and operations have %s", have, grace)
	}
	return mounts(pod)
}

// powerless returns what is wrong with the Deployment of the page, which has no permissions.
func powerless(d *appsv1.Deployment) error {
	pod := d.Spec.Template.Spec
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || pod.ServiceAccountName != "landbridge-ui" {
		return errors.New("the page has a token")
	}
	return errors.Join(restricted(&d.Spec.Template), mounts(pod))
}

// mounts returns what is wrong with the volumes of a pod.
func mounts(pod corev1.PodSpec) error {
	mounted := map[string]bool{}
	for _, m := range pod.Containers[0].VolumeMounts {
		mounted[m.Name] = true
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if v.VolumeSource == (corev1.VolumeSource{}) {
			return fmt.Errorf("the volume %s has no source", v.Name)
		}
	}
	if diff := cmp.Diff(volumes, mounted); diff != "" {
		return fmt.Errorf("volumes and mounts differ (-volumes +mounts):\n%s", diff)
	}
	return nil
}

// restricted returns an error if pods of a template may not run in a namespace with the restricted
// standard.
func restricted(template *corev1.PodTemplateSpec) error {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(api.LevelVersion{
		Level: api.LevelRestricted, Version: api.LatestVersion(),
	}, &template.ObjectMeta, &template.Spec))
	if !result.Allowed {
		return fmt.Errorf("not allowed by the restricted standard: %s", result.ForbiddenDetail())
	}
	for _, c := range template.Spec.Containers {
		if c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
			return fmt.Errorf("the container %s can write to its root file system", c.Name)
		}
	}
	return nil
}

// What the chart must refuse, before anything reaches a cluster.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values object
		want   string
	}{
		"a misspelled value":          {object{"replica": 2}, "replica"},
		"a misspelled nested value":   {object{"metrics": object{"enable": true}}, "enable"},
		"a flag with its own value":   {object{"flags": object{"grace-period": "1m"}}, "grace-period"},
		"a flag with dashes":          {object{"flags": object{"--poll": "1m"}}, "--poll"},
		"a grace period with a unit":  {object{"gracePeriodSeconds": "25s"}, "gracePeriodSeconds"},
		"a provider without a source": {object{"providers": object{"random": object{}}}, "source"},
		"a misspelled field": {
			object{
				"providers": object{"hcloud": object{"source": "hetznercloud/hcloud", "verison": "~> 1.69"}},
			}, "verison",
		},
		"a misspelled nested field": {
			object{
				"providers": object{"hcloud": object{"source": "hetznercloud/hcloud", "limits": object{"brust": 1}}},
			}, "brust",
		},
		"a field of another type": {
			object{
				"providers": object{"hcloud": object{"source": "hetznercloud/hcloud", "activate": "hcloud_*"}},
			}, "activate",
		},
		"no such choice": {
			object{
				"providers": object{"hcloud": object{"source": "hetznercloud/hcloud", "updatePolicy": "Major"}},
			}, "updatePolicy",
		},
		"a provider's name": {object{"providers": object{"Random": object{"source": "hashicorp/random"}}}, "Random"},
		"another kind as configuration": {
			object{
				"configurations": []any{object{"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": "x"}}},
			}, "configurations",
		},
		"two sources of a mirror":   {object{"providerMirror": object{"emptyDir": object{}, "hostPath": object{}}}, "providerMirror"},
		"an address with a path":    {object{"ui": object{"urls": []any{"https://example.com/landbridge"}}}, "urls"},
		"a page without an address": {object{"ui": object{"urls": []any{}}}, "urls"},
		"a tag as digest":           {object{"image": object{"digest": "v1"}}, "digest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := chart.Render(load(t), chart.Namespace, test.values)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Render returned %v, want an error about %s", err, test.want)
			}
		})
	}
}

// The permissions in deploy/rbac are those that all other tests run controllers with.
func TestSamePermissions(t *testing.T) {
	t.Parallel()
	want := map[string]object{}
	for _, file := range []string{"controller.yaml", "all-namespaces.yaml", "roles.yaml", "approval.yaml", "deletion.yaml"} {
		for _, u := range clustertest.Manifests(t, filepath.Join(root(t), "deploy", "rbac", file)) {
			if u.GetKind() != "Namespace" {
				want[u.GetKind()+" "+u.GetName()] = bare(u)
			}
		}
	}
	got := map[string]object{}
	for _, m := range render(t, nil).Manifests {
		if slices.Contains([]string{"rbac.yaml", "roles.yaml", "approval.yaml", "deletion.yaml", "serviceaccount.yaml"}, m.Template) {
			got[m.Object.GetKind()+" "+m.Object.GetName()] = bare(m.Object)
		}
	}
	if len(want) < 10 {
		t.Fatalf("deploy/rbac has only %d objects", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the chart differs from deploy/rbac (-deploy/rbac +chart):\n%s", diff)
	}
}

// bare returns an object without the labels of the chart.
func bare(u *unstructured.Unstructured) object {
	u = u.DeepCopy()
	labels := u.GetLabels()
	maps.DeleteFunc(labels, func(name, _ string) bool {
		return strings.HasPrefix(name, "app.kubernetes.io/") || strings.HasPrefix(name, "helm.sh/")
	})
	u.SetLabels(labels)
	if len(labels) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "labels")
	}
	return u.Object
}

// The page has no permissions: no role is bound to its ServiceAccount, its pods are not those of
// the controller's Service and selector, and its program knows the flags.
func TestUI(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]object{
		"defaults": {"enabled": true},
		"everything": {
			"enabled": true, "urls": []any{"https://landbridge.example.com"}, "namespaces": []any{"team-a", "team-b"},
			"certificates": object{"secretName": "tls"},
		},
		"not switched": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var page *appsv1.Deployment
			for _, m := range render(t, object{"ui": values}).Manifests {
				if strings.HasSuffix(m.Object.GetKind(), "Binding") && strings.Contains(m.Text, "landbridge-ui") {
					t.Errorf("a role is bound to the page:\n%s", m.Text)
				}
				o, err := decode(m.Object)
				if err != nil {
					t.Fatal(err)
				}
				if d, ok := o.(*appsv1.Deployment); ok && d.Name == "landbridge-ui" {
					page = d
				}
				if s, ok := o.(*corev1.Service); ok && s.Name == "landbridge-metrics" && s.Spec.Selector["app.kubernetes.io/name"] != "landbridge" {
					t.Errorf("the Service of metrics selects %v", s.Spec.Selector)
				}
			}
			if (page != nil) != (len(values) > 0) {
				t.Fatalf("the page is there: %t", page != nil)
			}
			if page == nil {
				return
			}
			if err := powerless(page); err != nil {
				t.Error(err)
			}
			if got := page.Spec.Template.Labels["app.kubernetes.io/name"]; got != "landbridge-ui" {
				t.Errorf("the page's pods are named %s", got)
			}
			landbridge, err := testbin.Build(t.Context(), testbin.Landbridge)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), landbridge,
				append(page.Spec.Template.Spec.Containers[0].Args, "--help")...).CombinedOutput(); err != nil {
				t.Errorf("the program does not know the flags: %v\n%s", err, out)
			}
		})
	}
}

// With some namespaces only, the controller's Secrets are those of these namespaces and of its own.
func TestSecretsOfSomeNamespaces(t *testing.T) {
	t.Parallel()
	bound := []string{}
	for _, m := range render(t, object{"rbac": object{"secretNamespaces": []any{"team"}}}).Manifests {
		name := m.Object.GetKind() + " " + m.Object.GetName()
		switch {
		case name == "ClusterRole landbridge-controller" && strings.Contains(m.Text, "secrets"), name == "ClusterRoleBinding landbridge-secrets":
			t.Errorf("the controller may use all Secrets:\n%s", m.Text)
		case name == "RoleBinding landbridge-secrets":
			bound = append(bound, m.Object.GetNamespace())
		}
	}
	if diff := cmp.Diff([]string{"team"}, bound); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}

// Only those whom the values name may read the controller's log, and only in its namespace.
func TestLogReaders(t *testing.T) {
	t.Parallel()
	readers := []any{object{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "operators"}}
	for name, test := range map[string]struct {
		rbac object
		want []string
	}{
		"nobody":        {object{}, nil},
		"a group":       {object{"logReaders": readers}, []string{"landbridge-logs", "landbridge-replicas"}},
		"without roles": {object{"logReaders": readers, "userRoles": false}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bound []string
			for _, m := range render(t, object{"rbac": test.rbac}).Manifests {
				if m.Template != "roles.yaml" || m.Object.GetKind() != "RoleBinding" {
					continue
				}
				bound = append(bound, m.Object.GetName())
				role, _, _ := unstructured.NestedString(m.Object.Object, "roleRef", "name")
				subjects, _, _ := unstructured.NestedSlice(m.Object.Object, "subjects")
				if role != m.Object.GetName() || m.Object.GetNamespace() != chart.Namespace || !cmp.Equal(readers, subjects) {
					t.Errorf("the RoleBinding is\n%s", m.Text)
				}
			}
			if diff := cmp.Diff(test.want, bound); diff != "" {
				t.Errorf("RoleBindings (-want +got):\n%s", diff)
			}
		})
	}
}

// deploy/install.yaml, the definitions in the chart and the schema of its values are made by `make
// manifests`.
func TestManifestsAreCurrent(t *testing.T) {
	t.Parallel()
	want, err := chart.Plain(load(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root(t), "deploy", "install.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error("deploy/install.yaml differs from the chart; run make manifests")
	}
	loaded := load(t)
	schema, err := chart.Schema(loaded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(schema), string(loaded.Schema)); diff != "" {
		t.Errorf("values.schema.json differs from the definition of TerraformProviders; run make manifests:\n%s", diff)
	}
}

// The notes name commands for the next step, and what uninstalling leaves alone.
func TestNotes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values object
		want   []string
	}{
		"without providers": {
			nil, []string{
				"kubectl apply -f -", "rollout status deployment/landbridge",
				"remote objects, resources, TerraformProviders and\nstored states stay",
			},
		},
		"with providers": {
			object{"providers": object{"random": object{"source": "hashicorp/random"}}}, []string{
				"kubectl api-resources --categories managed",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if notes := render(t, test.values).Notes; !clustertest.ContainsAll(notes, test.want...) {
				t.Errorf("the notes lack one of %q:\n%s", test.want, notes)
			}
		})
	}
}
