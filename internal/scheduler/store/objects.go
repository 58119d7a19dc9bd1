package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// mostElsewhere is the most records of other shards that are asked which objects they name.
const mostElsewhere = 128

// NamingElsewhere returns the keys of the records of other shards, of all kinds, that name one of
// several objects, which are given by their ObjectHash. With several, it also returns those that
// may name more than one object. It returns an error if there are too many.
func (s *Secrets) NamingElsewhere(ctx context.Context, objects []string, several bool) (keys []Key, _ error) {
	if several {
		objects = append([]string{SeveralObjects}, objects...)
	}
	list, err := s.client().List(ctx, metav1.ListOptions{
		LabelSelector: Selector + ",!" + labelPartOf + "," + labelObject + " in (" + strings.Join(objects, ",") + ")", Limit: mostElsewhere,
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot list the stored instances that may name an object: %w", err)
	case list.Continue != "":
		return nil, errors.New("too many operations of other replicas run to know which objects they change")
	}
	for i := range list.Items {
		if k, ok := keyOf(&list.Items[i]); ok && s.Shard.conflicts(ShardOf(&list.Items[i])) {
			keys = append(keys, k)
		}
	}
	return keys, nil
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
		list, err := s.client().List(ctx, metav1.ListOptions{LabelSelector: Selector + ",!" + labelPartOf + "," + selector, Limit: int64(most) + 1})
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
