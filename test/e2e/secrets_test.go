package e2e_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

func content(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// Secret values are only in the Secrets that are meant to contain them.
func TestSecretValues(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(providertest.Mirror(t, "random"))
	o.Admission = &admission.Options{
		Port: clustertest.FreePort(t), Service: crd.Service{Namespace: system, Name: "landbridge"}, Host: "localhost",
	}
	c.RunController(t, o)
	d := newDouble(t, "discreet", "TESTPROVIDER_CONFIGURATION=yes")
	provider := d.provider()
	set(t, provider, "Trace", "spec", "logLevel")
	set(t, provider, "DryRun", "spec", "admission")
	c.install(t, provider)
	c.install(t, terraformProvider("random", "hashicorp/random"))
	ns := c.Namespace(t)
	values := map[string]string{
		"the provider's token":         "canary-provider-token",
		"a token the provider refuses": "wrong-canary-token",
		"a resource's password":        `canary "of/the" password & more`,
		"a password of a bad resource": "canary-of-the-other-password",
	}
	c.secret(t, ns, "inputs", map[string]string{
		"token": values["the provider's token"], "wrong": values["a token the provider refuses"] + "\n",
		"password": values["a resource's password"], "bad": values["a password of a bad resource"],
	})
	for name, key := range map[string]string{"default": "token", "wrong": "wrong"} {
		c.MustCreate(t, resource(d.APIVersion(), "ClusterProviderConfig", "", name, m{
			"tokenSecretRef": m{"name": "inputs", "namespace": ns, "key": key},
		}))
	}
	good := d.thing(ns, "good", m{"passwordSecretRef": m{"name": "inputs", "key": "password"}})
	set(t, good, "details", "spec", "writeConnectionSecretToRef", "name")
	c.MustCreate(t, good)
	generated := resource(random, "Password", ns, "generated", m{
		"forProvider": m{"length": int64(20), "special": false}, "writeConnectionSecretToRef": m{"name": "generated"},
	})
	c.MustCreate(t, generated)
	c.WaitReady(t, good)
	c.WaitReady(t, generated)
	secret := &corev1.Secret{}
	generated.SetName("generated")
	eventually(t, "there is a connection secret", func(ctx context.Context) bool { return c.Get(ctx, key(generated), secret) == nil })
	values["a password a provider made"] = string(secret.Data["attribute.result"])
	made, _ := d.Object("thing", "good")
	values["a token a provider made"] = made.Attributes["token"]

	// Errors of a create, an update, a delete and a configuration that quote the values.
	bad := d.thing(ns, "bad", m{"passwordSecretRef": m{"name": "inputs", "key": "bad"}})
	d.Order(t, "bad", "always fail")
	c.MustCreate(t, bad)
	c.WaitFalse(t, bad, "LastAsyncOperation", "AsyncCreateFailure", "(sensitive value)")
	d.Order(t, "good", "always fail")
	c.MustPatch(t, good, `{"spec":{"forProvider":{"value":"changed"}}}`)
	c.WaitFalse(t, good, "LastAsyncOperation", "AsyncUpdateFailure", "password (sensitive value)", "token (sensitive value)")
	c.WaitFalse(t, good, "Synced", "ReconcileError", "password (sensitive value)", "token (sensitive value)")
	unauthorised := d.thing(ns, "unauthorised", nil)
	set(t, unauthorised, m{"kind": "ClusterProviderConfig", "name": "wrong"}, "spec", "providerConfigRef")
	c.MustCreate(t, unauthorised)
	c.WaitFalse(t, unauthorised, "Synced", "ProviderUnavailable", "does not know the token (sensitive value)")
	denied := d.thing(ns, "denied", m{"passwordSecretRef": m{"name": "inputs", "key": "password"}})
	c.MustCreate(t, resource("landbridge.io/v1alpha1", "PlanPolicy", "", "denied", m{
		"condition": `resource.name == "denied" && plan.changes.all(c, c.after > 1)`, "action": "Deny",
	}))
	c.MustCreate(t, denied)
	c.WaitFalse(t, denied, "Synced", "DeniedByPolicy", "no such overload")
	warnings := c.previews(t, d, ns)
	events := &corev1.EventList{}
	eventually(t, "events tell of the failures", func(ctx context.Context) bool {
		if err := c.List(ctx, events); err != nil {
			return false
		}
		told := func(part string) bool {
			return slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return strings.Contains(e.Message, part) })
		}
		return told("Cannot create") && told("Cannot update") && told("Not authorised")
	})

	objects := c.everything(t)
	families, err := metrics.Registry.Gather()
	if err != nil || len(families) == 0 {
		t.Fatalf("there are no metrics: %v", err)
	}
	elsewhere := processes(t)
	elsewhere["metrics"], elsewhere["warnings of the API server"] = fmt.Sprint(families), warnings
	if !slices.ContainsFunc(slices.Collect(maps.Values(elsewhere)),
		func(text string) bool { return strings.Contains(text, "TESTPROVIDER_DIRECTORY="+d.Dir) }) {
		t.Error("the environment of the provider was not found: the search does not work")
	}
	for _, pid := range append(processtest.Children(os.Getpid()), os.Getpid()) {
		limits := content(fmt.Sprintf("/proc/%d/limits", pid))
		ours := pid == os.Getpid() || strings.Contains(content(fmt.Sprintf("/proc/%d/cmdline", pid)), "terraform-provider-")
		if ours && limits != "" && !regexp.MustCompile(`Max core file size +1 +1 `).MatchString(limits) {
			t.Errorf("process %d can dump its memory:\n%s", pid, limits)
		}
	}
	for what, value := range values {
		if len(value) < 16 {
			t.Fatalf("%s is %q", what, value)
		}
		held := false
		for _, u := range objects {
			b, err := json.Marshal(u.Object)
			if err != nil {
				t.Fatal(err)
			}
			where := u.GetKind() + " " + u.GetNamespace() + "/" + u.GetName()
			// The second is the encoding in Secrets.
			if shows(string(b), value) {
				if u.GetKind() == "Secret" && (u.GetNamespace() == system || u.GetNamespace() == ns) {
					held = true
					continue
				}
				t.Errorf("%s shows %s", where, what)
			}
		}
		if !held {
			t.Errorf("no Secret contains %s: the search does not work", what)
		}
		for where, text := range elsewhere {
			if shows(text, value) {
				t.Errorf("%s shows %s", where, what)
			}
		}
		for line := range strings.Lines(content(c.Log)) {
			if shows(line, value) {
				t.Errorf("the log shows %s: %s", what, strings.ReplaceAll(line, value, "(it)"))
				break
			}
		}
	}
	if log := content(c.Log); !strings.Contains(log, `"Level(-5)"`) || !strings.Contains(log, "provider log") {
		t.Error("the log does not have the highest verbosity or lacks the provider's log")
	}
}

// previews returns the warnings of the API server about plans: of one that fails with an error that
// quotes the password, and of one that changes it.
func (c *cluster) previews(t *testing.T, d *double, ns string) string {
	t.Helper()
	all := &warnings{}
	config := rest.CopyConfig(c.Config)
	config.WarningHandler = all
	warned, err := client.New(config, client.Options{Scheme: c.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	d.Order(t, "plan.preview", "always fail")
	preview := d.thing(ns, "preview", m{"passwordSecretRef": m{"name": "inputs", "key": "password"}})
	eventually(t, "a plan that fails is shown", func(ctx context.Context) bool {
		return warned.Create(ctx, preview.DeepCopy(), client.DryRunAll) == nil && strings.Contains(all.String(), "Cannot plan")
	})
	change := d.thing(ns, "good", nil)
	eventually(t, "a change of the password is shown", func(ctx context.Context) bool {
		return warned.Patch(ctx, change.DeepCopy(),
			client.RawPatch(types.MergePatchType,
				[]byte(`{"spec":{"forProvider":{"passwordSecretRef":{"key":"bad"}}}}`)), client.DryRunAll) == nil &&
			strings.Contains(all.String(), "~ password")
	})
	return all.String()
}

// warnings are warnings of the API server.
type warnings struct {
	mu  sync.Mutex
	all []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, text)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.all, "\n")
}

// processes returns the command lines and environments of all processes.
func processes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"cmdline", "environ"} {
		paths, err := filepath.Glob("/proc/[0-9]*/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if text := content(path); text != "" { // else it has ended, or is of another user
				out[path] = text
			}
		}
	}
	return out
}

// shows reports whether a text contains the value: in clear, as in JSON, in a URL, broken over
// lines, or in base64 at any alignment.
func shows(text, value string) bool {
	asJSON, _ := json.Marshal(value)
	within := string(asJSON[1 : len(asJSON)-1])
	blanks := strings.NewReplacer(" ", "", "\n", "", "\t", "", `\n`, "", `\`, "")
	if strings.Contains(blanks.Replace(text), blanks.Replace(value)) {
		return true
	}
	for _, v := range []string{
		value, within, url.QueryEscape(value), url.PathEscape(value),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(value + "\n")),
	} {
		if strings.Contains(text, v) {
			return true
		}
	}
	for shift := range 3 {
		// Without the characters that depend on neighbouring bytes.
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + value))
		if strings.Contains(text, encoded[4:len(encoded)-2]) {
			return true
		}
	}
	return false
}

// everything returns all objects of the API server.
func (c *cluster) everything(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	all, err := discovery.NewDiscoveryClientForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	var lists []*metav1.APIResourceList
	eventually(t, "the kinds are discovered", func(context.Context) bool {
		lists, err = all.ServerPreferredResources() // fails for a group that another test removes
		return err == nil
	})
	var out []unstructured.Unstructured
	for _, list := range lists {
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "list") {
				continue
			}
			items := &unstructured.UnstructuredList{}
			items.SetGroupVersionKind(schema.FromAPIVersionAndKind(list.GroupVersion, r.Kind))
			err := c.List(t.Context(), items)
			if kerrors.IsNotFound(err) || meta.IsNoMatchError(err) {
				continue // another test has removed the kind meanwhile
			}
			if err != nil {
				t.Fatalf("listing %s of %s: %v", r.Kind, list.GroupVersion, err)
			}
			out = append(out, items.Items...)
		}
	}
	if len(out) < 30 {
		t.Fatalf("only %d objects were found", len(out))
	}
	return out
}
