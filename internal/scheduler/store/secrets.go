package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	dataInstance = "instance.json"
	dataHandled  = "handled.json" // Tokens

	labelManagedBy      = "app.kubernetes.io/managed-by"
	labelEmpty          = "landbridge.io/empty"
	annotationOwnerUID  = "landbridge.io/owner-uid"
	annotationOwnerKind = "landbridge.io/owner-kind"
	annotationOwnerName = "landbridge.io/owner"
	annotationWrite     = "landbridge.io/write" // the id of the last write by Landbridge
)

// Secrets keeps instances in Secrets of one namespace.
type Secrets struct {
	// Client accesses the Secrets of Landbridge's namespace. It must not cache.
	Client typedcorev1.SecretInterface

	// saved holds what was last read or written. An equal record is not written again, and a record
	// is recognized after others have added metadata.
	saved sync.Map // Key -> last
}

var _ Store = (*Secrets)(nil)

// SecretName returns the name of the Secret of a key. It is readable, and unique by a hash, since the
// parts together may be too long for a name.
func SecretName(k Key) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{k.Group, k.Kind, k.Namespace, k.Name}, "\x00")))
	readable := strings.ToLower(k.Kind) + "." + k.Name
	if len(readable) > 180 {
		readable = strings.TrimRight(readable[:180], ".-")
	}
	return readable + "." + hex.EncodeToString(sum[:10])
}

// Load implements Store.
func (s *Secrets) Load(ctx context.Context, k Key, r *schema.Resource) (Record, error) {
	secret, err := s.Client.Get(ctx, SecretName(k), metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		return Record{}, ErrNotFound
	}
	if err != nil {
		return Record{}, fmt.Errorf("cannot load the stored instance: %w", err)
	}
	rec, data, err := open(secret)
	if err != nil {
		return Record{}, err
	}
	if rec.Instance, err = instance.Decode(data, r); err != nil {
		return Record{}, fmt.Errorf("%w from Secret %s: %w", ErrUnreadable, secret.Name, err)
	}
	s.saved.Store(k, lastOf(secret, rec, data))
	return rec, nil
}

// open returns a record without its instance, and the encoded instance.
func open(secret *corev1.Secret) (Record, []byte, error) {
	data, ok := secret.Data[dataInstance]
	if !ok || string(secret.Type) != v1alpha1.SecretTypeInstance {
		return Record{}, nil, fmt.Errorf("%w: the Secret %s is not one of Landbridge's; it was replaced by somebody else", ErrUnreadable, secret.Name)
	}
	rec := Record{Owner: types.UID(secret.Annotations[annotationOwnerUID]), Version: secret.ResourceVersion}
	if handled, ok := secret.Data[dataHandled]; ok {
		if err := json.Unmarshal(handled, &rec.Handled); err != nil {
			return Record{}, nil, fmt.Errorf("%w: %s in Secret %s is malformed", ErrUnreadable, dataHandled, secret.Name)
		}
	}
	return rec, data, nil
}

type sum [sha256.Size]byte

func sumOf(rec Record, data []byte) sum {
	h := rec.Handled
	return sha256.Sum256(append([]byte(strings.Join([]string{string(rec.Owner), h.Taint, h.Untaint, h.Retry, strconv.FormatBool(h.Imported), ""}, "\x00")), data...))
}

func lastOf(secret *corev1.Secret, rec Record, data []byte) last {
	return last{
		version: secret.ResourceVersion, write: secret.Annotations[annotationWrite], sum: sumOf(rec, data), foreign: foreign(secret),
	}
}

// Secret returns the Secret that holds a record, without the namespace, the version and the id of a
// write, which it gets when it is written.
func Secret(k Key, r *schema.Resource, rec Record) (*corev1.Secret, error) {
	data, err := instance.Encode(rec.Instance, r)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the instance: %w", err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:   SecretName(k),
			Labels: map[string]string{labelManagedBy: "landbridge"},
			Annotations: map[string]string{
				annotationOwnerKind: k.Kind + "." + k.Group,
				annotationOwnerName: strings.TrimPrefix(k.Namespace+"/"+k.Name, "/"),
			},
		},
		Type: v1alpha1.SecretTypeInstance,
		Data: map[string][]byte{dataInstance: data},
	}
	if rec.Owner != "" {
		secret.Annotations[annotationOwnerUID] = string(rec.Owner)
	}
	if nothing(rec.Instance) {
		secret.Labels[labelEmpty] = "true"
	}
	if rec.Handled != (Tokens{}) {
		if secret.Data[dataHandled], err = json.Marshal(rec.Handled); err != nil {
			return nil, fmt.Errorf("cannot encode %s: %w", dataHandled, err)
		}
	}
	return secret, nil
}

// Save implements Store.
func (s *Secrets) Save(ctx context.Context, k Key, r *schema.Resource, rec Record) (Record, error) {
	secret, err := Secret(k, r, rec)
	if err != nil {
		return rec, err
	}
	data := secret.Data[dataInstance]
	var was last
	if v, ok := s.saved.Load(k); ok && rec.Version != "" && v.(last).version == rec.Version {
		if was = v.(last); was.sum == sumOf(rec, data) {
			return rec, nil
		}
	}
	secret.Annotations[annotationWrite] = string(uuid.NewUUID())
	own, version := secret.ObjectMeta, rec.Version
	var written *corev1.Secret
	for n := 0; ; n++ {
		secret.ObjectMeta = with(own, was.foreign)
		if secret.ResourceVersion = version; version == "" {
			written, err = s.Client.Create(ctx, secret, metav1.CreateOptions{})
		} else {
			written, err = s.Client.Update(ctx, secret, metav1.UpdateOptions{})
		}
		if !kerrors.IsConflict(err) || n == touches {
			break
		}
		now, ok := s.touched(ctx, secret.Name, was)
		if !ok {
			break
		}
		was, version = now, now.version
	}
	switch {
	case kerrors.IsConflict(err), kerrors.IsAlreadyExists(err), kerrors.IsNotFound(err) && rec.Version != "":
		return rec, ErrConflict
	case err != nil:
		return rec, fmt.Errorf("cannot store the instance: %w", err)
	}
	rec.Version = written.ResourceVersion
	s.saved.Store(k, lastOf(written, rec, data))
	return rec, nil
}

// nothing reports whether an instance is empty.
func nothing(in instance.Instance) bool {
	return !in.Exists() && in.Operation == nil && len(in.Deposed) == 0
}

// Sweep removes empty instances of resources that no longer exist, and returns their number. They remain
// if a process is interrupted between releasing a resource and removing its instance.
func (s *Secrets) Sweep(ctx context.Context, exists func(context.Context, Key) (bool, error)) (int, error) {
	list, err := s.Client.List(ctx, metav1.ListOptions{LabelSelector: labelManagedBy + "=landbridge," + labelEmpty + "=true"})
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
			if err = s.Delete(ctx, k, secret.ResourceVersion); err == nil {
				n++
			}
		}
		if err != nil && !errors.Is(err, ErrConflict) {
			errs = append(errs, err)
		}
	}
	return n, errors.Join(errs...)
}

// pageSize is the number of Secrets per list call.
const pageSize = 100

// List returns the keys of all stored instances.
func (s *Secrets) List(ctx context.Context) ([]Key, error) {
	var out []Key
	for o := (metav1.ListOptions{LabelSelector: labelManagedBy + "=landbridge", Limit: pageSize}); ; {
		list, err := s.Client.List(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("cannot list stored instances: %w", err)
		}
		for i := range list.Items {
			if k, ok := keyOf(&list.Items[i]); ok {
				out = append(out, k)
			}
		}
		if o.Continue = list.Continue; o.Continue == "" {
			return out, nil
		}
	}
}

// keyOf returns the key of the instance that a Secret holds. ok is false if the Secret is not one of
// Landbridge's.
func keyOf(secret *corev1.Secret) (k Key, ok bool) {
	k.Kind, k.Group, _ = strings.Cut(secret.Annotations[annotationOwnerKind], ".")
	namespace, name, namespaced := strings.Cut(secret.Annotations[annotationOwnerName], "/")
	if k.Namespace, k.Name = namespace, name; !namespaced {
		k.Namespace, k.Name = "", namespace
	}
	return k, string(secret.Type) == v1alpha1.SecretTypeInstance && SecretName(k) == secret.Name
}

// Delete implements Store.
func (s *Secrets) Delete(ctx context.Context, k Key, version string) error {
	if version == "" {
		return nil // it was never stored
	}
	err := s.Client.Delete(ctx, SecretName(k), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}})
	if kerrors.IsConflict(err) {
		return ErrConflict
	}
	if err != nil && !kerrors.IsNotFound(err) {
		return fmt.Errorf("cannot delete the stored instance: %w", err)
	}
	s.saved.Delete(k)
	return nil
}
