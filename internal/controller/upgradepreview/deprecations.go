package upgradepreview

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// Deprecations returns which live resources and provider configurations use what is deprecated in
// the installed version. It needs neither the stored instances nor the new version.
func Deprecations(ctx context.Context, o Options) (rows []upgrade.Row, notes []string, _ error) {
	r := newRun(o)
	served, err := r.served(ctx)
	if err != nil {
		return nil, nil, err
	}
	if r.namespaces, err = r.readable(ctx, served); err != nil {
		return nil, nil, err
	}
	config, err := evolution.FromConfig(o.Installed.Provider)
	if err != nil {
		return nil, nil, err
	}
	err = r.configurations(ctx, func(object map[string]any) []upgrade.Finding { return upgrade.FieldDeprecations(config, object) })
	if err != nil {
		return nil, nil, err
	}
	for _, t := range served {
		if err := r.deprecated(ctx, t); err != nil {
			return nil, nil, err
		}
	}
	return r.grouper.Report().Rows, r.notes, nil
}

// deprecated adds the resources of a type that use what is deprecated to the report.
func (r *run) deprecated(ctx context.Context, resourceType string) error {
	m := r.Installed.Provider.Resources[resourceType]
	k, err := evolution.FromResource(m)
	if err != nil {
		return err
	}
	for _, n := range r.namespaces {
		err := r.list(ctx, m.ListGroupVersionKind(), func(all []unstructured.Unstructured) (bool, error) {
			for _, u := range all {
				if found := upgrade.Deprecations(m, k, u.Object); len(found) > 0 {
					r.grouper.Add(upgrade.Subject{Kind: kindOf(m), Namespace: u.GetNamespace(), Name: u.GetName()}, found)
				}
			}
			return true, nil
		}, client.InNamespace(n), client.MatchingLabelsSelector{Selector: r.Selector})
		if err != nil {
			return fmt.Errorf("cannot list %s: %w", m.CRDName(), err)
		}
	}
	return nil
}
