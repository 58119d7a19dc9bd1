package planview

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Change is one plan, and what it is a plan for.
type Change struct {
	Model *model.Resource
	// Address is Terraform's, such as random_password.db.
	Address string
	// Namespace, which may be empty, and Name are those of the custom resource; Label is its name
	// within the address.
	Namespace, Name, Label string
	// Provider is the provider's address, such as registry.terraform.io/hashicorp/random.
	Provider string
	Plan     terraform.Plan
	// Deposed is the key of the deposed object the plan is about; empty for the current one.
	Deposed string
	// Importing is where the object was found that the resource takes over; nil when it does not.
	Importing *terraform.ImportTarget
	// Held says why the plan is not going to be carried out; empty when it is.
	Held string
}

// View is all that is to be shown.
type View struct {
	Changes []Change
	// Drift is what happened to the objects since they were stored: updates and deletes from the
	// stored state (Plan.Prior) to the one found (Plan.State).
	Drift []Change
}

// Counts says how much there is to do. A replacement is an addition and a destruction.
type Counts struct{ Import, Add, Change, Destroy, Held int }

// Count counts what changes do. Those that are held only count as such.
func Count(changes []Change) Counts {
	var n Counts
	for _, c := range changes {
		if c.Importing != nil {
			n.Import++
		}
		if c.Held != "" {
			n.Held++
			continue
		}
		switch c.Plan.Action {
		case terraform.Create:
			n.Add++
		case terraform.Update:
			n.Change++
		case terraform.Delete:
			n.Destroy++
		case terraform.DeleteThenCreate, terraform.CreateThenDelete:
			n.Add++
			n.Destroy++
		}
	}
	return n
}

// Empty says whether there is nothing to do.
func (n Counts) Empty() bool { return n.Import+n.Add+n.Change+n.Destroy == 0 }

// String is the line under a plan.
func (n Counts) String() string {
	imports := ""
	if n.Import > 0 {
		imports = fmt.Sprintf("%d to import, ", n.Import)
	}
	return fmt.Sprintf("Plan: %s%d to add, %d to change, %d to destroy.", imports, n.Add, n.Change, n.Destroy)
}

func (c Change) before() cty.Value { return plain(c.Plan.Prior.State, c.Model.Root().Cty) }
func (c Change) after() cty.Value  { return plain(c.Plan.State, c.Model.Root().Cty) }

func plain(v cty.Value, t cty.Type) cty.Value {
	if v == cty.NilVal {
		return cty.NullVal(t)
	}
	v, _ = v.UnmarkDeep()
	return v
}

// object is the custom resource's name, as kubectl prints it with all namespaces.
func (c Change) object() string {
	if c.Namespace == "" {
		return c.Name
	}
	return c.Namespace + "/" + c.Name
}

// isSecret says whether a text has a sensitive value of the object in it: there are types whose
// objects are imported by nothing but what they keep secret.
func (c Change) isSecret(text string) bool {
	found := false
	look := func(v cty.Value) {
		_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
			if x.IsKnown() && !x.IsNull() && x.Type() == cty.String {
				found = found || x.AsString() != "" && strings.Contains(text, x.AsString())
			}
			return true, nil
		})
	}
	var walk func(t *model.Type, v cty.Value)
	walk = func(t *model.Type, v cty.Value) {
		if !t.HasSecrets() || !v.IsKnown() || v.IsNull() {
			return
		}
		if t.Kind == model.Object {
			for _, f := range t.Object.All {
				if f.Secret() {
					look(v.GetAttr(f.Name))
				} else {
					walk(f.Type, v.GetAttr(f.Name))
				}
			}
			return
		}
		for it := v.ElementIterator(); t.Element != nil && it.Next(); {
			_, x := it.Element()
			walk(t.Element, x)
		}
	}
	for _, v := range []cty.Value{c.before(), c.after()} {
		walk(c.Model.Root(), v)
	}
	return found
}
