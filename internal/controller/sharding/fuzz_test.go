package sharding_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

// FuzzTableOf checks that no content of the Secrets with the table ends the process.
func FuzzTableOf(f *testing.F) {
	f.Add([]byte(`{}`), []byte(nil), []byte(nil))
	f.Add([]byte(`{"shards":3,"entries":{"a":{"shard":1}}}`), []byte(`[{"name":"part"}]`), []byte(`{}`))
	f.Add([]byte(`{"shards":`), []byte(`[{"name":"part"},{"name":"none"}]`), []byte(`-1}`))
	f.Fuzz(func(_ *testing.T, content, parts, part []byte) {
		secret := &corev1.Secret{Data: map[string][]byte{"table.json": content}}
		if len(parts) > 0 {
			secret.Data["parts.json"] = parts
		}
		_, _ = sharding.TableOf(secret, func(name string) (*corev1.Secret, error) {
			if name != "part" {
				return nil, errors.New("there is none")
			}
			return &corev1.Secret{Data: map[string][]byte{"part": part}}, nil
		})
	})
}
