package store

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// requestTimeout bounds one request. A record of many parts takes many requests.
const requestTimeout = 30 * time.Second

// bounded bounds the time of each request.
type bounded struct{ typedcorev1.SecretInterface }

func (s *Secrets) client() bounded { return bounded{s.Client} }

func (b bounded) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return b.SecretInterface.Get(ctx, name, o)
}

func (b bounded) List(ctx context.Context, o metav1.ListOptions) (*corev1.SecretList, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return b.SecretInterface.List(ctx, o)
}

func (b bounded) Create(ctx context.Context, s *corev1.Secret, o metav1.CreateOptions) (*corev1.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return b.SecretInterface.Create(ctx, s, o)
}

func (b bounded) Update(ctx context.Context, s *corev1.Secret, o metav1.UpdateOptions) (*corev1.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return b.SecretInterface.Update(ctx, s, o)
}

func (b bounded) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return b.SecretInterface.Delete(ctx, name, o)
}
