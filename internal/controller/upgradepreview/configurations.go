package upgradepreview

import (
	"context"
	"fmt"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// converting reads provider configurations as those of the new version.
type converting struct {
	client.Reader
	group    string
	old, new *evolution.Kind
}

// Converting returns a reader that reads provider configurations of the installed version as those
// of the new one.
func Converting(reader client.Reader, installed, new *model.Provider) (client.Reader, error) {
	old, err := evolution.FromConfig(installed)
	if err != nil {
		return nil, err
	}
	now, err := evolution.FromConfig(new)
	if err != nil {
		return nil, err
	}
	return converting{Reader: reader, group: installed.Group, old: old, new: now}, nil
}

// Get implements client.Reader.
func (c converting) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	err := c.Reader.Get(ctx, key, into, options...)
	if u, ok := into.(*unstructured.Unstructured); ok && err == nil && isConfiguration(u.GroupVersionKind(), c.group) {
		u.Object, _ = upgrade.ConfigFields(u.Object, c.old, c.new)
	}
	return err
}

func isConfiguration(gvk kschema.GroupVersionKind, group string) bool {
	return gvk.Group == group && (gvk.Kind == model.ProviderConfigKind || gvk.Kind == model.ClusterProviderConfigKind)
}

// compareConfigurations adds what provider configurations use that is gone, of another type or
// deprecated in the new version.
func (r *run) compareConfigurations(ctx context.Context) error {
	old, err := evolution.FromConfig(r.Installed.Provider)
	if err != nil {
		return err
	}
	now, err := evolution.FromConfig(r.New.Provider)
	if err != nil {
		return err
	}
	return r.configurations(ctx, func(object map[string]any) []upgrade.Finding {
		_, found := upgrade.ConfigFields(object, old, now)
		return found
	})
}

// configurations adds what is found about provider configurations to the report. They are no
// resources: those without findings are not counted.
func (r *run) configurations(ctx context.Context, of func(object map[string]any) []upgrade.Finding) error {
	for _, kind := range []string{model.ClusterProviderConfigKind, model.ProviderConfigKind} {
		gvk := kschema.GroupVersionKind{Group: r.Installed.Provider.Group, Version: r.Installed.Provider.Version, Kind: kind + "List"}
		namespaces := r.namespaces
		if kind == model.ClusterProviderConfigKind {
			namespaces = []string{""}
		}
		for _, n := range namespaces {
			err := r.list(ctx, gvk, func(all []unstructured.Unstructured) (bool, error) {
				for _, u := range all {
					if found := of(u.Object); len(found) > 0 {
						r.grouper.Add(upgrade.Subject{
							Kind: upgrade.Kind{Group: gvk.Group, Kind: kind}, Namespace: u.GetNamespace(),
							Name: u.GetName(),
						}, found)
					}
				}
				return true, nil
			}, client.InNamespace(n))
			switch {
			case kerrors.IsForbidden(err):
				r.notes = append(r.notes, fmt.Sprintf("%ss are not compared: you may not list them.", kind))
			case err != nil && !meta.IsNoMatchError(err) && !kerrors.IsNotFound(err):
				return err
			}
		}
	}
	return nil
}
