package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// In schedules with approvals, resources have approval policies, and users approve plans as they
// see them, which may be outdated. From the outside, whatever the cloud is asked for must be in a
// plan that was approved, and each approval is for one change of an object.

// Unapproved is the kind of a change that the cloud was asked for, and that is in no approved plan.
const Unapproved ViolationKind = "unapproved"

// planKey is the key of plans' hashes of all processes.
var planKey = []byte("the key of all plans of a simulation")

// seen is a plan as its user saw and approved it.
type seen struct {
	action string
	// after are the planned values of the fields that it shows.
	after map[string]string
	// contained are the actions on the objects of a pair, by type.
	contained map[string]string
	// dependents are the UIDs of the resources that are replaced with it.
	dependents []string
}

// carriedOut is a change that the cloud was asked for.
type carriedOut struct {
	resourceType string
	action       instance.OperationKind
	state        state
}

// chooseApproval chooses the approval policy of a new resource.
func (u *users) chooseApproval(i *incarnation, spec map[string]any) {
	if !u.w.choices.approvals {
		return
	}
	i.approval = pick(u.w.choices, crd.ApprovalAlways, crd.ApprovalAlways, crd.ApprovalDestructive, crd.ApprovalNever)
	spec["lifecycle"].(map[string]any)["approvalPolicy"] = i.approval
}

// approve approves the plan that a resource shows, if it shows one.
func (u *users) approve(k store.Key, i *incarnation) {
	r := u.resource(k)
	plan, _, _ := unstructured.NestedMap(r.Object, "status", "plan")
	hash, _ := plan["hash"].(string)
	if hash == "" || r.GetAnnotations()[v1alpha1.AnnotationApprove] == hash {
		return
	}
	text := func(of map[string]any, name string) string { s, _ := of[name].(string); return s }
	s := seen{action: text(plan, "action"), after: map[string]string{}, contained: map[string]string{}}
	changes, _ := plan["changes"].([]any)
	for _, c := range changes {
		if m, _ := c.(map[string]any); m["after"] != nil {
			s.after[text(m, "path")] = fmt.Sprint(m["after"])
		}
	}
	resources, _ := plan["resources"].([]any)
	for _, c := range resources {
		m, _ := c.(map[string]any)
		for _, t := range contained {
			if text(m, "address") == t+"."+resourceName {
				s.contained[t] = text(m, "action")
			}
		}
	}
	listed, _, _ := unstructured.NestedSlice(r.Object, "status", "replacement", "dependents")
	for _, d := range listed {
		m, _ := d.(map[string]any)
		s.dependents = append(s.dependents, text(m, "uid"))
	}
	i.approved = append(i.approved, s)
	u.w.note("user approves a plan of %s %s: %s %v %v", k.Kind, k.Name, s.action, s.after, s.contained)
	u.annotate(k, v1alpha1.AnnotationApprove, hash)
	if _, refers := u.w.references[k]; refers {
		return
	}
	// Another user edits it before the plan is carried out.
	switch u.w.choices.next(5) {
	case 3:
		u.resize(k)
	case 4:
		u.move(k, i)
	}
}

// forgetApproval is called before a user removes what is stored of a resource. If its status does
// not tell the latest approval, nothing may know afterwards whether it was used.
func (u *users) forgetApproval(k store.Key, i *incarnation) {
	r := u.resource(k)
	if r == nil {
		return
	}
	if told, _, _ := unstructured.NestedString(r.Object, "status", "lastApproval",
		"hash"); told != r.GetAnnotations()[v1alpha1.AnnotationApprove] {
		i.changes = nil
	}
}

// asked is called when the cloud is asked for a change.
func (c *check) asked(resourceType string, action instance.OperationKind, v state) {
	c.acts(action, v.text("tag"))
	owners := c.owners(resourceType, v)
	asked := carriedOut{resourceType, action, v}
	if slices.ContainsFunc(owners, func(i *incarnation) bool { return i.permits(asked) }) || len(owners) == 0 {
		return
	}
	c.violated(Unapproved, v.text("tag")+resourceType+string(action)+v.text("zone")+fmt.Sprint(v.size()),
		"%s of %s %s (%s, %s) in %s with size %d is in no approved plan", action, resourceType, v.text("id"),
		v.text("name"), v.text("tag"), v.text("zone"), v.size())
}

// owners are the resources that an object may belong to: the one that made it, which a process may
// not know to be gone, and in that case those that have replaced it since, and those of the
// object's name.
func (c *check) owners(resourceType string, v state) []*incarnation {
	u := c.w.users
	maker := u.byTag[v.text("tag")]
	if maker == nil {
		return nil
	}
	out := []*incarnation{maker}
	if u.current[maker.key] == maker {
		return out
	}
	for _, tag := range slices.Sorted(maps.Keys(u.byTag)) {
		i := u.byTag[tag]
		isNamed := u.current[i.key] == i && i.places[v.text("name")] && slices.Contains(u.types(i.key), resourceType)
		if i != maker && (i.key == maker.key || isNamed) {
			out = append(out, i)
		}
	}
	return out
}

// permits reports whether a change needs no approval, or is in an approved plan that was not used
// for another one. A replaced object is destroyed until it is gone, so deletes may repeat.
func (i *incarnation) permits(c carriedOut) bool {
	switch i.approval {
	case crd.ApprovalAlways:
	case crd.ApprovalDestructive:
		if c.action != instance.Delete {
			return true
		}
	default:
		return true
	}
	if c.action == instance.Delete {
		return slices.ContainsFunc(i.approved, func(s seen) bool { return s.covers(c) })
	}
	changes := append(slices.Clone(i.changes), c)
	if !assignable(changes, i.approved) {
		return false
	}
	i.changes = changes
	return true
}

// approvesReplacement reports whether the user has approved a plan that replaces an object.
func (i *incarnation) approvesReplacement() bool {
	return slices.ContainsFunc(i.approved, func(s seen) bool {
		return strings.Contains(s.action, "Then")
	})
}

// assignable reports whether each change can have an approved plan of its own: a matching, by
// augmenting paths. An object of a module that has another type may be in the same plan.
func assignable(changes []carriedOut, approved []seen) bool {
	type slot struct {
		plan         int
		resourceType string
	}
	taken := map[slot]int{}
	var assign func(at int, tried map[slot]bool) bool
	assign = func(at int, tried map[slot]bool) bool {
		c := changes[at]
		for plan, s := range approved {
			to := slot{plan, c.resourceType}
			if tried[to] || !s.covers(c) {
				continue
			}
			tried[to] = true
			if other, ok := taken[to]; !ok || assign(other, tried) {
				taken[to] = at
				return true
			}
		}
		return false
	}
	for at := range changes {
		if !assign(at, map[slot]bool{}) {
			return false
		}
	}
	return true
}

// covers reports whether a change is in the plan. Of an object that is destroyed, only the action
// is known.
func (s seen) covers(c carriedOut) bool {
	planned := s.action
	if len(s.contained) > 0 {
		planned = s.contained[c.resourceType]
	}
	if planned != string(c.action) && !(strings.Contains(planned, "Then") && c.action != instance.Update) { // a replacement
		return false
	}
	if c.action == instance.Delete {
		return true
	}
	for field, value := range map[string]string{
		"name": c.state.text("name"), "zone": c.state.text("zone"), "size": fmt.Sprint(c.state.size()),
	} {
		if after, ok := s.after[field]; ok && after != value {
			return false
		}
	}
	return true
}
