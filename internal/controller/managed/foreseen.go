package managed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// maxForeseen bounds the dependents that a preview plans.
const maxForeseen = 50

// foreseen is what a replacement would mean for what depends on the object. Resources of other
// namespaces have no names.
type foreseen struct {
	replaced, updated, refused, waits dependentNames
	// approval is set when the replacement would wait for an approval because of them, and more is
	// the number of those that were not planned.
	approval bool
	more     int
	planned  map[store.Key]bool
}

// dependentNames are names of resources, and how many others there are in other namespaces.
type dependentNames struct {
	names     []string
	elsewhere int
}

func (n *dependentNames) add(d dependent, here bool, more string) {
	if here {
		n.names = append(n.names, d.resource.GetKind()+" "+d.resource.GetName()+more)
	} else {
		n.elsewhere++
	}
}

// list returns the names, of which there may be more than are shown, and the number of the others
// in a format.
func (n *dependentNames) list(elsewhere string) []string {
	all := bounded(n.names)
	if n.elsewhere > 0 {
		all = append(all, fmt.Sprintf(elsewhere, n.elsewhere))
	}
	return all
}

// line returns a line about the resources; none if there are none.
func (n *dependentNames) line(what, separator string) []string {
	slices.Sort(n.names)
	all := n.list("%d in other namespaces")
	if len(all) == 0 {
		return nil
	}
	return []string{what + ": " + strings.Join(all, separator)}
}

// foresee returns lines about what the replacement of the object of a resource would mean for what
// depends on it.
func (k *Kind) foresee(ctx context.Context, r *CustomResource, plan *terraform.Plan) []string {
	if !plan.Replaces() {
		return nil
	}
	of := r.DeepCopy()
	if current, err := k.get(ctx, k.reader, subjectOf(r).name); err == nil {
		of.Object["status"] = current.DeepCopy().Object["status"] // that of an applied object is not its own
	}
	_ = unstructured.SetNestedField(of.Object, planStatus(k, &scheduler.Observation{Plan: plan}), "status", "plan") // it is JSON
	f := &foreseen{planned: map[store.Key]bool{}}
	f.add(ctx, k, of, r.GetNamespace())
	out := slices.Concat(
		f.replaced.line("also replaced, because they depend on the object", ", "),
		f.updated.line("updated afterwards, because they depend on the object", ", "),
		f.waits.line("nothing is done meanwhile to what uses a provider configuration with values of the object", ", "),
		f.refused.line("refused because of what depends on the object", "; "),
	)
	if f.more > 0 {
		out = append(out, fmt.Sprintf("%d more that depend on the object were not planned", f.more))
	}
	if f.approval {
		out = append(out, "waits for approval, because of what depends on the object")
	}
	return out
}

// add adds what the replacement of an object means for its dependents, and for theirs.
func (f *foreseen) add(ctx context.Context, k *Kind, of *unstructured.Unstructured, namespace string) {
	key := k.key(of)
	f.planned[key] = true
	for _, d := range k.dependentsOf(ctx, namespace, k.dependentsBy(key)) {
		its := d.kind.key(d.resource)
		switch {
		case f.planned[its]:
			continue
		case len(f.planned) > maxForeseen:
			f.more++
			continue
		}
		f.planned[its] = true
		here := d.resource.GetNamespace() == namespace
		as := &CustomResource{}
		as.assign(d.resource)
		as.replaced = map[store.Key]*unstructured.Unstructured{key: of}
		if paused(as) {
			f.refused.add(d, here, " is paused")
			continue
		}
		if d.configured {
			f.waits.add(d, here, "")
			continue
		}
		is := d.kind.effect(ctx, as)
		switch replaced := isReplace(is.action); {
		case is.refused != "":
			f.refused.add(d, here, ": "+is.refused)
		case replaced && !here && !d.kind.replacesDependents(d.resource):
			f.refused.add(d, here, "")
		case replaced:
			f.replaced.add(d, here, "")
			f.approval = f.approval || !k.replacesDependents(of)
			gone := d.resource.DeepCopy()
			unstructured.RemoveNestedField(gone.Object, "status", "plan") // nothing is known of the next one
			f.add(ctx, d.kind, gone, namespace)
		case is.action == string(terraform.Update):
			f.updated.add(d, here, "")
		}
		f.approval = f.approval || is.destroys && !k.replacesDependents(of)
		f.approval = f.approval || is.approval && here
	}
}
