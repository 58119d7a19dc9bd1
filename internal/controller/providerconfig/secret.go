package providerconfig

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// ReadSecret returns the value that ref refers to. The reader must not be a cache, since Secrets
// must not be kept in memory.
func ReadSecret(ctx context.Context, reader client.Reader, ref translate.SecretKeySelector) ([]byte, error) {
	s := &corev1.Secret{}
	if err := reader.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, s); err != nil {
		if kerrors.IsNotFound(err) {
			return nil, fmt.Errorf("there is no Secret %s in namespace %s", ref.Name, ref.Namespace)
		}
		return nil, err
	}
	b, ok := s.Data[ref.Key]
	if !ok {
		return nil, fmt.Errorf("the Secret %s in namespace %s has no key %s", ref.Name, ref.Namespace, ref.Key)
	}
	return b, nil
}

// SecretsOf returns the Secrets to which a provider configuration refers. A namespaced one reads
// its own namespace only.
func SecretsOf(config *unstructured.Unstructured) (out []types.NamespacedName) {
	spec, _, _ := unstructured.NestedFieldNoCopy(config.Object, "spec")
	for _, ref := range translate.SecretRefs(spec) {
		out = append(out, types.NamespacedName{Namespace: cmp.Or(config.GetNamespace(), ref.Namespace), Name: ref.Name})
	}
	return out
}
