package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
)

// TerraformProvider returns the manifest that serves resource types of a provider. version is empty
// for any.
func TerraformProvider(name, source, version string, types []string, c config.Provider) (importer.Manifest, error) {
	p := &v1alpha1.TerraformProvider{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "TerraformProvider"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.TerraformProviderSpec{
			Source: strings.TrimPrefix(source, "registry.terraform.io/"), Version: version,
			Activate: slices.Compact(slices.Sorted(slices.Values(types))),
			Group:    c.Group, ProviderConfig: c.ProviderConfig, Overrides: c.Overrides, Resources: c.Resources,
		},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(p)
	if err != nil {
		return importer.Manifest{}, err
	}
	u := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return importer.Manifest{Origin: "The provider " + source, Resource: u, Folder: importer.ProviderFolder}, nil
}

// Manifest returns the manifest of a provider configuration.
func (c *Configuration) Manifest() importer.Manifest {
	return importer.Manifest{Origin: c.Old.Title(), Resource: c.Object, Inputs: c.Secret, Notes: c.Notes}
}

// Install creates a provider, and waits until it is healthy. One of its name that exists is left as
// it is.
func (h *HandOver) Install(ctx context.Context, m importer.Manifest) error {
	u := m.Resource.DeepCopy()
	what := "TerraformProvider " + u.GetName()
	if err := h.Client.Create(ctx, u, client.FieldValidation(metav1.FieldValidationStrict), fieldOwner); err != nil &&
		!kerrors.IsAlreadyExists(err) {
		if apimeta.IsNoMatchError(err) {
			return errors.New("the cluster has no TerraformProviders: install Landbridge first")
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	until := h.patience()
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		there, err := h.get(ctx, u)
		if err != nil || there == nil {
			return false, errors.Join(err, missing(there, what))
		}
		for _, kind := range []string{"Installed", "Healthy"} {
			c := conditionOf(there, kind)
			switch {
			case c["status"] == "True":
			case time.Now().Before(until):
				return false, nil
			default:
				return false, fmt.Errorf("%s is not ready: %v", what, c["message"])
			}
		}
		return true, nil
	})
}

func missing(u *unstructured.Unstructured, what string) error {
	if u == nil {
		return fmt.Errorf("%s is gone", what)
	}
	return nil
}

// Configure creates a provider configuration and its Secret. Those of their names that exist must
// be equal.
func (h *HandOver) Configure(ctx context.Context, c *Configuration) error {
	if c.Secret != nil {
		there := &corev1.Secret{}
		err := h.Client.Create(ctx, c.Secret.DeepCopy(), fieldOwner)
		if kerrors.IsAlreadyExists(err) {
			if err = h.Client.Get(ctx, client.ObjectKeyFromObject(c.Secret), there); err == nil && !equalData(there.Data, c.Secret.Data) {
				err = errors.New("it exists with other values. Delete it, or write the provider configuration yourself")
			}
		}
		if err != nil {
			return fmt.Errorf("the Secret %s: %w", client.ObjectKeyFromObject(c.Secret), err)
		}
	}
	// The kind may have been served a moment ago only.
	until := h.patience()
	return wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		err := h.Client.Create(ctx, c.Object.DeepCopy(), client.FieldValidation(metav1.FieldValidationStrict), fieldOwner)
		switch {
		case err == nil, kerrors.IsAlreadyExists(err):
			return true, nil
		case (apimeta.IsNoMatchError(err) || kerrors.IsNotFound(err) || kerrors.IsServiceUnavailable(err) ||
			kerrors.IsTooManyRequests(err)) && time.Now().Before(until):
			return false, nil
		}
		return false, fmt.Errorf("%s %s: %w", c.Object.GetKind(), client.ObjectKeyFromObject(c.Object), err)
	})
}

// Served waits until the API server accepts the new resources' kinds.
func (h *HandOver) Served(ctx context.Context, all []Step) error {
	until := h.patience()
	for _, s := range all {
		if s.New.Resource == nil {
			continue
		}
		err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
			list := &unstructured.UnstructuredList{}
			gvk := s.New.Resource.GroupVersionKind()
			gvk.Kind += "List"
			list.SetGroupVersionKind(gvk)
			err := h.Client.List(ctx, list, client.InNamespace(s.New.Resource.GetNamespace()), client.Limit(1))
			if err != nil && time.Now().Before(until) &&
				(apimeta.IsNoMatchError(err) || kerrors.IsNotFound(err) || kerrors.IsServiceUnavailable(err) ||
					kerrors.IsTooManyRequests(err)) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.New.Resource.GroupVersionKind().GroupKind(), err)
		}
	}
	return nil
}
