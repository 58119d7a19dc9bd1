package status

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// atOnce is the maximum of kinds that are listed concurrently.
const atOnce = 10

// page is the number of resources per list call.
const page = 500

// List returns all resources of the kinds, in one namespace or, with "", in all. Kinds that cannot
// be listed are left out; the error names them.
func (c *Client) List(ctx context.Context, kinds []Kind, namespace string) ([]Row, error) {
	return c.Select(ctx, kinds, namespace, "")
}

// Select is List of the resources whose labels a selector matches.
func (c *Client) Select(ctx context.Context, kinds []Kind, namespace, selector string) ([]Row, error) {
	var out []Row
	err := c.Pages(ctx, kinds, namespace, selector, func(rows []Row) error {
		out = append(out, rows...)
		return nil
	})
	return out, err
}

// Pages calls visit with what Select returns, in the same order, in pages of at most 500 as they
// arrive. It ends with the error of visit, if that returns one.
func (c *Client) Pages(ctx context.Context, kinds []Kind, namespace, selector string, visit func([]Row) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kinds = slices.Clone(kinds)
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.place(), b.place()) })
	pages := make([]chan listed, len(kinds))
	for i := range pages {
		pages[i] = make(chan listed, 1)
	}
	go func() {
		var group errgroup.Group
		group.SetLimit(atOnce)
		for i, k := range kinds {
			group.Go(func() error {
				defer close(pages[i])
				c.list(ctx, k, namespace, selector, pages[i])
				return nil
			})
		}
	}()
	var errs []error
	for _, of := range pages {
		for p := range of {
			if p.err != nil {
				errs = append(errs, p.err)
			} else if err := visit(p.rows); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// listed is a page of a kind's resources, or why there are no more.
type listed struct {
	rows []Row
	err  error
}

func (c *Client) resources(k Kind, namespace string) dynamic.ResourceInterface {
	if k.Cluster {
		namespace = ""
	}
	return c.dynamic.Resource(k.GroupVersionResource).Namespace(namespace)
}

// list sends the pages of a kind.
func (c *Client) list(ctx context.Context, k Kind, namespace, selector string, to chan<- listed) {
	for o := (metav1.ListOptions{Limit: page, LabelSelector: selector}); ; {
		list, err := c.resources(k, namespace).List(ctx, o)
		var out listed
		switch {
		case kerrors.IsNotFound(err):
			return // the kind was removed meanwhile
		case err != nil:
			out.err = fmt.Errorf("cannot list %s: %w", k, err)
		default:
			for i := range list.Items {
				out.rows = append(out.rows, RowOf(&list.Items[i]))
			}
		}
		select {
		case to <- out:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		if o.Continue = list.GetContinue(); o.Continue == "" {
			return
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
