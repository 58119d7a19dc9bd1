package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// A resource whose provider configuration comes to be for another account neither takes an object
// over there nor destroys one.
func TestAccountChanged(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "accounts-dev")
	prod := examplecloudtest.Start(t)
	configuration := func(name, endpoint string) *unstructured.Unstructured {
		u := resource(w.apiVersion(), "ClusterProviderConfig", "", name, m{"endpoint": endpoint})
		c.MustCreate(t, u)
		return u
	}
	configuration("accounts-prod", prod.URL)
	edited := configuration("accounts-edited", w.cloud.URL)
	thing := func(t *testing.T, name, config string) *unstructured.Unstructured {
		t.Helper()
		u := w.of("Thing", name, m{"forProvider": m{"name": name, "region": "eu-central-1", "size": int64(1)}})
		set(t, u, config, "spec", "providerConfigRef", "name")
		c.MustCreate(t, u)
		c.WaitReady(t, u)
		return u
	}
	// untouched fails the test if the objects of the cloud are not as they were, at the end of what
	// a function does.
	untouched := func(t *testing.T, of *examplecloudtest.Cloud, do func()) {
		t.Helper()
		before, changes := of.Stored(t, "things"), len(of.Changes(t))
		do()
		if diff := cmp.Diff(before, of.Stored(t, "things")); diff != "" || len(of.Changes(t)) != changes {
			t.Errorf("the objects were changed:\n%s", diff)
		}
	}

	t.Run("another configuration", func(t *testing.T) {
		flip := thing(t, "flip", w.config)
		prod.Make(t, "things", m{"name": "flip", "region": "eu-central-1", "size": 7})
		untouched(t, prod, func() {
			untouched(t, w.cloud, func() {
				c.MustPatch(t, flip, `{"spec":{"providerConfigRef":{"name":"accounts-prod"}}}`)
				c.WaitFalse(t, flip, "Synced", "AccountChanged", "ClusterProviderConfig accounts-dev", "ClusterProviderConfig accounts-prod",
					`landbridge.io/confirm-account to "accounts-prod"`)
				if err := c.Delete(t.Context(), flip); err != nil {
					t.Fatal(err)
				}
				c.WaitFalse(t, flip, "Synced", "AccountChanged", "left where it is")
				c.MustPatch(t, flip, `{"metadata":{"annotations":{"landbridge.io/confirm-account":"accounts-prod"}}}`)
				c.WaitGone(t, flip)
			})
		})
	})

	t.Run("another configuration, and back", func(t *testing.T) {
		back := thing(t, "back", w.config)
		untouched(t, prod, func() {
			c.MustPatch(t, back, `{"spec":{"forProvider":{"size":2},"providerConfigRef":{"name":"accounts-prod"}}}`)
			c.WaitFalse(t, back, "Synced", "AccountChanged", "accounts-prod")
			c.MustPatch(t, back, `{"spec":{"providerConfigRef":{"name":"`+w.config+`"}}}`)
			c.WaitReady(t, back)
			c.Remove(t, back)
		})
	})

	t.Run("other arguments", func(t *testing.T) {
		kept := thing(t, "kept", edited.GetName())
		untouched(t, prod, func() {
			untouched(t, w.cloud, func() {
				c.MustPatch(t, edited, `{"spec":{"endpoint":"`+prod.URL+`"}}`)
				c.WaitFalse(t, kept, "Synced", "AccountChanged", "ClusterProviderConfig accounts-edited", "is not found")
				c.WaitFor(t, edited, "the condition AccountChanged", func() bool {
					status, _, said := objecttest.Condition(edited, "AccountChanged")
					return status == "True" && strings.Contains(said, "1 of 1 resources") &&
						strings.Contains(said, `of this configuration to "accounts-edited@`)
				})
				c.MustPatch(t, edited, `{"spec":{"endpoint":"`+w.cloud.URL+`/"}}`)
				c.WaitReady(t, kept)
			})
		})
		c.Remove(t, kept)
	})
}
