package store

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Sweep removes empty instances of resources that no longer exist, and returns their number. They
// remain if a process is interrupted between releasing a resource and removing its instance. It
// also removes parts without a head of such resources.
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
				s.Forget(k)
				n++
			}
		}
		if err != nil && !errors.Is(err, ErrConflict) {
			errs = append(errs, err)
		}
	}
	return n, errors.Join(append(errs, s.sweepParts(ctx, exists))...)
}

// sweepParts removes the parts without a head of resources that no longer exist. They remain if a
// process is interrupted while it deletes a record. Other parts are removed with the next write of
// their head.
func (s *Secrets) sweepParts(ctx context.Context, exists func(context.Context, Key) (bool, error)) error {
	var keys []Key
	parts := map[Key][]part{}
	err := s.pages(ctx, labelPartOf, page, func(secrets []corev1.Secret) {
		for i := range secrets {
			k, _ := keyOf(&secrets[i])
			if !isPart(&secrets[i], k) {
				continue
			}
			if parts[k] == nil {
				keys = append(keys, k)
			}
			parts[k] = append(parts[k], part{Name: secrets[i].Name, uid: secrets[i].UID})
		}
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

// pageSize is the number of records per list call.
const pageSize = 100

// List returns the keys of all stored instances.
func (s *Secrets) List(ctx context.Context) (out []Key, _ error) {
	err := s.pages(ctx, "!"+labelPartOf, pageSize, func(secrets []corev1.Secret) {
		for i := range secrets {
			_, pending := secrets[i].Data[dataPending]
			if k, ok := keyOf(&secrets[i]); ok && !pending {
				out = append(out, k)
			}
		}
	})
	return out, err
}

// Each calls a function with the keys of the stored instances of a kind, some at a time. The first
// Load of such a key needs no request while the function is called. Instances that an earlier
// version of Landbridge has stored may be left out.
func (s *Secrets) Each(ctx context.Context, group, kind string, some func([]Key)) error {
	return s.pages(ctx, labelKind+"="+kindLabel(group, kind)+",!"+labelPartOf, pageSize, func(secrets []corev1.Secret) {
		s.offer(secrets, some, func(k Key, _ *corev1.Secret) bool { return k.Group == group && k.Kind == kind })
	})
}

// offer calls a function with the keys of those heads that are wanted, and has them taken meanwhile
// by Load.
func (s *Secrets) offer(heads []corev1.Secret, some func([]Key), wanted func(Key, *corev1.Secret) bool) {
	keys := make([]Key, 0, len(heads))
	for i := range heads {
		if k, ok := keyOf(&heads[i]); ok && wanted(k, &heads[i]) {
			s.listed.Store(k, &heads[i])
			keys = append(keys, k)
		}
	}
	some(keys)
	for _, k := range keys {
		s.listed.Delete(k)
	}
}

// taken returns the listed head of a key, once. What this process has read or written itself is not
// older, so then it returns nil.
func (s *Secrets) taken(k Key) *corev1.Secret {
	v, ok := s.listed.LoadAndDelete(k)
	if _, known := s.saved.Load(k); !ok || known {
		return nil
	}
	return v.(*corev1.Secret)
}

// kindLabel returns the label of the records of a kind: their names, or a hash if these are too
// long for a label.
func kindLabel(group, kind string) string {
	if name := kind + "." + group; len(name) <= validation.LabelValueMaxLength {
		return name
	}
	return hash(Key{Group: group, Kind: kind})
}

// pages calls a function with all Secrets that a selector matches, in pages of a number of Secrets.
func (s *Secrets) pages(ctx context.Context, selector string, size int64, page func([]corev1.Secret)) error {
	for o := (metav1.ListOptions{LabelSelector: Selector + "," + selector, Limit: size}); ; {
		list, err := s.client().List(ctx, o)
		if err != nil {
			return fmt.Errorf("cannot list stored instances: %w", err)
		}
		page(list.Items)
		if o.Continue = list.Continue; o.Continue == "" {
			return nil
		}
	}
}

// keyOf returns the key that a Secret names. ok is false if the Secret is not a head of
// Landbridge's.
func keyOf(secret *corev1.Secret) (k Key, ok bool) {
	k, ok = KeyOf(secret)
	return k, ok && string(secret.Type) == v1alpha1.SecretTypeInstance
}
