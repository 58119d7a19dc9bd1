package module

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// destroyed are the times at which objects were destroyed, by the object.
type destroyed map[string]time.Time

// destroyedKey is the key of an object in destroyed. It is short, since many may be destroyed.
func destroyedKey(o terraform.Object) string {
	b, err := json.Marshal(o.Named())
	if err != nil {
		panic(err) // texts, in memory
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:8])
}

// shows reports whether an object that is found is one that was destroyed within a period.
func (d destroyed) shows(o *terraform.Object, now time.Time, within time.Duration) bool {
	if o == nil {
		return false
	}
	at, ok := d[destroyedKey(*o)]
	return ok && now.Sub(at).Abs() < within
}

// destroys reports whether the operation has destroyed an object.
func (j *journal) destroys(o *terraform.Object) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return o != nil && slices.ContainsFunc(j.Changes, func(c *change) bool {
		return c.Object != nil && c.Object.Named() == o.Named() && c.destroyed()
	})
}

// after returns the objects that were destroyed within a period before now, also by an operation
// that has just ended. The journal is nil without one.
func (d destroyed) after(j *journal, now time.Time, within time.Duration) destroyed {
	out := maps.Clone(d)
	maps.DeleteFunc(out, func(_ string, at time.Time) bool { return now.Sub(at).Abs() >= within })
	if j == nil {
		return out
	}
	for _, c := range j.Changes {
		if c.Object == nil || !c.destroyed() {
			continue
		}
		if out == nil {
			out = destroyed{}
		}
		out[destroyedKey(*c.Object)] = now.Round(0)
	}
	return out
}
