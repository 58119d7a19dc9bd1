package status

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// atOnce is the maximum of kinds that are listed concurrently.
const atOnce = 10

// page is the number of resources per list call.
const page = 500

// List returns all resources of the kinds, in one namespace or, with "", in all. Kinds that cannot be
// listed are left out; the error names them.
func (c *Client) List(ctx context.Context, kinds []Kind, namespace string) ([]Row, error) {
	return c.Select(ctx, kinds, namespace, "")
}

// Select is List of the resources whose labels a selector matches.
func (c *Client) Select(ctx context.Context, kinds []Kind, namespace, selector string) ([]Row, error) {
	var mu sync.Mutex
	var rows []Row
	var errs []error
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, k := range kinds {
		group.Go(func() error {
			found, err := c.list(ctx, k, namespace, selector)
			mu.Lock()
			defer mu.Unlock()
			rows = append(rows, found...)
			if err != nil {
				errs = append(errs, fmt.Errorf("cannot list %s: %w", k, err))
			}
			return nil
		})
	}
	_ = group.Wait()
	sortRows(rows)
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return rows, errors.Join(errs...)
}

func (c *Client) resources(k Kind, namespace string) dynamic.ResourceInterface {
	return c.dynamic.Resource(k.GroupVersionResource).Namespace(namespace)
}

func (c *Client) list(ctx context.Context, k Kind, namespace, selector string) ([]Row, error) {
	var rows []Row
	for o := (metav1.ListOptions{Limit: page, LabelSelector: selector}); ; {
		list, err := c.resources(k, namespace).List(ctx, o)
		switch {
		case kerrors.IsNotFound(err):
			return nil, nil // the kind was removed meanwhile
		case err != nil:
			return rows, err
		}
		for i := range list.Items {
			rows = append(rows, RowOf(&list.Items[i]))
		}
		if o.Continue = list.GetContinue(); o.Continue == "" {
			return rows, nil
		}
	}
}

// Get returns one resource.
func (c *Client) Get(ctx context.Context, k Kind, namespace, name string) (Row, error) {
	u, err := c.resources(k, namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return Row{}, err
	}
	return RowOf(u), nil
}

// Names returns the names of the resources of a kind.
func (c *Client) Names(ctx context.Context, k Kind, namespace string) ([]string, error) {
	list, err := c.resources(k, namespace).List(ctx, metav1.ListOptions{Limit: page})
	if err != nil {
		return nil, err
	}
	out := make([]string, len(list.Items))
	for i := range list.Items {
		out[i] = list.Items[i].GetName()
	}
	return out, nil
}

func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Key(), b.Key()) })
}
