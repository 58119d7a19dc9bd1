package behaviour_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// Reasons of the Synced condition.
const (
	reasonConflict   = "IdentityConflict"
	reasonAdoption   = "AlreadyExists"
	reasonUnexpected = "UnexpectedIdentityChange"
	reasonUpgrade    = "IdentityUpgradeFailed"
)

// m is a JSON object.
type m = map[string]any

var (
	at        = objecttest.At
	text      = objecttest.Text
	condition = objecttest.Condition
	isTrue    = objecttest.IsTrue
	current   = objecttest.Current
	allowed   = objecttest.Allowed

	eventually = waittest.Eventually
	contains   = clustertest.ContainsAll
)

type ctx = context.Context

// column is one column of the matrix, with its own cloud, provider and namespace.
type column struct {
	behaviour.Column
	*environment
	*world
	// name is the name of the TerraformProvider and of the namespace.
	name, group string
}

// open installs a column's provider, with the named types.
func (e *environment) open(t *testing.T, of behaviour.Column, use string, r release.Release, types ...string) *column {
	t.Helper()
	c := &column{Column: of, environment: e, world: newWorld(t), name: providerName(of, use)}
	c.group = c.name + ".landbridge.io"
	e.makeNamespace(t, c.name)
	activate := make([]any, len(types))
	for i, typ := range types {
		activate[i] = "examplecloud_" + typ
	}
	p := c.terraformProvider()
	p.Object["spec"] = m{
		"source": sourceNamespace + "/" + c.name, "version": r.String(), "activate": activate,
		"execution": executions[of.Way],
	}
	if use == common {
		p.Object["spec"].(m)["resources"] = m{"examplecloud_ticket": m{"lateInitialize": m{"enabled": true, "ignore": []any{"body", "severity"}}}}
	}
	c.MustCreate(t, p)
	c.installed(t, r)
	config := c.object("ClusterProviderConfig", "default", m{"endpoint": c.endpoint, "region": "us-east-1"})
	config.SetNamespace("")
	c.MustCreate(t, config)
	return c
}

// executions are the values of a TerraformProvider's spec.execution for the ways.
var executions = map[behaviour.Way]string{behaviour.Plugin: "Plugin", behaviour.InProcess: "InProcess", behaviour.CLI: "CLI"}

func (c *column) terraformProvider() *unstructured.Unstructured {
	p := &unstructured.Unstructured{}
	p.SetAPIVersion("landbridge.io/v1alpha1")
	p.SetKind("TerraformProvider")
	p.SetName(c.name)
	return p
}

// installed waits until a release of the provider is installed.
func (c *column) installed(t *testing.T, r release.Release) {
	t.Helper()
	p := c.terraformProvider()
	c.WaitFor(t, p, "healthy", func() bool {
		return isTrue(p, "Installed", "Healthy") && current(p) && text(p, "status", "installed", "version") == r.String()
	})
}

var accept = regexp.MustCompile(`landbridge\.io/accept-changes=(\w+)`)

// release changes the provider's release. Data that the release does not support may be lost.
func (c *column) release(t *testing.T, r release.Release) {
	t.Helper()
	p := c.terraformProvider()
	c.MustPatch(t, p, fmt.Sprintf(`{"spec":{"version":%q}}`, r))
	c.WaitFor(t, p, "healthy, or held", func() bool {
		_, reason, _ := condition(p, "Healthy")
		return current(p) && (reason == "ChangesHeld" || isTrue(p, "Healthy") && text(p, "status", "installed", "version") == r.String())
	})
	if _, reason, message := condition(p, "Healthy"); reason == "ChangesHeld" {
		match := accept.FindStringSubmatch(message)
		if match == nil {
			t.Fatalf("%q does not say how to accept it", message)
		}
		c.MustPatch(t, p, fmt.Sprintf(`{"metadata":{"annotations":{"landbridge.io/accept-changes":%q}}}`, match[1]))
	}
	c.installed(t, r)
}

// object returns an object of one of the provider's kinds.
func (c *column) object(kind, name string, spec m) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: m{"spec": spec}}
	u.SetAPIVersion(c.group + "/v1alpha1")
	u.SetKind(kind)
	u.SetNamespace(c.name)
	u.SetName(name)
	return u
}

// resource creates a resource named after the test.
func (c *column) resource(t *testing.T, kind string, spec m) *unstructured.Unstructured {
	t.Helper()
	u := c.object(kind, nameOf(t), spec)
	c.MustCreate(t, u)
	return u
}

// nameOf returns a name for a test's objects.
func nameOf(t *testing.T) string { return path.Base(t.Name()) }

// stored returns the stored state of the resource, by field; nil if there is none.
func (e *environment) stored(t *testing.T, u *unstructured.Unstructured) map[string]json.RawMessage {
	t.Helper()
	s := e.storedSecret(t, u)
	if s == nil {
		return nil
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(s.Data["instance.json"], &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (e *environment) storedSecret(t *testing.T, u *unstructured.Unstructured) *corev1.Secret {
	t.Helper()
	s := &corev1.Secret{}
	if err := e.Get(t.Context(), client.ObjectKey{Namespace: system, Name: secretName(u)}, s); kerrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	return s
}

// secretName returns the name of the Secret with the resource's stored state.
func secretName(u *unstructured.Unstructured) string {
	gvk := u.GroupVersionKind()
	return store.SecretName(store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()})
}

// events returns the events of the resource.
func (e *environment) events(t *testing.T, u *unstructured.Unstructured) []corev1.Event {
	t.Helper()
	list := &corev1.EventList{}
	if err := e.List(t.Context(), list, client.InNamespace(u.GetNamespace()),
		client.MatchingFields{"involvedObject.uid": string(u.GetUID())}); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// failures returns how many reconciles of the resource failed, according to its events.
func (e *environment) failures(t *testing.T, u *unstructured.Unstructured) int {
	t.Helper()
	n := 0
	for _, event := range e.events(t, u) {
		if event.Type == corev1.EventTypeWarning {
			n += int(event.Count)
		}
	}
	return n
}

// noStorm fails the test unless the failing resource is retried with growing delays.
func (e *environment) noStorm(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	before := e.failures(t, u)
	time.Sleep(4 * time.Second)
	// Delays of half a second, one, two, four, with some tolerance.
	if n := e.failures(t, u) - before; n > 5 {
		t.Errorf("%d failures in four seconds", n)
	}
}

// identityOf returns status.identity.
func identityOf(u *unstructured.Unstructured) m {
	out, _ := at(u, "status", "identity").(m)
	return out
}
