package store

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// HistoryOf returns Record.History of the record in a Secret.
func HistoryOf(secret *corev1.Secret) []byte { return secret.Data[dataHistory] }

// OwnerOf returns Record.Owner of the record in a Secret, from its metadata.
func OwnerOf(secret metav1.Object) types.UID {
	return types.UID(secret.GetAnnotations()[annotationOwnerUID])
}

// Heads calls a function with the Secrets of all records, in pages, without their parts.
func (s *Secrets) Heads(ctx context.Context, page func([]corev1.Secret)) error {
	return s.pages(ctx, heads, pageSize, page)
}

const heads = "!" + labelPartOf

// HeadSelector selects the Secrets that Heads lists.
const HeadSelector = Selector + "," + heads
