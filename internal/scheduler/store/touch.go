package store

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// touches is how often somebody else may write to a Secret while one record is being written.
const touches = 5

// last is what is known of a Secret since it was read or written last.
type last struct {
	version string
	// write is the id of the write that made it. Contents can be the same again after others have
	// written; a write is not.
	write string
	sum   sum
	// foreign is the metadata that others have given it; nil if they have not.
	foreign *metav1.ObjectMeta
}

// foreign is what of a Secret's metadata is not Landbridge's own.
func foreign(secret *corev1.Secret) *metav1.ObjectMeta {
	out := metav1.ObjectMeta{
		Labels: maps.Clone(secret.Labels), Annotations: maps.Clone(secret.Annotations),
		Finalizers: secret.Finalizers, OwnerReferences: secret.OwnerReferences,
	}
	for _, name := range []string{labelManagedBy, labelEmpty} {
		delete(out.Labels, name)
	}
	for _, name := range []string{annotationOwnerUID, annotationOwnerKind, annotationOwnerName, annotationWrite} {
		delete(out.Annotations, name)
	}
	if len(out.Labels)+len(out.Annotations)+len(out.Finalizers)+len(out.OwnerReferences) == 0 {
		return nil
	}
	return &out
}

// with is metadata with what others have given it.
func with(own metav1.ObjectMeta, foreign *metav1.ObjectMeta) metav1.ObjectMeta {
	if foreign == nil {
		return own
	}
	out := *own.DeepCopy()
	maps.Copy(out.Labels, foreign.Labels)
	maps.Copy(out.Annotations, foreign.Annotations)
	out.Finalizers, out.OwnerReferences = foreign.Finalizers, foreign.OwnerReferences
	return out
}

// touched reads a Secret that has another version than it had, and says what it is now, if it
// still is what was written then, and others have only written beside it.
func (s *Secrets) touched(ctx context.Context, name string, was last) (now last, ok bool) {
	secret, err := s.Client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return last{}, false
	}
	rec, data, err := open(secret)
	if err != nil {
		return last{}, false
	}
	now = lastOf(secret, rec, data)
	return now, now.write != "" && now.write == was.write && now.sum == was.sum
}
