package store

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Former is an object as it was stored before a new version of its provider has upgraded it. The
// version before can read it. It is kept as long as nothing was begun to change the object.
type Former struct {
	// At is when the object was upgraded.
	At time.Time `json:"at"`
	// Size and SHA256 are those of the encoded instance, and Compressed is the instance.
	Size       int    `json:"size"`
	SHA256     string `json:"sha256"`
	Compressed []byte `json:"compressed"`
}

// maxFormer bounds Former.Compressed, so that it fits into the Secret of a record beside everything
// else. Larger objects are not kept.
const maxFormer = 128 << 10

// NewFormer returns the current object of an instance as it is stored now; nil if it is too large
// to be kept. r is the schema of its values that are not raw.
func NewFormer(in instance.Instance, r *schema.Resource, at time.Time) *Former {
	data, err := instance.Encode(in.Current(), r)
	if err != nil || len(data) > MaxState {
		return nil
	}
	compressed, err := compress(data)
	if err != nil || len(compressed) > maxFormer {
		return nil
	}
	return &Former{At: at.UTC(), Size: len(data), SHA256: digest(sha256.Sum256(data)).String(), Compressed: compressed}
}

// Instance returns the object.
func (f *Former) Instance(r *schema.Resource) (instance.Instance, error) {
	data, err := (&content{Size: f.Size, SHA256: f.SHA256}).decompress(f.Compressed)
	if err != nil {
		return instance.Instance{}, err
	}
	return instance.Decode(data, r)
}

// sum returns what identifies a former object in the sum of a record.
func (f *Former) sum() string {
	if f == nil {
		return ""
	}
	return f.At.UTC().Format(time.RFC3339Nano) + f.SHA256
}

// RolledBack returns the record as a provider with the given schema can read it. It is false if the
// stored object need not or cannot be replaced by the former one. The values of the record are raw,
// or were decoded by the schema.
func (r Record) RolledBack(s *schema.Resource) (Record, bool) {
	if r.Former == nil || !r.Instance.Newer(s) || r.Instance.Operation != nil {
		return r, false
	}
	former, err := r.Former.Instance(s)
	if err != nil || former.Newer(s) {
		return r, false
	}
	former.Operation, former.Deposed = r.Instance.Operation, r.Instance.Deposed
	former.IdentityHistory = r.Instance.IdentityHistory
	former.CreateBeforeDestroy = r.Instance.CreateBeforeDestroy
	former.Carry(r.Instance)
	if former.Status != instance.Partial || r.Instance.Status == instance.Tainted {
		former.Status = r.Instance.Status // a taint may have been requested since
	}
	r.Instance, r.Former = former, nil
	return r, true
}

// formerOf reads Record.Former of a head. One that is damaged is not used.
func formerOf(data []byte) *Former {
	if len(data) == 0 {
		return nil
	}
	out := &Former{}
	if json.Unmarshal(data, out) != nil || out.Size < 0 || out.Size > MaxState {
		return nil
	}
	return out
}
