package behaviour_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

const paused = "crossplane.io/paused"

// TestUpgrades goes through the releases of a provider: without identities, with versions 0, 1 and
// 2 of the identity schema, back to 0, and to a faulty one.
func TestUpgrades(t *testing.T) {
	each(t, func(t *testing.T, of behaviour.Column) {
		c := shared(t).open(t, of, history, release.BeforeIdentity,
			"thing", "volume", "volume_no_upgrader", "volume_upgrade_gap", "volume_upgrade_fails",
			"volume_upgrade_invalid", "volume_upgrade_partial", "volume_same_state")
		volume := func(kind, name string) *unstructured.Unstructured {
			u := c.object(kind, name, m{"forProvider": m{"name": name}})
			c.MustCreate(t, u)
			c.WaitReady(t, u)
			return u
		}
		// pause pauses a resource during a release.
		pause := func(u *unstructured.Unstructured) {
			c.MustPatch(t, u, `{"metadata":{"annotations":{"`+paused+`":"true"}}}`)
			c.WaitFor(t, u, "paused", func() bool { _, reason, _ := condition(u, "Synced"); return reason == "ReconcilePaused" })
		}
		resume := func(t *testing.T, u *unstructured.Unstructured) {
			c.MustPatch(t, u, `{"metadata":{"annotations":{"`+paused+`":null}}}`)
		}

		elder := volume("Volume", "elder")
		if identityOf(elder) != nil || c.stored(t, elder)["identity"] != nil {
			t.Errorf("unexpected identity: %v", identityOf(elder))
		}

		c.release(t, release.V0)
		t.Run("read-stores", func(t *testing.T) { c.upgraded(t, elder, 0, "id", false) })
		first, straight := volume("Volume", "first"), volume("Volume", "straight")
		partial := volume("VolumeUpgradePartial", "partial")
		gap, fails, invalid := volume("VolumeUpgradeGap", "gap"), volume("VolumeUpgradeFails", "fails"), volume("VolumeUpgradeInvalid", "invalid")
		thing := c.object("Thing", "thing", m{"forProvider": m{"name": "thing"}})
		c.MustCreate(t, thing)
		c.WaitReady(t, thing)
		object := made(t, c.world, api.Volumes, api.Volume{Name: "imported", SizeGiB: 1})
		imported := c.object("Volume", "imported", m{
			"forProvider": m{"name": "imported"}, "import": m{"identity": m{"id": object.ID, "public": false}},
		})
		c.MustCreate(t, imported)
		c.WaitReady(t, imported)
		mismatch := c.object("Thing", "mismatch", m{"forProvider": m{"name": "mismatch"}})
		c.MustCreate(t, mismatch)
		c.WaitReady(t, mismatch)
		for _, u := range []*unstructured.Unstructured{straight, gap, fails, invalid, thing, mismatch} {
			c.Reconcile(t, u) // so that changes of the first Read are not mistaken for others
		}
		pause(straight)
		pause(gap)
		failsBefore, invalidBefore, gapBefore := c.memory(t, fails), c.memory(t, invalid), c.memory(t, gap)
		thingBefore := c.memory(t, thing)
		// As if the schema had changed without a new version. It is detected when the stored state
		// is read again, as for another release.
		c.tamper(t, mismatch, `"region":`, `"zone":`)
		mismatchBefore := c.memory(t, mismatch)

		c.release(t, release.V1)
		t.Run("upgrade-type", func(t *testing.T) {
			c.upgraded(t, first, 1, "id", "false")
			c.upgraded(t, elder, 1, "id", "false")
		})
		t.Run("upgrade-fails", func(t *testing.T) {
			says := "Cannot upgrade the identity"
			if of.Form == provider.SDKv2 {
				says = "cannot upgrade the identity"
			}
			c.refusedUpgrade(t, fails, failsBefore, says)
		})
		t.Run("upgrade-invalid", func(t *testing.T) {
			says := "it has unknown values"
			if of.Form == provider.SDKv2 {
				// The SDK drops what the schema does not have, and nothing is left.
				says = "all attributes are null"
			}
			c.refusedUpgrade(t, invalid, invalidBefore, "upgraded identity", "from version 0 to version 1", says)
		})
		t.Run("upgrade-mismatch", func(t *testing.T) {
			c.refusedUpgrade(t, mismatch, mismatchBefore, "identity")
		})
		if b, _ := behaviour.Find("upgrade-partial"); b.NotApplicable(of) == "" {
			t.Run("upgrade-partial", func(t *testing.T) { c.upgraded(t, partial, 1, "id", "false") })
		}
		second := volume("VolumeUpgradeGap", "second")
		missing := volume("VolumeNoUpgrader", "missing")
		c.Reconcile(t, missing)
		missingBefore := c.memory(t, missing)

		c.release(t, release.V2)
		t.Run("upgrade-rename", func(t *testing.T) { c.upgraded(t, first, 2, "volumeId", "false") })
		t.Run("upgrade-state", func(t *testing.T) {
			// sizeGib is present under its new name.
			for _, u := range []*unstructured.Unstructured{elder, first} {
				c.WaitReady(t, u)
				c.WaitFor(t, u, "shown", func() bool { return text(u, "status", "atProvider", "sizeGib") == "1" })
				if version := string(c.stored(t, u)["schemaVersion"]); version != "2" {
					t.Errorf("%s: the stored version is %q", u.GetName(), version)
				}
				c.untouchedVolume(t, u)
			}
		})
		t.Run("upgrade-straight", func(t *testing.T) {
			resume(t, straight)
			c.upgraded(t, straight, 2, "volumeId", "false")
		})
		t.Run("upgrade-missing", func(t *testing.T) {
			says := "Unable to Upgrade Resource Identity"
			if of.Form == provider.SDKv2 {
				// The SDK silently drops values that do not fit, so it is detected here.
				says = "volume_id"
			}
			c.refusedUpgrade(t, missing, missingBefore, says)
		})
		t.Run("upgrade-gap", func(t *testing.T) {
			resume(t, gap)
			says := "Unable to Upgrade Resource Identity"
			if of.Form == provider.SDKv2 {
				says = "volume_id"
			}
			c.refusedUpgrade(t, gap, gapBefore, says)
			c.upgraded(t, second, 2, "volumeId", "false")
		})
		// The provider's upgraders require a configured provider. A resource that cannot be
		// upgraded is not planned either, as a change of its spec shows: a plan with another size
		// searches the volume.
		t.Run("upgrade-configured", func(t *testing.T) {
			c.upgraded(t, elder, 2, "volumeId", "false")
			c.MustPatch(t, missing, `{"spec":{"forProvider":{"sizeGib":3}}}`)
			c.WaitFor(t, missing, "refused anew", func() bool {
				status, _, _ := condition(missing, "Synced")
				return status == "False" && current(missing)
			})
			if n := c.world.searches("missing"); n != 0 {
				t.Errorf("the provider was asked to plan %d times", n)
			}
			c.untouchedVolume(t, missing)
		})
		t.Run("upgrade-not-needed", func(t *testing.T) {
			c.RequestReconcile(t, thing)
			c.WaitReady(t, thing)
			if diff := cmp.Diff(thingBefore, c.memory(t, thing)); diff != "" {
				t.Errorf("the stored state of the thing has changed: %s", diff)
			}
		})
		t.Run("upgrade-imported", func(t *testing.T) {
			c.upgraded(t, imported, 2, "volumeId", "false")
			c.untouched(t, object.ID)
			c.MustPatch(t, imported, `{"spec":{"forProvider":{"sizeGib":3}}}`)
			eventually(t, "it is larger", func(ctx) bool { return is(t, c.world, api.Volumes, object.ID).SizeGiB == 3 })
			c.WaitReady(t, imported)
			if c.world.searches("imported") == 0 {
				t.Error("a plan of the provider with another size did not search the volume")
			}
		})

		c.Reconcile(t, first)
		firstBefore := c.memory(t, first)
		// Only the identity of this type has older versions, so its state is not what is refused.
		newer := volume("VolumeSameState", "newer")
		c.Reconcile(t, newer)
		newerBefore := c.memory(t, newer)
		c.release(t, release.V0)
		t.Run("upgrade-state-back", func(t *testing.T) {
			c.WaitFor(t, first, "refused", func() bool {
				status, _, message := condition(first, "Synced")
				return status == "False" && contains(message, "managed by newer provider version", "version 2")
			})
			if diff := cmp.Diff(firstBefore, c.memory(t, first)); diff != "" {
				t.Errorf("the stored state has changed: %s", diff)
			}
			c.untouchedVolume(t, first)
		})
		t.Run("upgrade-newer", func(t *testing.T) {
			c.refusedUpgrade(t, newer, newerBefore, "managed by newer provider version", "identity", "version 2")
		})
		t.Run("upgrade-back", func(t *testing.T) {
			c.WaitReady(t, fails)
			c.WaitReady(t, invalid)
			if diff := cmp.Diff(failsBefore, c.memory(t, fails)); diff != "" {
				t.Errorf("the stored state has changed: %s", diff)
			}
			c.release(t, release.V2)
			for u, before := range map[*unstructured.Unstructured]map[string]string{first: firstBefore, newer: newerBefore} {
				c.upgraded(t, u, 2, "volumeId", "false")
				if diff := cmp.Diff(before, c.memory(t, u)); diff != "" {
					t.Errorf("the stored state of %s has changed: %s", u.GetName(), diff)
				}
			}
		})

		p := c.terraformProvider()
		c.MustPatch(t, p, `{"spec":{"version":"`+release.Mistaken.String()+`"}}`)
		mistaken := func(t *testing.T, says ...string) {
			c.WaitFor(t, p, "refused", func() bool {
				status, _, message := condition(p, "Installed")
				return status == "False" && current(p) && contains(message, says...)
			})
		}
		t.Run("invalid-schema", func(t *testing.T) {
			mistaken(t, "public", "mport")
			// The former release stays.
			c.Reconcile(t, first)
			c.upgraded(t, first, 2, "volumeId", "false")
		})
		if of.Form == provider.SDKv2 {
			t.Run("invalid-type", func(t *testing.T) { mistaken(t, "labels", "map of string") })
		}
	})
}

// memory returns the stored state of a resource with the annotations that name its owner.
func (c *column) memory(t *testing.T, u *unstructured.Unstructured) map[string]string {
	t.Helper()
	s := c.storedSecret(t, u)
	if s == nil {
		t.Fatalf("no state of %s %s is stored", u.GetKind(), u.GetName())
	}
	out := maps.Clone(s.Annotations)
	for name, value := range s.Data {
		out[name] = string(value)
	}
	return out
}

// tamper changes the stored identity by hand.
func (c *column) tamper(t *testing.T, u *unstructured.Unstructured, from, to string) {
	t.Helper()
	s := c.storedSecret(t, u)
	stored := c.stored(t, u)
	changed := strings.Replace(string(stored["identity"]), from, to, 1)
	s.Data["instance.json"] = []byte(strings.Replace(string(s.Data["instance.json"]), string(stored["identity"]), changed, 1))
	if changed == string(stored["identity"]) || string(c.storedSecret(t, u).Data["instance.json"]) == string(s.Data["instance.json"]) {
		t.Fatal("there is nothing to change")
	}
	if err := c.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

// upgraded waits until the volume has an identity of that version with its id under that name. It
// fails the test if the resource is not ready or the volume was changed.
func (c *column) upgraded(t *testing.T, u *unstructured.Unstructured, version int, id string, public any) {
	t.Helper()
	c.WaitFor(t, u, "upgraded", func() bool {
		return cmp.Equal(m{id: at(u, "status", "atProvider", "id"), "public": public}, identityOf(u)) && isTrue(u, "Ready", "Synced")
	})
	stored := string(c.stored(t, u)["identitySchemaVersion"])
	if version == 0 && stored != "" || version > 0 && stored != string(rune('0'+version)) {
		t.Errorf("%s: the stored version is %q", u.GetName(), stored)
	}
	c.WaitReady(t, u)
	c.untouchedVolume(t, u)
}

// refusedUpgrade fails the test unless the resource reports why its identity cannot be upgraded,
// with growing delays, and its stored state is unchanged.
func (c *column) refusedUpgrade(t *testing.T, u *unstructured.Unstructured, before map[string]string, says ...string) {
	t.Helper()
	c.WaitFalse(t, u, "Synced", reasonUpgrade, says...)
	c.noStorm(t, u)
	if diff := cmp.Diff(before, c.memory(t, u)); diff != "" {
		t.Errorf("%s: the stored state has changed: %s", u.GetName(), diff)
	}
	c.untouchedVolume(t, u)
}

// untouchedVolume fails the test if the volume was changed or deleted since its creation.
func (c *column) untouchedVolume(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	c.untouched(t, text(u, "status", "atProvider", "id"))
	// Its creation is the only request with its name.
	if n := len(c.written("POST", u.GetName())); n > 1 {
		t.Errorf("%s was created %d times", u.GetName(), n)
	}
}
