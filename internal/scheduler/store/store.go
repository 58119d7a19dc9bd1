package store

import (
	"cmp"
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

var (
	// ErrNotFound means that nothing is stored under the key.
	ErrNotFound = errors.New("no instance is stored for the resource")
	// ErrConflict means that another writer has written since the record was loaded.
	ErrConflict = errors.New("the stored instance was changed by another writer")
	// ErrUnreadable means that the record cannot be decoded. Retrying does not help.
	ErrUnreadable = errors.New("the stored instance cannot be read")
	// ErrTooLarge means that the record is too large to be stored. Retrying does not help.
	ErrTooLarge = errors.New("the state is too large to be stored")
	// ErrElsewhere means that the record belongs to another shard, whose holder has not left it
	// yet.
	ErrElsewhere = errors.New("another replica works on the resource, because the shard of its provider " +
		"configuration was another one; waiting for that replica to leave it")
	// ErrRejected means that the store does not accept the record. Retrying does not help.
	ErrRejected = errors.New("the stored instance is rejected")
)

// Key identifies the custom resource that an instance belongs to.
type Key struct {
	// Group and Kind of the custom resource.
	Group, Kind string
	// Namespace is empty for a cluster-scoped resource.
	Namespace, Name string
}

// Compare orders keys as people look for them: by kind, namespace and name.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		cmp.Compare(k.Kind, o.Kind), cmp.Compare(k.Namespace, o.Namespace),
		cmp.Compare(k.Name, o.Name), cmp.Compare(k.Group, o.Group),
	)
}

// Record is a stored instance.
type Record struct {
	// Owner is the UID of the custom resource that the instance was stored for. If the resource has
	// another UID, one of the two was restored from a backup.
	Owner types.UID
	// Version fences concurrent writers; empty for a record that is not stored yet.
	Version  string
	Instance instance.Instance
	// Account is where the objects of the instance are; empty if that is not known.
	Account instance.Account
	// Handled are the tokens that were handled. They are written together with the result.
	Handled Tokens
	// History is the encoded change record (package history).
	History []byte
	// Former is the object before a new version of its provider has upgraded it; nil if it is not
	// kept.
	Former *Former
	// Objects are the remote objects that the instance names. They are written and compared, and
	// not read.
	Objects Objects
	// Rewrite has Save write the record even if the same one is stored, so that no other process
	// can write over its former Version. It is not stored.
	Rewrite bool
}

// Store keeps one record per custom resource. Implementations are safe for concurrent use.
type Store interface {
	// Load returns ErrNotFound when nothing is stored, and ErrElsewhere with the record's owner and
	// tokens.
	Load(ctx context.Context, k Key, r *schema.Resource) (Record, error)
	// Save writes the record if its Version is still the stored one, and returns it with its new
	// Version; else ErrConflict. A record with an empty Version must not exist yet. Metadata that
	// others add does not cause a conflict.
	Save(ctx context.Context, k Key, r *schema.Resource, rec Record) (Record, error)
	// Delete removes the record if it still has the version; else ErrConflict. It is no error if
	// nothing is stored.
	Delete(ctx context.Context, k Key, version string) error
	// Forget releases the memory about a record. It changes nothing that is stored.
	Forget(k Key)
}
