package scheduler_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// moves has another installation go on, or one that was restored without its key.
func (h *harness) moves(key string) {
	h.o.PlanKey = []byte(strings.Repeat(key, 32))
	h.restart()
}

// Whoever reads what is stored cannot try values of a configuration until one fits.
func TestStoredConfigurationsCannotBeGuessed(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		lower := func(o object) object { return object{strings.ToLower(o.name), o.size} }
		h.cloud.answers, h.cloud.reads = lower, lower
		h.want("A", 1)
		_, refusal := h.polls(5)
		h.refuses(refusal, decision.ReasonNeverSettles)
		counts := func() string {
			b, err := json.Marshal(h.stored().Instance.Unsettled)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		before := counts()
		if guessed := instance.Digest(h.r.Config.Value); strings.Contains(before, guessed[:16]) {
			t.Errorf("%s has the digest of the configuration, %s", before, guessed)
		}
		h.moves("x")
		h.polls(2)
		if after := counts(); after == before {
			t.Error("what is stored does not depend on the key")
		}
	})
}

// Another key is no other configuration: what is held stays held, so nothing is destroyed.
func TestHeldWithAnotherKey(t *testing.T) {
	for name, test := range map[string]struct {
		misbehave func(*cloud)
		// end has the object as the configuration wants it.
		end    func(h *harness)
		reason decision.Reason
	}{
		"a replacement": {
			func(c *cloud) { c.reads = func(o object) object { return object{strings.ToLower(o.name), o.size} } },
			func(h *harness) { h.want("a", 1) }, decision.ReasonNeverSettles,
		},
		"a create that was not as planned": {
			func(c *cloud) { c.answers = func(o object) object { return object{o.name, o.size + 1} } },
			func(h *harness) { h.cloud.answers = nil; h.want("a", 5) }, decision.ReasonInconsistentResult,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				test.misbehave(h.cloud)
				h.r.CreateAttempts = 3
				h.want("A", 1)
				_, refusal := h.polls(5)
				h.refuses(refusal, test.reason)
				for _, key := range []string{"x", "y"} {
					h.moves(key)
					done, refusal := h.polls(5)
					if len(done) > 0 || !slices.Equal(h.cloud.ids(), []string{"i-1"}) {
						t.Fatalf("with the key %s: %v, objects %v", key, done, h.cloud.ids())
					}
					h.refuses(refusal, test.reason)
				}
				// The new key tells another configuration from this one.
				test.end(h)
				if _, refusal := h.polls(5); refusal != nil {
					t.Errorf("with another configuration: %v", refusal)
				}
				if u := h.stored().Instance.Unsettled; u != nil {
					t.Errorf("counted:\n%s", cmp.Diff((*instance.Unsettled)(nil), u))
				}
			})
		})
	}
}
