package controller

import (
	"context"

	"github.com/go-logr/logr"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// sweeper removes, once, the stored state of deleted resources without a remote object that an
// earlier process did not remove.
type sweeper struct {
	store  *store.Secrets
	live   client.Reader
	mapper meta.RESTMapper
	log    logr.Logger
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (s *sweeper) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable. A failure is only logged.
func (s *sweeper) Start(ctx context.Context) error {
	n, err := s.store.Sweep(ctx, s.exists)
	if err != nil {
		s.log.Error(err, "Cannot remove all stored state of deleted resources")
	}
	if n > 0 {
		s.log.Info("Removed the stored state of deleted resources", "resources", n)
	}
	return nil
}

func (s *sweeper) exists(ctx context.Context, k store.Key) (bool, error) {
	mapping, err := s.mapper.RESTMapping(schema.GroupKind{Group: k.Group, Kind: k.Kind})
	if meta.IsNoMatchError(err) {
		return false, nil // without its CRD no resource exists
	}
	if err != nil {
		return true, err
	}
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(mapping.GroupVersionKind)
	err = s.live.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: k.Name}, o)
	if kerrors.IsNotFound(err) {
		return false, nil
	}
	return true, err
}
