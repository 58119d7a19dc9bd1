package keyed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// Hash is a keyed hash of values. Each is preceded by its length.
type Hash struct{ hash.Hash }

// New returns a hash with a key.
func New(key []byte) Hash { return Hash{hmac.New(sha256.New, key)} }

// Bytes adds bytes.
func (h Hash) Bytes(b []byte) {
	_ = binary.Write(h, binary.BigEndian, int64(len(b)))
	h.Write(b)
}

// Text adds texts.
func (h Hash) Text(all ...string) {
	for _, s := range all {
		h.Bytes([]byte(s))
	}
}

// Value adds a value.
func (h Hash) Value(v cty.Value) {
	if v == cty.NilVal {
		h.Text("none")
		return
	}
	v, _ = v.UnmarkDeep()
	b, err := ctymsgpack.Marshal(v, v.Type())
	if err != nil {
		b = fmt.Appendf(nil, "%#v", v) // what cannot be encoded still tells plans apart
	}
	h.Bytes(b)
}

// Configurations adds which provider configurations a plan is for. Their content is left out:
// credentials may be rotated while a plan waits.
func (h Hash) Configurations(all []policy.Configuration) {
	for _, c := range all {
		h.Text("configuration", c.Kind, c.Namespace, c.Name, string(c.UID), c.Account)
	}
}

// Instance adds an instance. One without an object is the same whether or not anything is stored.
func (h Hash) Instance(in instance.Instance) {
	if !in.Exists() && len(in.RawState) == 0 {
		in = instance.Instance{Deposed: in.Deposed}
	}
	h.Text(string(in.Status), fmt.Sprint(in.SchemaVersion))
	h.Value(in.State)
	h.Value(in.Identity)
	h.Bytes(in.Private)
	h.Bytes(in.RawState)
	h.Bytes(in.RawIdentity)
	for _, d := range in.Deposed {
		h.Text(d.Key)
		h.Instance(d.Instance())
	}
}

// String returns 128 bits of the hash in hex.
func (h Hash) String() string { return hex.EncodeToString(h.Sum(nil)[:16]) }
