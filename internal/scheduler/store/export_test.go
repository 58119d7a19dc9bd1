package store

import corev1 "k8s.io/api/core/v1"

// Encode is encode.
var Encode = encode

// KindLabel is kindLabel.
var KindLabel = kindLabel

// Open reads a Secret as that of an instance, and decompresses its content.
func Open(secret *corev1.Secret) {
	if out, err := open(secret); err == nil && out.content != nil {
		_, _ = out.content.decompress(out.compressed)
	}
}

// PageSize is pageSize.
const PageSize = pageSize

const (
	// MostLabelled is mostLabelled.
	MostLabelled = mostLabelled
	// FewObjects is fewObjects.
	FewObjects = fewObjects
)
