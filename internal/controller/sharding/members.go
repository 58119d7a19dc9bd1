package sharding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/ptr"
)

const labelMember = "landbridge.io/replica-of"

// Members are the replicas that live. Each has a Lease, which it renews. That a replica is taken
// for dead, or for living, is no danger: who works on a shard is decided by the lease of the shard.
type Members struct {
	Leases v1.LeaseInterface
	// Of is the name of the program, ID identifies this replica.
	Of, ID   string
	Duration time.Duration

	seen map[string]seenLease
}

// seenLease is a version of a lease, and since when it is the latest.
type seenLease struct {
	version string
	since   time.Time
}

// forgottenAfter is how many durations after its last renewal the Lease of a dead replica is
// deleted.
const forgottenAfter = 8

func (m *Members) name() string {
	sum := sha256.Sum256([]byte(m.ID))
	return m.Of + "-replica-" + hex.EncodeToString(sum[:8])
}

// Alive renews the Lease of this replica, and returns the replicas that live.
func (m *Members) Alive(ctx context.Context) (ids []string, _ error) {
	if err := m.renew(ctx); err != nil {
		return nil, err
	}
	list, err := m.Leases.List(ctx, metav1.ListOptions{LabelSelector: labelMember + "=" + m.Of})
	if err != nil {
		return nil, err
	}
	seen := map[string]seenLease{}
	for _, l := range list.Items {
		now := m.seen[l.Name]
		if now.version != l.ResourceVersion {
			now = seenLease{l.ResourceVersion, time.Now()}
		}
		seen[l.Name] = now
		switch silent := time.Since(now.since); {
		case silent <= m.Duration:
			ids = append(ids, ptr.Deref(l.Spec.HolderIdentity, ""))
		case silent > forgottenAfter*m.Duration:
			o := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &l.ResourceVersion}}
			if err := m.Leases.Delete(ctx, l.Name, o); err != nil && !kerrors.IsNotFound(err) && !kerrors.IsConflict(err) {
				return nil, err
			}
		}
	}
	m.seen = seen
	return ids, nil
}

func (m *Members) renew(ctx context.Context) error {
	now := metav1.NewMicroTime(time.Now())
	lease, err := m.Leases.Get(ctx, m.name(), metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		_, err = m.Leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: m.name(), Labels: map[string]string{labelMember: m.Of}},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &m.ID, AcquireTime: &now, RenewTime: &now},
		}, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = m.Leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// Leave tells the others that this replica ends.
func (m *Members) Leave(ctx context.Context) error {
	err := m.Leases.Delete(ctx, m.name(), metav1.DeleteOptions{})
	if kerrors.IsNotFound(err) {
		return nil
	}
	return err
}
