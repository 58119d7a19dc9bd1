package store_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// FuzzOpen checks that no content of a Secret causes a panic, or takes much memory.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"size":3,"sha256":"00"}`), []byte("x"), []byte(`{"retry":"1"}`), false)
	f.Add([]byte(`{"size":3,"parts":[{"name":"a","size":-1}]}`), []byte{0x28, 0xb5, 0x2f, 0xfd}, []byte(`[]`), true)
	f.Fuzz(func(_ *testing.T, content, compressed, handled []byte, plain bool) {
		s := &corev1.Secret{
			Type: v1alpha1.SecretTypeInstance,
			Data: map[string][]byte{"content.json": content, "instance.json.zst": compressed, "handled.json": handled},
		}
		if plain {
			s.Data["instance.json"] = compressed
		}
		store.Open(s)
	})
}
