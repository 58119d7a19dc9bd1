package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// announcer maintains the certificate, and the webhooks in the definitions. Every replica does so,
// with the same result.
type announcer struct {
	*Conversions
	reader client.Reader
	ours   map[string]bool
	// done has the definitions whose webhook is configured with the authorities.
	done        map[string]incarnation
	authorities string
}

// Reconcile implements reconcile.Reconciler. There is one request for all kinds.
func (a *announcer) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	several, err := a.list(ctx)
	if err != nil || a.keeper == nil || len(several) == 0 {
		return reconcile.Result{}, err
	}
	if err := a.keeper.sync(ctx); err != nil {
		return reconcile.Result{}, fmt.Errorf("the certificate of the conversion webhook: %w", err)
	}
	if now := string(a.keeper.authorities()); now != a.authorities {
		a.authorities = now
		clear(a.done)
	}
	var errs []error
	for name, now := range several {
		if a.done[name] == now {
			continue
		}
		d, err := a.announce(ctx, name)
		switch {
		case kerrors.IsNotFound(err), kerrors.IsConflict(err): // a watch event follows
		case err != nil:
			errs = append(errs, err)
		default:
			a.done[name] = incarnation{d.UID, d.Generation}
		}
	}
	return reconcile.Result{RequeueAfter: checkInterval}, errors.Join(errs...)
}

// list passes the metadata of all definitions to the converters, and returns those with several
// versions.
func (a *announcer) list(ctx context.Context) (map[string]incarnation, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := a.reader.List(ctx, list); err != nil {
		return nil, err
	}
	there, several := map[string]bool{}, map[string]incarnation{}
	for _, o := range list.Items {
		if !a.ours[o.Name] {
			continue
		}
		there[o.Name] = true
		a.definitions.observe(o.Name, &o)
		if o.Annotations[v1alpha1.AnnotationFormerVersions] != "" && o.DeletionTimestamp.IsZero() {
			several[o.Name] = incarnation{o.UID, o.Generation}
		}
	}
	for name := range a.ours {
		if !there[name] {
			a.definitions.observe(name, nil)
			delete(a.done, name)
		}
	}
	return several, nil
}

// announce configures the webhook of a definition.
func (a *announcer) announce(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	d, err := a.Definitions.Get(ctx, name, metav1.GetOptions{})
	if err != nil || !converted(d) || a.announced(d) {
		return d, err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": d.ResourceVersion},
		"spec": map[string]any{"conversion": map[string]any{"webhook": map[string]any{
			"conversionReviewVersions": []string{"v1"},
			"clientConfig": map[string]any{
				"url": nil, "caBundle": a.keeper.authorities(),
				"service": &apiextensionsv1.ServiceReference{
					Namespace: a.Service.Namespace, Name: a.Service.Name, Path: ptr.To(crd.ConversionPath), Port: ptr.To(int32(a.Port)),
				},
			},
		}}},
	})
	if err != nil {
		return nil, err
	}
	d, err = a.Definitions.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: a.Service.Name})
	if err != nil {
		return nil, fmt.Errorf("cannot configure the conversion webhook of the CRD %s: %w", name, err)
	}
	a.Logger.Info("Configured the conversion webhook", "crd", name)
	return d, nil
}
