package kinds

import (
	"context"
	"errors"
	"fmt"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
)

// pageSize is the number of objects that are listed at once.
const pageSize = 500

// ReleaseConfigs removes the finalizer from a provider's configurations that no resource uses. It
// is for a provider whose controllers have stopped: nothing else would remove the finalizer when
// the configuration, or its namespace, is deleted later.
func (rt *Runtime) ReleaseConfigs(ctx context.Context, owner string) error {
	definitions, err := rt.definitions(ctx, owner)
	if err != nil {
		return err
	}
	used := map[providerconfig.Reference]bool{}
	var configs []kschema.GroupVersionKind
	for i := range definitions {
		kind := listKind(&definitions[i])
		if isConfig(definitions[i].Spec.Names.Kind) {
			configs = append(configs, kind)
			continue
		}
		err := rt.each(ctx, kind, func(u *unstructured.Unstructured) error {
			used[managed.ConfigurationOf(u)] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	var errs []error
	for _, kind := range configs {
		errs = append(errs, rt.each(ctx, kind, func(u *unstructured.Unstructured) error {
			ref := providerconfig.Reference{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
			if used[ref] || rt.OtherUsers != nil && len(rt.OtherUsers(ctx, owner, ref)) > 0 {
				return nil
			}
			return rt.releaseConfig(ctx, u)
		}))
	}
	return errors.Join(errs...)
}

func (rt *Runtime) releaseConfig(ctx context.Context, u *unstructured.Unstructured) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !controllerutil.RemoveFinalizer(u, v1alpha1.FinalizerInUse) {
			return nil
		}
		err := rt.Manager.GetClient().Update(ctx, u)
		if kerrors.IsConflict(err) {
			if err := rt.Manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
				return err
			}
		}
		return err
	})
	return client.IgnoreNotFound(err)
}

// BeingDeleted returns the number of resources of an owner's kinds, or that use its provider, that
// are being deleted and wait for a controller.
func (rt *Runtime) BeingDeleted(ctx context.Context, owner string) (n int, err error) {
	if rt.OthersBeingDeleted != nil {
		if n, err = rt.OthersBeingDeleted(ctx, owner); err != nil {
			return 0, err
		}
	}
	definitions, err := rt.definitions(ctx, owner)
	if err != nil {
		return 0, err
	}
	for i := range definitions {
		if isConfig(definitions[i].Spec.Names.Kind) {
			continue
		}
		err := rt.each(ctx, listKind(&definitions[i]), func(u *unstructured.Unstructured) error {
			if managed.AwaitsDeletion(u) {
				n++
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

func isConfig(kind string) bool {
	return kind == model.ProviderConfigKind || kind == model.ClusterProviderConfigKind
}

// each calls f for all objects of a kind, given its list kind. A kind that is not served has none.
func (rt *Runtime) each(ctx context.Context, list kschema.GroupVersionKind, f func(*unstructured.Unstructured) error) error {
	var errs []error
	for next := ""; ; {
		page := &unstructured.UnstructuredList{}
		page.SetGroupVersionKind(list)
		err := rt.Manager.GetAPIReader().List(ctx, page, &client.ListOptions{Limit: pageSize, Continue: next})
		if meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot list %s of %s: %w", list.Kind, list.Group, err)
		}
		for i := range page.Items {
			errs = append(errs, f(&page.Items[i]))
		}
		if next = page.GetContinue(); next == "" {
			return errors.Join(errs...)
		}
	}
}
