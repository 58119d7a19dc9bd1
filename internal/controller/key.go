package controller

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/ptr"
)

// planKeyName is the Secret with the key of the hashes of plans, in Landbridge's own namespace.
// Without it, plans that wait for approval have other hashes.
const planKeyName = "landbridge-plan-key"

const planKeyType corev1.SecretType = "landbridge.io/plan-key"

const (
	planKeyData = "key"
	planKeySize = 32
)

// planKey returns the key of the hashes of plans, which it makes if there is none. All processes of
// an installation have the same one.
func planKey(ctx context.Context, secrets typedcorev1.SecretInterface) ([]byte, error) {
	secret, err := secrets.Get(ctx, planKeyName, metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		key := make([]byte, planKeySize)
		_, _ = rand.Read(key) // never fails
		secret, err = secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: planKeyName}, Type: planKeyType, Immutable: ptr.To(true), Data: map[string][]byte{planKeyData: key},
		}, metav1.CreateOptions{})
		if kerrors.IsAlreadyExists(err) {
			secret, err = secrets.Get(ctx, planKeyName, metav1.GetOptions{}) // of another process
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read or make the key of plans: %w", err)
	}
	if key := secret.Data[planKeyData]; len(key) >= planKeySize {
		return key, nil
	}
	return nil, fmt.Errorf("the Secret %s has no key of %d bytes. Delete it, and a new one is made", planKeyName, planKeySize)
}

// derived returns the key of the hashes of accounts.
func derived(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("provider configurations"))
	return h.Sum(nil)
}
