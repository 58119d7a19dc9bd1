package store

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/instance"
)

// Shard is one of Count parts of the resources. A record that the holder of one part has written is
// used by no other until Leave, or Free if its resource is gone. Shards of another Count are void:
// no shard works on them any more. The zero value stands for an undivided whole.
type Shard struct{ Number, Count int }

// Sharded is a Store whose records belong to shards.
type Sharded interface {
	Leave(ctx context.Context, k Key) error
	Free(ctx context.Context, k Key) error
	Fence(ctx context.Context, k Key) error
}

var _ Sharded = (*Secrets)(nil)

// ShardOf returns the shard that has written a record, from the metadata of its Secret.
func ShardOf(secret metav1.Object) (s Shard) {
	if _, err := fmt.Sscanf(secret.GetAnnotations()[annotationShard], "%d/%d", &s.Number, &s.Count); err != nil {
		return Shard{}
	}
	return s
}

// conflicts reports whether a record of another shard must not be used.
func (s Shard) conflicts(of Shard) bool {
	return s != (Shard{}) && s.Count == of.Count && s.Number != of.Number
}

// mark marks a head as written by the shard.
func (s Shard) mark(head *corev1.Secret) {
	if s != (Shard{}) {
		head.Annotations[annotationShard] = fmt.Sprintf("%d/%d", s.Number, s.Count)
	}
}

// Leave lets another shard use a record. Nothing in memory may be used afterwards.
func (s *Secrets) Leave(ctx context.Context, k Key) error {
	s.Forget(k)
	secret, err := s.client().Get(ctx, SecretName(k), metav1.GetOptions{})
	if kerrors.IsNotFound(err) || err == nil && (s.Shard == (Shard{}) || ShardOf(secret) != s.Shard) {
		return nil
	}
	if err == nil {
		delete(secret.Annotations, annotationShard)
		_, err = s.client().Update(ctx, secret, metav1.UpdateOptions{})
	}
	if err != nil && !kerrors.IsNotFound(err) {
		return fmt.Errorf("cannot leave the stored instance to another replica: %w", err)
	}
	return nil
}

// Free lets any shard use a record that another one has written. It is for the records of resources
// that do not exist any more, such as those whose finalizers were removed: no shard leaves such a
// record. It returns ErrElsewhere if an operation has not ended, whose outcome the other shard may
// still have to store, or if the record was written meanwhile.
func (s *Secrets) Free(ctx context.Context, k Key) error {
	return s.annotateUnused(ctx, k, func(annotations map[string]string) { delete(annotations, annotationShard) })
}

// Fence has those writes of a record of another shard fail that are based on what is stored now, as
// if the record had been written again. It returns ErrElsewhere as Free does.
func (s *Secrets) Fence(ctx context.Context, k Key) error {
	return s.annotateUnused(ctx, k, func(annotations map[string]string) { annotations[annotationWrite] = string(uuid.NewUUID()) })
}

// annotateUnused changes the annotations of a head of another shard, if there is one. It returns
// ErrElsewhere if an operation has not ended, or if the record was written meanwhile.
func (s *Secrets) annotateUnused(ctx context.Context, k Key, change func(annotations map[string]string)) error {
	secret, err := s.client().Get(ctx, SecretName(k), metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot load the stored instance: %w", err)
	}
	head, data, err := s.read(ctx, SecretName(k), secret)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case !s.Shard.conflicts(head.shard):
		return nil
	case head.pending:
		return ErrElsewhere
	}
	if in, err := instance.Decode(data, Verbatim); err != nil || in.Operation != nil {
		return ErrElsewhere
	}
	change(secret.Annotations)
	_, err = s.client().Update(ctx, secret, metav1.UpdateOptions{})
	switch {
	case kerrors.IsConflict(err):
		return ErrElsewhere
	case err != nil && !kerrors.IsNotFound(err):
		return fmt.Errorf("cannot free the stored instance: %w", err)
	}
	return nil
}
