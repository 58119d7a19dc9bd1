package conversion

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// keeper maintains the certificate that is served. All replicas share it in a Secret.
type keeper struct {
	secrets typedcorev1.SecretInterface
	name    string // of the Secret
	host    string
	now     func() time.Time

	mu   sync.RWMutex
	data map[string][]byte
	pair *tls.Certificate
}

// certificate implements GetCertificate of tls.Config.
func (k *keeper) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.pair == nil {
		return nil, errNoCertificate
	}
	return k.pair, nil
}

// authorities returns the certificate authorities of all replicas; nil before the first sync.
func (k *keeper) authorities() []byte {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.data[keyCA]
}

// sync updates the Secret and the certificate that is served. It recreates a deleted Secret with
// the same content.
func (k *keeper) sync(ctx context.Context) error {
	for range 5 {
		err := k.once(ctx)
		if !kerrors.IsConflict(err) && !kerrors.IsAlreadyExists(err) {
			return err
		}
	}
	return errors.New("the Secret " + k.name + " is changed by others repeatedly")
}

func (k *keeper) once(ctx context.Context) error {
	have, err := k.secrets.Get(ctx, k.name, metav1.GetOptions{})
	missing := kerrors.IsNotFound(err)
	if err != nil && !missing {
		return err
	}
	data := have.Data
	if missing {
		k.mu.RLock()
		data = k.data
		k.mu.RUnlock()
	}
	want, changed, err := renew(data, k.host, k.now())
	if err != nil {
		return err
	}
	switch {
	case missing:
		_, err = k.secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: k.name}, Type: corev1.SecretTypeTLS, Data: want,
		}, metav1.CreateOptions{})
	case changed:
		have.Data = want
		_, err = k.secrets.Update(ctx, have, metav1.UpdateOptions{})
	}
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(want[corev1.TLSCertKey], want[corev1.TLSPrivateKeyKey])
	if err != nil {
		return fmt.Errorf("the Secret %s: %w", k.name, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.data, k.pair = want, &pair
	return nil
}
