package module

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Change describes a change of a test.
type Change struct {
	Address, Module, Type, Name string
	Key                         any
	Kind                        instance.OperationKind
	Answered, Tainted           bool
	State                       []byte
}

func journalOf(changes []Change) *journal {
	j := &journal{}
	for _, c := range changes {
		j.Changes = append(j.Changes, &change{
			Resource: resource{Address: c.Address, Module: c.Module, Type: c.Type, Name: c.Name, Key: c.Key}, Provider: `provider["example.org/a/b"]`,
			Kind: c.Kind, Answered: c.Answered, Tainted: c.Tainted, State: c.State,
		})
	}
	return j
}

// Replay returns the state after changes.
func Replay(before []byte, changes []Change, r *schema.Resource) ([]byte, error) {
	return journalOf(changes).replay(before, func(string, string) *schema.Resource { return r }, "1.0.0")
}

// Has reports whether a state has the objects that changes left.
func Has(state []byte, changes []Change, r *schema.Resource, exactly bool) bool {
	return journalOf(changes).has(state, func(string, string) *schema.Resource { return r }, exactly)
}

// State returns the state file of an instance.
func State(in instance.Instance) ([]byte, error) {
	mem, err := recall(in.Private)
	if err != nil {
		return nil, err
	}
	return mem.state()
}

// ReadJournal reads a stored journal.
func ReadJournal(b []byte) error {
	_, err := readJournal(b)
	return err
}

// Restrict returns what a module in a directory is refused for.
func Restrict(dir string, allow ...Permission) diagnostic.Diagnostics {
	return restrict(&restrictions{allow: allow, dir: dir, root: dir})
}

// Environment returns the variables and the files by which credentials are used.
func Environment(c *Credentials, address string) (map[string]string, map[string][]byte, error) {
	return c.environment(address, func(name string) string { return "/x/" + name })
}
