package cloud

import (
	"crypto/subtle"
	"net/http"
	"time"

	"go.etcd.io/bbolt"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// lifetime is how long an object lasts after a change.
func lifetime(o object) time.Duration {
	d, err := time.ParseDuration(o.field("lifetime"))
	if err != nil {
		return time.Hour
	}
	return d
}

// after returns a time so long after another one; zero for no duration.
func after(t time.Time, d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return t.Add(d)
}

// expired reports whether the lifetime of an object has passed.
func (k *kind) expired(r objectRecord, now time.Time) bool {
	if !k.expires {
		return false
	}
	if !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt) {
		return true
	}
	at, err := time.Parse(time.RFC3339Nano, r.Object.field("expires_at"))
	return err == nil && !now.Before(at)
}

// authorized reports whether a request has the cloud's token, or one that was made and has not
// expired.
func (s *Server) authorized(r *http.Request) bool {
	sent := []byte(r.Header.Get("Authorization"))
	if s.token == "" || subtle.ConstantTimeCompare(sent, []byte("Bearer "+s.token)) == 1 {
		return true
	}
	k, found := kinds[string(api.Tokens)], false
	err := s.db.View(func(tx *bbolt.Tx) error {
		return each(tx, bucketObjects, join(k.collection, ""), func(_, value []byte) (bool, error) {
			var record objectRecord
			if err := decode(value, &record); err != nil {
				return false, err
			}
			found = subtle.ConstantTimeCompare(sent, []byte("Bearer "+record.Object.field("secret"))) == 1 && !k.expired(record, s.now())
			return !found, nil
		})
	})
	return err == nil && found
}
