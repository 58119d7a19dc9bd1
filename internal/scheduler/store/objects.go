package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Objects are the remote objects that a record names, in labels of its Secret: the records that
// name an object are found without loading all of a kind. With the zero value, the record may name
// any object.
type Objects struct {
	// By identifies the rules by which objects are named. Records with other rules may name any
	// object.
	By string
	// Hash is the ObjectHash of the only object, or SeveralObjects; empty if there is none.
	Hash string
}

// SeveralObjects is the Objects.Hash of a record that may name more than one object.
const SeveralObjects = "several"

// ObjectHash returns the hash of an object that is named by its Terraform resource type and an
// identity. It suits a label.
func ObjectHash(resourceType, identity string) string {
	return hashOf(labelBytes, resourceType, identity)
}

// ObjectsBy returns Objects.By for a provider's release together with its configuration.
func ObjectsBy(release string) string { return hashOf(labelBytes, "release", release) }

// labelBytes is the size of the hashes in labels.
const labelBytes = 16

// objectsOf returns the objects that a head is labelled with.
func objectsOf(head *corev1.Secret) Objects {
	return Objects{By: head.Labels[labelObjectsBy], Hash: head.Labels[labelObject]}
}

// label labels a head.
func (o Objects) label(head *corev1.Secret) {
	if o.By == "" {
		return
	}
	head.Labels[labelObjectsBy] = o.By
	if o.Hash != "" {
		head.Labels[labelObject] = o.Hash
	}
}

// Named are objects that records of some kinds may name.
type Named struct {
	Kinds []schema.GroupKind
	// Objects are given by their ObjectHash.
	Objects []string
	// Several is set to find the records, too, that may name more than one object.
	Several bool
}

// selector selects the heads of the records.
func (n Named) selector() string {
	kinds, objects := make([]string, len(n.Kinds)), slices.Clone(n.Objects)
	for i, k := range n.Kinds {
		kinds[i] = kindLabel(k.Group, k.Kind)
	}
	if n.Several {
		objects = append(objects, SeveralObjects)
	}
	return labelKind + " in (" + strings.Join(kinds, ",") + ")," + labelObject + " in (" + strings.Join(objects, ",") + "),!" + labelPartOf
}

// NamingElsewhere calls a function with the keys of the records of other shards than the given one
// that name an object, some at a time. The first Load of such a key needs no request while the
// function is called.
func (s *Secrets) NamingElsewhere(ctx context.Context, than Shard, n Named, some func([]Key)) error {
	return s.pages(ctx, n.selector(), pageSize, func(secrets []corev1.Secret) {
		s.offer(secrets, some, func(k Key, head *corev1.Secret) bool {
			return than.conflicts(ShardOf(head)) && slices.Contains(n.Kinds, schema.GroupKind{Group: k.Group, Kind: k.Kind})
		})
	})
}

// Naming returns the keys of the records of a kind that may name one of several objects, which are
// given by their ObjectHash. few is false if there are more than most; then not all are returned.
func (s *Secrets) Naming(ctx context.Context, group, kind, by string, objects []string, most int) (keys []Key, few bool, _ error) {
	known := map[Key]bool{}
	hashes := strings.Join(append([]string{SeveralObjects}, objects...), ",")
	for _, selector := range []string{
		"!" + labelKind, // of an earlier version of Landbridge
		labelKind + "=" + kindLabel(group, kind) + "," + labelObjectsBy + "!=" + by,
		labelKind + "=" + kindLabel(group, kind) + "," + labelObject + " in (" + hashes + ")",
	} {
		list, err := s.client().List(ctx, metav1.ListOptions{
			LabelSelector: Selector + ",!" + labelPartOf + "," + selector, Limit: int64(most) + 1,
		})
		if err != nil {
			return nil, false, fmt.Errorf("cannot list the stored instances that may name an object: %w", err)
		}
		if list.Continue != "" {
			return nil, false, nil
		}
		for i := range list.Items {
			if k, ok := keyOf(&list.Items[i]); ok && k.Group == group && k.Kind == kind && !known[k] {
				known[k] = true
				keys = append(keys, k)
			}
		}
	}
	return keys, len(keys) <= most, nil
}
