package query

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/discovery"
)

const (
	// maxPages is the maximum of pages, and maxPageBytes that of the objects in one.
	maxPages, maxPageBytes = 20, 512 << 10
	// pageKey is the key of a page in its ConfigMap.
	pageKey = "objects.json"
)

// pageName returns the name of a page.
func pageName(query string, number int) string { return fmt.Sprintf("%s-objects-%d", query, number) }

// paginate divides objects among pages, as documents of the command discover. left is the number of
// objects that do not fit.
func paginate(all []discovery.DocumentObject, gaps discovery.Gaps) (pages []string, left int, _ error) {
	current, size := []json.RawMessage{}, 0
	var divided [][]json.RawMessage
	for _, o := range all {
		b, err := json.Marshal(o)
		if err != nil {
			return nil, 0, err
		}
		full := size+len(b) > maxPageBytes
		if len(b) > maxPageBytes || full && len(divided) == maxPages-1 {
			left++
			continue
		}
		if full {
			divided, current, size = append(divided, current), nil, 0
		}
		current, size = append(current, b), size+len(b)+1
	}
	for _, objects := range append(divided, current) {
		page, err := json.Marshal(struct {
			Objects []json.RawMessage `json:"objects"`
			discovery.Gaps
		}{objects, gaps})
		if err != nil {
			return nil, 0, err
		}
		pages = append(pages, string(page))
	}
	return pages, left, nil
}

// writePages writes all objects into ConfigMaps, if the query asks for it, and removes those that
// it had before. It returns their names, and how many objects do not fit.
func (r *Reconciler) writePages(
	ctx context.Context, q *v1alpha1.ResourceQuery, all []discovery.DocumentObject, listing discovery.Listing,
) (names []string, left int, _ error) {
	var pages []string
	if q.Spec.Pages {
		var err error
		if pages, left, err = paginate(all, discovery.NewGaps([]discovery.Listing{listing}, nil)); err != nil {
			return nil, 0, err
		}
	}
	in := r.ConfigMaps(q.Namespace)
	for i, content := range pages {
		name := pageName(q.Name, i)
		if err := writePage(ctx, in, q, name, content); err != nil {
			return names, left, err
		}
		names = append(names, name)
	}
	// What an earlier run has written beyond is in the status, unless it could not be written.
	for i := len(pages); i < maxPages && (i < len(q.Status.Pages) || q.Spec.Pages); i++ {
		removed, err := removePage(ctx, in, q, pageName(q.Name, i))
		if err != nil {
			return names, left, err
		}
		if !removed && i >= len(q.Status.Pages) {
			break
		}
	}
	return names, left, nil
}

// writePage writes a page, unless it is as it should be. A ConfigMap of others is left alone.
func writePage(ctx context.Context, in typedcorev1.ConfigMapInterface, q *v1alpha1.ResourceQuery, name, content string) error {
	have, err := in.Get(ctx, name, metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		_, err = in.Create(ctx, page(q, name, content), metav1.CreateOptions{})
		return err
	case err != nil:
		return err
	case have.Labels[v1alpha1.LabelQuery] != string(q.UID):
		return fmt.Errorf("the ConfigMap %s is not one of this query. Remove or rename it", name)
	case isPage(have, content):
		return nil
	}
	have.Data, have.BinaryData = map[string]string{pageKey: content}, nil
	_, err = in.Update(ctx, have, metav1.UpdateOptions{})
	return err
}

func isPage(c *corev1.ConfigMap, content string) bool {
	return len(c.BinaryData) == 0 && maps.Equal(c.Data, map[string]string{pageKey: content})
}

func page(q *v1alpha1.ResourceQuery, name, content string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: q.Namespace, Labels: map[string]string{v1alpha1.LabelQuery: string(q.UID)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: "ResourceQuery", Name: q.Name, UID: q.UID, Controller: ptr.To(true),
			}},
		},
		Data: map[string]string{pageKey: content},
	}
}

// removePage removes a page, and reports whether there was one. A ConfigMap of others is left
// alone.
func removePage(ctx context.Context, in typedcorev1.ConfigMapInterface, q *v1alpha1.ResourceQuery, name string) (removed bool, _ error) {
	have, err := in.Get(ctx, name, metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil || have.Labels[v1alpha1.LabelQuery] != string(q.UID) {
		return false, err
	}
	err = in.Delete(ctx, name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &have.UID, ResourceVersion: &have.ResourceVersion},
	})
	if kerrors.IsNotFound(err) {
		err = nil
	}
	return true, err
}
