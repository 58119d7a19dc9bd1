package module

import (
	"encoding/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Change describes a change of a test.
type Change struct {
	Address, Module, Type, Name string
	Key                         any
	Kind                        instance.OperationKind
	Answered, Tainted, Failed   bool
	State                       []byte
}

func journalOf(changes []Change) *journal {
	j := &journal{}
	for _, c := range changes {
		j.Changes = append(j.Changes, &change{
			Resource: resource{Address: c.Address, Module: c.Module, Type: c.Type, Name: c.Name, Key: c.Key},
			Provider: `provider["example.org/a/b"]`,
			Kind:     c.Kind, Answered: c.Answered, Tainted: c.Tainted, Failed: c.Failed, State: c.State,
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
	mem, err := recall(in)
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

// Damaged reads a stored instance of damaged content: a state file, the list of objects, and the
// journal of an operation. None is compressed.
func Damaged(state, objects, changes []byte) {
	packed := func(b []byte) []byte {
		out, err := compress(b)
		if err != nil {
			panic(err)
		}
		return out
	}
	in := instance.Instance{
		Private: memory{State: packed(state), Objects: packed(objects)}.private(), Operation: &instance.Operation{
			Journal: packed(changes),
		},
	}
	held, begun := Consists(in)
	_, _ = terraform.Objects(held), terraform.Objects(begun)
	_, _ = outputsOf(state)
	_ = managed(state)
	_ = same(state, state)
	if j, err := readJournal(in.Operation.Journal); err == nil {
		none := func(string, string) *schema.Resource { return nil }
		_, _ = j.replay(state, none, "1.0.0")
		_ = j.has(state, none, true)
		_ = j.unknown()
	}
}

// ReadPlan reads a plan as a program prints it.
func ReadPlan(b []byte) {
	var p planned
	if json.Unmarshal(b, &p) != nil {
		return
	}
	changes, _ := p.contained(&redact.Redactor{})
	_, _ = p.outputs(nil)
	_, _, _ = digest(changes), p.content(), p.parallelism()
}

// Restrict returns what a module in a directory is refused for.
func Restrict(dir string, allow ...Permission) diagnostic.Diagnostics {
	return restrict(&restrictions{allow: allow, dir: dir, root: dir})
}

// CheckFetched returns what a module that was fetched into a directory is refused for. Its import
// blocks are taken out first, as Fetch does.
func CheckFetched(dir string, allow ...Permission) diagnostic.Diagnostics {
	c := call{key: callName, dir: dir, root: dir, pkg: callName}
	m := &Module{source: Source{Address: "git::https://example.org/x", Allow: allow}}
	_, diags := m.takeImports(c)
	if !diags.HasErrors() {
		_, diags = m.read(c)
	}
	return diags
}

// Environment returns the variables and the files by which credentials are used.
func Environment(c *Credentials, address string) (map[string]string, map[string][]byte, error) {
	return c.environment(address, func(name string) string { return "/x/" + name })
}

// Differences returns what a change in the program's plan JSON changes. Texts that have secret are
// sensitive.
func Differences(t interface{ Fatal(...any) }, change, secret string) []terraform.ContainedChange {
	var c plannedChange
	if err := json.Unmarshal([]byte(change), &c); err != nil {
		t.Fatal(err)
	}
	secrets := &redact.Redactor{}
	secrets.AddStrings(secret)
	return c.differences(secrets)
}

// Walk is walk.
func (s Source) Walk(visit func(name string, content []byte) error) error { return s.walk(visit) }
