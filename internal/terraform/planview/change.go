package planview

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Change is a plan and its resource.
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
	// Deposed is the key of the deposed object that the plan is for; empty for the current one.
	Deposed string
	// Importing is the target of an import; nil if nothing is imported.
	Importing *terraform.ImportTarget
	// Held is the reason why the plan will not be carried out; empty if it will be.
	Held string
	// Invokes are the actions that the change has invoked in a cluster, such as
	// snapshots.action.cloud.landbridge.io (backup): BeforeUpdate.
	Invokes []string
}

// View has the changes to show.
type View struct {
	Changes []Change
	// Drift has the changes of objects since they were stored: updates and deletes from the
	// stored state (Plan.Prior) to the state that was read (Plan.State).
	Drift []Change
	// Incomplete is set if there is more than the changes that were planned.
	Incomplete bool
}

// Counts are the numbers of actions. A replacement is an addition and a destruction.
type Counts struct{ Import, Add, Change, Destroy, Held int }

// add counts an action.
func (n *Counts) add(a terraform.Action) {
	switch a {
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

// Count counts the actions of changes. Held changes count only as held. Of a module, the objects
// that change are counted, unless only its outputs change.
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
		before := n
		for _, x := range c.Plan.Contained {
			n.add(x.Action)
		}
		if n == before {
			n.add(c.Plan.Action)
		}
	}
	return n
}

// nothingToDo is what a view without changes says.
func (v View) nothingToDo() (heading, text string) {
	if v.Incomplete {
		return "Incomplete plan", "Nothing would change of what was planned, but not everything was planned."
	}
	return "No changes", "The remote objects are as the manifest wants them."
}

// Empty reports whether there is nothing to do.
func (n Counts) Empty() bool { return n.Import+n.Add+n.Change+n.Destroy == 0 }

// String returns the summary line of a plan.
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

// object returns the custom resource's name, as kubectl prints it with all namespaces.
func (c Change) object() string {
	if c.Namespace == "" {
		return c.Name
	}
	return c.Namespace + "/" + c.Name
}

// isSecret reports whether a text contains a sensitive value of the object: the import id of some
// types is one.
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
	for _, v := range []cty.Value{c.before(), c.after()} {
		c.Model.Root().Secrets(v, look)
	}
	return found
}
