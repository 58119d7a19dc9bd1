package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// History is the change record of a resource.
type History struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// UID is that of the resource that the stored instance belongs to.
	UID types.UID `json:"uid,omitempty"`
	history.Log
}

// Key returns the key of the resource.
func (h History) Key() store.Key {
	return store.Key{Group: h.Group, Kind: h.Kind, Namespace: h.Namespace, Name: h.Name}
}

// Histories returns the change records of the selected resources, sorted by resource, and an error
// for those that cannot be read.
func (c *Cluster) Histories(ctx context.Context, s Selection) ([]History, error) {
	var out []History
	add := func(secret *corev1.Secret) error {
		k, ok := store.KeyOf(secret)
		if !ok || !s.Matches(k) {
			return nil
		}
		log, err := history.Decode(store.HistoryOf(secret))
		if err != nil {
			return fmt.Errorf("%s: %w", Title(k), err)
		}
		out = append(out, History{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, UID: store.OwnerOf(secret), Log: log})
		return nil
	}
	if name, one := s.one(); one {
		secret, err := c.Stored.Client.Get(ctx, name, metav1.GetOptions{})
		if kerrors.IsNotFound(err) {
			return nil, nil
		}
		if err == nil {
			err = add(secret)
		}
		return out, err
	}
	var errs []error
	err := c.Stored.Heads(ctx, func(page []corev1.Secret) {
		for i := range page {
			errs = append(errs, add(&page[i]))
		}
	})
	if err == nil {
		err = errors.Join(errs...)
	}
	slices.SortFunc(out, func(a, b History) int { return a.Key().Compare(b.Key()) })
	return out, err
}

// one returns the name of the Secret if one resource is selected.
func (s Selection) one() (secret string, ok bool) {
	if len(s.Items) != 1 || s.Items[0].Name == "" {
		return "", false
	}
	k := s.Items[0].Kind
	namespace := s.Namespace
	if k.Cluster {
		namespace = ""
	}
	if namespace == "" && !k.Cluster {
		return "", false // of any namespace
	}
	return store.SecretName(k.Key(namespace, s.Items[0].Name)), true
}

// HistoryFilter selects entries of change records.
type HistoryFilter struct {
	// Since is the time before which entries are left out; the zero value leaves none out.
	Since time.Time
	// By is a part of who approved an operation or changed the spec for it, or of by whose wish it
	// was carried out; empty for any.
	By string
}

// Of returns the entries of a record that are selected.
func (f HistoryFilter) Of(l history.Log) []history.Entry {
	return slices.DeleteFunc(slices.Clone(l.Entries), func(e history.Entry) bool {
		return e.At.Before(f.Since) || !strings.Contains(e.By+"\n"+e.Wish(), f.By)
	})
}
