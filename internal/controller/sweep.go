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

// sweeper removes, once, what an earlier process did not come to remove: what is stored of
// resources that are gone, and of which nothing exists.
type sweeper struct {
	store  *store.Secrets
	live   client.Reader
	mapper meta.RESTMapper
	log    logr.Logger
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (s *sweeper) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable. What is left is no reason not to work.
func (s *sweeper) Start(ctx context.Context) error {
	n, err := s.store.Sweep(ctx, s.exists)
	if err != nil {
		s.log.Error(err, "Cannot remove all that is stored of resources that are gone")
	}
	if n > 0 {
		s.log.Info("Removed what was stored of resources that are gone", "resources", n)
	}
	return nil
}

func (s *sweeper) exists(ctx context.Context, k store.Key) (bool, error) {
	mapping, err := s.mapper.RESTMapping(schema.GroupKind{Group: k.Group, Kind: k.Kind})
	if meta.IsNoMatchError(err) {
		return false, nil // nor are there any others of the kind
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
