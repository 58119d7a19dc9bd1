package store

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Sweep removes empty instances of resources that no longer exist, and returns their number. They remain
// if a process is interrupted between releasing a resource and removing its instance. It also removes
// parts without a head of such resources.
func (s *Secrets) Sweep(ctx context.Context, exists func(context.Context, Key) (bool, error)) (int, error) {
	list, err := s.client().List(ctx, metav1.ListOptions{LabelSelector: Selector + "," + labelEmpty + "=true"})
	if err != nil {
		return 0, fmt.Errorf("cannot list stored instances: %w", err)
	}
	n := 0
	var errs []error
	for i := range list.Items {
		secret := &list.Items[i]
		k, ok := keyOf(secret)
		if !ok {
			continue
		}
		found, err := exists(ctx, k)
		if err == nil && !found {
			if err = s.remove(ctx, k, secret.ResourceVersion, secret.Labels[labelSplit] != ""); err == nil {
				s.saved.Delete(k)
				n++
			}
		}
		if err != nil && !errors.Is(err, ErrConflict) {
			errs = append(errs, err)
		}
	}
	return n, errors.Join(append(errs, s.sweepParts(ctx, exists))...)
}

// sweepParts removes the parts without a head of resources that no longer exist. They remain if a process
// is interrupted while it deletes a record. Other parts are removed with the next write of their head.
func (s *Secrets) sweepParts(ctx context.Context, exists func(context.Context, Key) (bool, error)) error {
	var keys []Key
	parts := map[Key][]part{}
	err := s.pages(ctx, labelPartOf, func(secret *corev1.Secret) {
		k, _ := keyOf(secret)
		if !isPart(secret, k) {
			return
		}
		if parts[k] == nil {
			keys = append(keys, k)
		}
		parts[k] = append(parts[k], part{Name: secret.Name, uid: secret.UID})
	})
	errs := []error{err}
	for _, k := range keys {
		found, err := exists(ctx, k)
		if err == nil && !found {
			// Parts that are listed before the head is absent cannot belong to a later head.
			if _, err = s.client().Get(ctx, SecretName(k), metav1.GetOptions{}); kerrors.IsNotFound(err) {
				err = s.deleteParts(ctx, parts[k])
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// pageSize is the number of Secrets per list call.
const pageSize = 100

// List returns the keys of all stored instances.
func (s *Secrets) List(ctx context.Context) ([]Key, error) {
	var out []Key
	for o := (metav1.ListOptions{LabelSelector: Selector + ",!" + labelPartOf, Limit: pageSize}); ; {
		list, err := s.client().List(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("cannot list stored instances: %w", err)
		}
		for i := range list.Items {
			_, pending := list.Items[i].Data[dataPending]
			if k, ok := keyOf(&list.Items[i]); ok && !pending {
				out = append(out, k)
			}
		}
		if o.Continue = list.Continue; o.Continue == "" {
			return out, nil
		}
	}
}

// keyOf returns the key that a Secret names. ok is false if the Secret is not a head of Landbridge's.
func keyOf(secret *corev1.Secret) (k Key, ok bool) {
	k, ok = KeyOf(secret)
	return k, ok && string(secret.Type) == v1alpha1.SecretTypeInstance
}
