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
//
//	objects      landbridge.io/object     further labels
//	none         absent                   none
//	one          its hash                 none
//	more         each                     identity.landbridge.io/HASH for each
//	very many    several                  none: the record may name any object
//
// Earlier releases of Landbridge wrote "several" for more than one. They find the records with
// further labels because these have another landbridge.io/objects-by than theirs.
type Objects struct {
	// By identifies the rules by which objects are named. Records with other rules may name any
	// object.
	By string
	// Hashes are the ObjectHash of each object.
	Hashes []string
}

const (
	// several and each are values of labelObject.
	several = "several"
	each    = "each"
	// byEach follows By in the labels of records with a label for each object.
	byEach = "." + each
	// mostLabelled is the largest number of objects that have a label each. More would make the
	// metadata as large as a small record.
	mostLabelled = 64
)

// ObjectHash returns the hash of an object that is named by its Terraform resource type and an
// identity. It suits a label.
func ObjectHash(resourceType, identity string) string {
	return hashOf(labelBytes, resourceType, identity)
}

// ObjectsBy returns Objects.By for a provider's release together with its configuration.
func ObjectsBy(release string) string { return hashOf(labelBytes, "release", release) }

// labelBytes is the size of the hashes in labels.
const labelBytes = 16

// bounded returns the objects as labels tell them.
func (o Objects) bounded() Objects {
	o.Hashes = slices.Compact(slices.Sorted(slices.Values(o.Hashes)))
	switch {
	case o.By == "":
		return Objects{}
	case len(o.Hashes) > mostLabelled:
		o.Hashes = []string{several}
	}
	return o
}

// text identifies bounded objects.
func (o Objects) text() string { return o.By + "\x00" + strings.Join(o.Hashes, ",") }

// objectsOf returns the objects that a head is labelled with.
func objectsOf(head *corev1.Secret) Objects {
	out := Objects{By: strings.TrimSuffix(head.Labels[labelObjectsBy], byEach)}
	switch label := head.Labels[labelObject]; label {
	case "":
	case each:
		for name := range head.Labels {
			if hash, ok := strings.CutPrefix(name, labelIdentity); ok {
				out.Hashes = append(out.Hashes, hash)
			}
		}
	default:
		out.Hashes = []string{label}
	}
	return out.bounded()
}

// label labels a head with bounded objects.
func (o Objects) label(head *corev1.Secret) {
	if o.By == "" {
		return
	}
	head.Labels[labelObjectsBy] = o.By
	switch len(o.Hashes) {
	case 0:
	case 1:
		head.Labels[labelObject] = o.Hashes[0]
	default:
		head.Labels[labelObjectsBy], head.Labels[labelObject] = o.By+byEach, each
		for _, hash := range o.Hashes {
			head.Labels[labelIdentity+hash] = ""
		}
	}
}

// mayName reports whether the record may name one of several objects, if its kind has such ones.
func (o Objects) mayName(hashes []string, ofKind bool) bool {
	if o.By == "" || slices.Contains(o.Hashes, several) {
		return ofKind
	}
	return slices.ContainsFunc(o.Hashes, func(hash string) bool { return slices.Contains(hashes, hash) })
}

// Named are objects that records may name.
type Named struct {
	// Kinds are those whose resources have such objects. Records that do not tell which objects
	// they name are found if they are of these.
	Kinds []schema.GroupKind
	// Objects are given by their ObjectHash.
	Objects []string
}

// fewObjects is for how many objects the labels of records are asked one by one. For more, all
// records with such labels are listed.
const fewObjects = 4

// selectors select the heads of the records. Some selected ones name other objects.
func (n Named) selectors() []string {
	kinds := make([]string, len(n.Kinds))
	for i, k := range n.Kinds {
		kinds[i] = kindLabel(k.Group, k.Kind)
	}
	ofKinds := labelKind + " in (" + strings.Join(kinds, ",") + ")"
	out := []string{labelObject + " in (" + strings.Join(n.Objects, ",") + ")"}
	if len(kinds) > 0 {
		out = append(out, ofKinds+","+labelObject+"="+several, ofKinds+",!"+labelObjectsBy)
	}
	if len(n.Objects) > fewObjects {
		return append(out, labelObject+"="+each)
	}
	for _, hash := range n.Objects {
		out = append(out, labelIdentity+hash)
	}
	return out
}

// NamingElsewhere calls a function with the keys of the records that may name an object and that
// the given shard has not written, some at a time: those of other shards, and those that a shard
// has left to another one. The first Load of such a key needs no request while the function is
// called.
func (s *Secrets) NamingElsewhere(ctx context.Context, than Shard, n Named, some func([]Key)) error {
	seen := map[Key]bool{}
	for _, selector := range n.selectors() {
		err := s.pages(ctx, selector+",!"+labelPartOf, pageSize, func(secrets []corev1.Secret) {
			s.offer(secrets, some, func(k Key, head *corev1.Secret) bool {
				ofKind := slices.Contains(n.Kinds, schema.GroupKind{Group: k.Group, Kind: k.Kind})
				if seen[k] || ShardOf(head) == than || !objectsOf(head).mayName(n.Objects, ofKind) {
					return false
				}
				seen[k] = true
				return true
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Naming returns the keys of the records of a kind that may name one of several objects, which are
// given by their ObjectHash. few is false if there are more than most; then not all are returned.
func (s *Secrets) Naming(ctx context.Context, group, kind, by string, objects []string, most int) (keys []Key, few bool, _ error) {
	known := map[Key]bool{}
	hashes := strings.Join(append([]string{several, each}, objects...), ",")
	for _, selector := range []string{
		"!" + labelKind, // of an earlier version of Landbridge
		labelKind + "=" + kindLabel(group, kind) + "," + labelObjectsBy + " notin (" + by + "," + by + byEach + ")",
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
			head := &list.Items[i]
			named := objectsOf(head)
			told := named.By == by && head.Labels[labelKind] != ""
			if k, ok := keyOf(head); ok && k.Group == group && k.Kind == kind && !known[k] && (!told || named.mayName(objects, true)) {
				known[k] = true
				keys = append(keys, k)
			}
		}
	}
	return keys, len(keys) <= most, nil
}
