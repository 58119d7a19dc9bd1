package query

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/landbridge-io/landbridge/internal/controller/managed"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/redact"
)

const (
	// maxShown is the maximum of objects in a status, and maxShownBytes that of their size.
	maxShown, maxShownBytes = 100, 128 << 10
	// maxViolations is the maximum of violations in a status.
	maxViolations = 32
)

// tally counts the objects of a query, and keeps those that are told. Objects that resources of
// other namespaces own are only counted.
type tally struct {
	namespace string
	secrets   *redact.Redactor
	// pages is set if all objects are kept.
	pages bool

	total, managed, declared, unmanaged, others int64
	shown                                       []v1alpha1.QueriedObject
	all                                         []discovery.DocumentObject
	violations                                  []v1alpha1.EstateViolation
}

// add adds an object. judge returns which validations it violates.
func (t *tally) add(o discovery.Object, judge func(policy.Found) []policy.Violated) {
	t.total++
	ownership, owners := told(o.Owners, t.namespace)
	switch ownership {
	case v1alpha1.QueriedManaged:
		t.managed++
	case v1alpha1.QueriedDeclared:
		t.declared++
	case v1alpha1.QueriedUnmanaged:
		t.unmanaged++
	default:
		t.others++
		return
	}
	o.Owners = owners
	found := policy.Found{
		Model: o.Resource, DisplayName: o.DisplayName, Identity: o.Identity, State: o.State,
		Managed: ownership == v1alpha1.QueriedManaged, Declared: ownership == v1alpha1.QueriedDeclared,
	}
	if len(owners) > 0 {
		found.Owner = policy.OwnerMeta{Kind: owners[0].Kind, Namespace: owners[0].Namespace, Name: owners[0].Name}
	}
	violated := judge(found)
	document := o.Document()
	document.DisplayName = t.secrets.Replace(document.DisplayName)
	document.Identity, _ = t.secrets.JSON(document.Identity).(map[string]any)
	if t.pages {
		t.all = append(t.all, document)
	}
	t.violate(violated)
	t.show(queried(document, ownership, violated))
}

// told returns who owns an object, as far as a namespace may know it; an empty ownership if only
// resources of others do.
func told(all []discovery.Owner, namespace string) (v1alpha1.QueriedOwnership, []discovery.Owner) {
	owners := slices.DeleteFunc(slices.Clone(all), func(o discovery.Owner) bool { return o.Namespace != namespace })
	// Those that manage the object first.
	slices.SortFunc(owners, func(a, b discovery.Owner) int {
		if a.Declared != b.Declared {
			return cmp.Compare(rank(a.Declared), rank(b.Declared))
		}
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	others := func(declared bool) bool {
		return slices.ContainsFunc(all, func(o discovery.Owner) bool { return o.Namespace != namespace && o.Declared == declared })
	}
	switch {
	case len(owners) > 0 && !owners[0].Declared:
		return v1alpha1.QueriedManaged, owners
	case others(false):
		return "", nil
	case len(owners) > 0:
		return v1alpha1.QueriedDeclared, owners
	case others(true):
		return "", nil
	}
	return v1alpha1.QueriedUnmanaged, nil
}

func rank(declared bool) int {
	if declared {
		return 1
	}
	return 0
}

// queried returns an object as a status has it.
func queried(d discovery.DocumentObject, ownership v1alpha1.QueriedOwnership, violated []policy.Violated) v1alpha1.QueriedObject {
	identity, err := json.Marshal(d.Identity)
	if err != nil {
		identity = []byte("{}")
	}
	out := v1alpha1.QueriedObject{
		DisplayName: managed.Shortened(d.DisplayName, 256), Identity: apiextensionsv1.JSON{Raw: identity},
		Ownership: ownership,
	}
	for _, o := range d.ManagedBy {
		out.Owners = append(out.Owners, v1alpha1.QueriedOwner{Kind: o.Kind, Name: o.Name})
	}
	for _, v := range violated {
		if !slices.Contains(out.Violates, v.Policy) {
			out.Violates = append(out.Violates, v.Policy)
		}
	}
	return out
}

// show keeps an object for the status, if it is among the first.
func (t *tally) show(o v1alpha1.QueriedObject) {
	t.shown = append(t.shown, o)
	if len(t.shown) >= 2*maxShown {
		t.shown = first(t.shown)
	}
}

// first returns the first objects in the order of a status.
func first(all []v1alpha1.QueriedObject) []v1alpha1.QueriedObject {
	slices.SortStableFunc(all, func(a, b v1alpha1.QueriedObject) int { return cmp.Compare(place(a), place(b)) })
	size := 0
	for i, o := range all {
		size += len(o.DisplayName) + len(o.Identity.Raw)
		for _, owner := range o.Owners {
			size += len(owner.Kind) + len(owner.Name)
		}
		if i == maxShown || size > maxShownBytes {
			return all[:i]
		}
	}
	return all
}

// place is where an object is in the order of a status.
func place(o v1alpha1.QueriedObject) int {
	switch {
	case len(o.Violates) > 0:
		return 0
	case o.Ownership == v1alpha1.QueriedUnmanaged:
		return 1
	case o.Ownership == v1alpha1.QueriedDeclared:
		return 2
	}
	return 3
}

// violate counts violations.
func (t *tally) violate(violated []policy.Violated) {
	for _, v := range violated {
		i := slices.IndexFunc(t.violations, func(x v1alpha1.EstateViolation) bool { return x.Policy == v.Policy && x.Message == v.Message })
		switch {
		case i >= 0:
			t.violations[i].Objects++
		case len(t.violations) < maxViolations:
			t.violations = append(t.violations, v1alpha1.EstateViolation{Policy: v.Policy, Message: v.Message, Objects: 1})
		}
	}
}

// sorted returns the violations in the order of a status.
func (t *tally) sorted() []v1alpha1.EstateViolation {
	slices.SortFunc(t.violations, func(a, b v1alpha1.EstateViolation) int {
		return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Message, b.Message))
	})
	return t.violations
}
