package cloud

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Buckets of the data file. Keys of several parts are joined by a NUL byte.
var (
	bucketObjects  = []byte("objects")  // collection, object id → objectRecord
	bucketKeys     = []byte("keys")     // collection, natural key, object id → nothing
	bucketTasks    = []byte("tasks")    // task id → taskRecord
	bucketDue      = []byte("due")      // time, task id → task id: running tasks that end by themselves
	bucketCreating = []byte("creating") // collection, object id → task id: running creations
	bucketReserved = []byte("reserved") // collection, natural key → task id: running creations of unique kinds
	bucketTokens   = []byte("tokens")   // collection, create token → task id
	bucketCounts   = []byte("counts")   // collection → stored counts
	bucketEvents   = []byte("events")   // sequence → event
	bucketGone     = []byte("gone")     // collection, object id → objectRecord: deleted, and still shown
	bucketDeleted  = []byte("deleted")  // collection, natural key → time until which a unique name stays taken
)

type objectRecord struct {
	Object    object    `json:"object"`
	VisibleAt time.Time `json:"visible_at,omitzero"` // reads find nothing before
	// HiddenFrom is what does not find it before, OnRead or OnList; empty is both.
	HiddenFrom string `json:"hidden_from,omitempty"`
	// SeenFirst is how many reads find it before nevertheless.
	SeenFirst int `json:"seen_first,omitempty"`
	// Former is shown instead of the object until then.
	Former      object    `json:"former,omitempty"`
	FormerUntil time.Time `json:"former_until,omitzero"`
	// GoneAt is until when an object that was deleted is shown.
	GoneAt time.Time `json:"gone_at,omitzero"`
	// ExpiresAt is when it expires, whatever the object says.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// hidden reports whether a read or a list does not find the object yet.
func (r *objectRecord) hidden(from string, now time.Time) bool {
	return now.Before(r.VisibleAt) && (r.HiddenFrom == "" || r.HiddenFrom == from)
}

// shown returns what reads and lists answer.
func (r *objectRecord) shown(now time.Time) object {
	if now.Before(r.FormerUntil) {
		return r.Former
	}
	return r.Object
}

func openStore(path string, noSync bool) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 5 * time.Second, NoSync: noSync, NoFreelistSync: true})
	if err != nil {
		return nil, fmt.Errorf("open data file %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{
			bucketObjects, bucketKeys, bucketTasks, bucketDue, bucketCreating, bucketReserved, bucketTokens, bucketCounts, bucketEvents,
			bucketGone, bucketDeleted,
		} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("prepare data file %s: %w", path, err)
	}
	return db, nil
}

func join(parts ...string) []byte {
	var key []byte
	for i, part := range parts {
		if i > 0 {
			key = append(key, 0)
		}
		key = append(key, part...)
	}
	return key
}

func timeKey(at time.Time, id string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano())), id...)
}

func get(tx *bbolt.Tx, bucket, key []byte, into any) (bool, error) {
	text := tx.Bucket(bucket).Get(key)
	if text == nil {
		return false, nil
	}
	return true, decode(text, into)
}

func put(tx *bbolt.Tx, bucket, key []byte, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, text)
}

// each calls visit for every entry whose key begins with the parts, with the rest
// of the key, until visit answers false.
func each(tx *bbolt.Tx, bucket, prefix []byte, visit func(rest, value []byte) (bool, error)) error {
	cursor := tx.Bucket(bucket).Cursor()
	for key, value := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
		if more, err := visit(key[len(prefix):], value); err != nil || !more {
			return err
		}
	}
	return nil
}

func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
