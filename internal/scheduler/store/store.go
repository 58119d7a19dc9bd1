package store

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

var (
	// ErrNotFound: nothing is stored under the key.
	ErrNotFound = errors.New("no instance is stored for the resource")
	// ErrConflict: somebody else wrote since the record was loaded.
	ErrConflict = errors.New("the stored instance was changed by another writer")
	// ErrUnreadable: something is stored that cannot be read. Trying again does not help.
	ErrUnreadable = errors.New("the stored instance cannot be read")
)

// Key is the custom resource an instance belongs to.
type Key struct {
	// Group and Kind of the custom resource.
	Group, Kind string
	// Namespace is empty for a cluster-scoped resource.
	Namespace, Name string
}

// Record is a stored instance.
type Record struct {
	// Owner is the uid of the custom resource the instance was stored for. Another uid than the
	// resource's own means that one of the two was restored from a backup.
	Owner types.UID
	// Version fences writers; empty for a record that is not stored yet.
	Version  string
	Instance instance.Instance
	// Handled are the tokens that were acted upon. They are written with what came of it.
	Handled Tokens
}

// Store keeps one record per custom resource. Implementations are safe for concurrent use.
type Store interface {
	// Load returns ErrNotFound when nothing is stored.
	Load(ctx context.Context, k Key, r *schema.Resource) (Record, error)
	// Save writes the record, if that of its Version is still the stored one, and returns it with
	// its new Version; else ErrConflict. A record with an empty Version must not exist yet. What
	// others write beside a record does not make it another one.
	Save(ctx context.Context, k Key, r *schema.Resource, rec Record) (Record, error)
	// Delete removes what is stored, if it is of that version still; else ErrConflict. Nothing
	// stored is no error.
	Delete(ctx context.Context, k Key, version string) error
}
