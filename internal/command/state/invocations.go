package state

import (
	"context"
	"errors"
	"fmt"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/model"
)

// ActionKinds returns the kinds of actions that the cluster serves. Nothing is stored of them.
func (c *Cluster) ActionKinds() (Kinds, error) {
	all, err := c.served.AllKinds()
	if err != nil {
		return nil, err
	}
	var out Kinds
	for _, k := range all {
		if k.Mode == model.Action {
			out = append(out, Kind{Kind: k})
		}
	}
	return out, nil
}

// Invocations returns the last attempts of selected actions as change records, sorted by object,
// and an error for kinds that cannot be read.
func (c *Cluster) Invocations(ctx context.Context, actions Kinds, s Selection) ([]History, error) {
	var out []History
	var errs []error
	for _, k := range actions {
		if s.Items != nil && !slices.ContainsFunc(s.Items, func(i Item) bool { return i.Kind.String() == k.String() }) {
			continue
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(k.GroupVersion().WithKind(k.Kind.Kind + "List"))
		if err := c.List(ctx, list, client.InNamespace(s.Namespace)); err != nil {
			// One who reads what is stored need not be permitted to read actions.
			if !kerrors.IsForbidden(err) || s.Items != nil {
				errs = append(errs, fmt.Errorf("%s: %w", k, err))
			}
			continue
		}
		for i := range list.Items {
			u := &list.Items[i]
			key := k.Key(u.GetNamespace(), u.GetName())
			e, ok := action.EntryOf(u)
			if !ok || !s.Matches(key) {
				continue
			}
			out = append(out, History{
				Group: key.Group, Kind: key.Kind, Namespace: key.Namespace, Name: key.Name, UID: u.GetUID(),
				Log: history.Log{Entries: []history.Entry{e}},
			})
		}
	}
	slices.SortFunc(out, func(a, b History) int { return a.Key().Compare(b.Key()) })
	return out, errors.Join(errs...)
}
