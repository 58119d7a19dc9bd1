package store

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// touches limits the writes of others to a Secret that are tolerated while one record is written.
const touches = 5

// last has the facts about a head from its last read or write.
type last struct {
	version string
	// write is the id of Landbridge's last write. The content may return to an earlier value, but
	// the id does not.
	write string
	// sum identifies the record.
	sum digest
	// foreign is the metadata that others have added; nil if there is none.
	foreign *metav1.ObjectMeta
	// pending is set for a head without content. split is set if there may be parts.
	pending, split bool
	// parts are those that the head points to. swept is set when this process has removed all
	// others.
	parts []part
	swept bool
}

// foreign returns the metadata of a Secret that is not Landbridge's own.
func foreign(secret *corev1.Secret) *metav1.ObjectMeta {
	out := metav1.ObjectMeta{
		Labels: maps.Clone(secret.Labels), Annotations: maps.Clone(secret.Annotations),
		Finalizers: secret.Finalizers, OwnerReferences: secret.OwnerReferences,
	}
	for _, name := range []string{labelManagedBy, labelKind, labelEmpty, labelSplit, labelObjectsBy, labelObject} {
		delete(out.Labels, name)
	}
	maps.DeleteFunc(out.Labels, func(name, _ string) bool { return strings.HasPrefix(name, labelIdentity) })
	for _, name := range []string{annotationOwnerUID, annotationOwnerKind, annotationOwnerName, annotationWrite, annotationShard} {
		delete(out.Annotations, name)
	}
	if len(out.Labels)+len(out.Annotations)+len(out.Finalizers)+len(out.OwnerReferences) == 0 {
		return nil
	}
	return &out
}

// with returns metadata together with the metadata that others have added.
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

// touches reports whether, since an earlier read or write of the head, others have only added
// metadata.
func (now last) touches(was last) bool {
	return now.write != "" && now.write == was.write && now.sum == was.sum
}
