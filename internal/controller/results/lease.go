package results

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/ephemeral"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// lease is one opening of an ephemeral resource, as it is stored.
type lease struct {
	ephemeral.Lease
	// OpenedAt is when it was opened. The Secret with its result has it, too.
	OpenedAt time.Time
	// Hash is that of the arguments.
	Hash string
	// Private are the provider's bytes, which may be as secret as the result.
	Private []byte
}

func (l lease) open() terraform.Open { return terraform.Open{Private: l.Private, RenewAt: l.RenewAt} }

// leases are what is stored of one object.
type leases struct {
	// Owner is the UID of the object.
	Owner   types.UID
	Current *lease
	// Replaced are openings that are not closed yet.
	Replaced []lease

	// version is that of the Secret; empty if nothing is stored.
	version string
}

// Leases keeps what is needed to renew and close ephemeral resources: a Secret of Landbridge's own
// namespace for each object of which something is open, beside those of resources (package store).
type Leases struct {
	// Client accesses the Secrets of Landbridge's namespace. It must not cache.
	Client typedcorev1.SecretInterface
}

// leaseData is the key of leases in their Secret.
const leaseData = "leases.json"

// leaseName returns the name of the Secret of an object.
func leaseName(k store.Key) string { return "lease." + store.SecretName(k) }

// load returns what is stored of an object. What was opened for another one of the same name, which
// is gone, is to be closed.
func (s Leases) load(ctx context.Context, k store.Key, owner types.UID) (leases, error) {
	out := leases{Owner: owner}
	secret, err := s.Client.Get(ctx, leaseName(k), metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		return out, nil
	case err != nil:
		return out, fmt.Errorf("cannot load what is open: %w", err)
	}
	if err := json.Unmarshal(secret.Data[leaseData], &out); err != nil {
		// The error is left out, since it may quote the Secret.
		return out, fmt.Errorf("the Secret %s cannot be read; delete it, and what it is about ends "+
			"with its lifetime", secret.Name)
	}
	out.version = secret.ResourceVersion
	if out.Owner != owner && out.Current != nil {
		out.Replaced, out.Current = append(out.Replaced, *out.Current), nil
	}
	out.Owner = owner
	return out, nil
}

// save stores what is open, or removes the Secret if nothing is. Another writer causes a conflict.
func (s Leases) save(ctx context.Context, k store.Key, l *leases) error {
	if l.Current == nil && len(l.Replaced) == 0 {
		return s.remove(ctx, k, l)
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: leaseName(k), ResourceVersion: l.version, Labels: map[string]string{"app.kubernetes.io/managed-by": "landbridge-leases"},
			Annotations: map[string]string{"landbridge.io/owner-kind": k.Kind + "." + k.Group, "landbridge.io/owner": k.Namespace + "/" + k.Name},
		},
		Type: v1alpha1.SecretTypeLease,
		Data: map[string][]byte{leaseData: raw},
	}
	if l.version == "" {
		secret, err = s.Client.Create(ctx, secret, metav1.CreateOptions{})
	} else {
		secret, err = s.Client.Update(ctx, secret, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("cannot store what is open: %w", err)
	}
	l.version = secret.ResourceVersion
	return nil
}

func (s Leases) remove(ctx context.Context, k store.Key, l *leases) error {
	if l.version == "" {
		return nil
	}
	err := s.Client.Delete(ctx, leaseName(k), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &l.version}})
	if err != nil && !kerrors.IsNotFound(err) {
		return fmt.Errorf("cannot remove what was open: %w", err)
	}
	l.version = ""
	return nil
}
