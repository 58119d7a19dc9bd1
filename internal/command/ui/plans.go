package ui

import (
	"strings"

	"github.com/landbridge-io/landbridge/internal/command/explain"
)

// Plans are the plans that wait for approval.
type Plans struct {
	Count int    `json:"count"`
	Plans []Plan `json:"plans"`
}

// maxPlans bounds the plans in one view.
const maxPlans = 200

// More is the number of plans that are not in the view.
func (p Plans) More() int { return p.Count - len(p.Plans) }

// Plan is a plan that waits for approval.
type Plan struct {
	explain.Key
	Hash   string `json:"hash"`
	Action string `json:"action"`
	// Reason is why, such as the policy that asks.
	Reason         string   `json:"reason,omitempty"`
	Configurations []string `json:"configurations,omitempty"`
	// Changes are its lines, without sensitive values.
	Changes []Change `json:"changes"`
	// Affected are what depends on the resource, at most 50, and Dependents is their number.
	Affected   []Line `json:"affected,omitempty"`
	Dependents int    `json:"dependents"`
}

// Change is a line of a plan. Sign is +, -, ~ or empty.
type Change struct {
	Sign string `json:"sign,omitempty"`
	Text string `json:"text"`
}

// Word is the sign as a word.
func (c Change) Word() string {
	return map[string]string{"+": "added", "-": "removed", "~": "changed"}[c.Sign]
}

// Path is the address of the resource's view.
func (p Plan) Path() string { return pathOf("resources", p.Key) }

// ID is the value by which a form names the plan.
func (p Plan) ID() string { return strings.TrimPrefix(p.Path(), "/resources/") + "#" + p.Hash }

// More is the number of dependents that are not named.
func (p Plan) More() int { return p.Dependents - len(p.Affected) }

// PlansOf returns the plans that wait for approval.
func PlansOf(c Content) Plans {
	out, users := Plans{Plans: []Plan{}}, c.Users()
	for _, e := range c.Entries {
		if e.Plan == nil {
			continue
		}
		if out.Count++; len(out.Plans) < maxPlans {
			out.Plans = append(out.Plans, planOf(users, e))
		}
	}
	return out
}

// planOf returns the plan of an entry that has one.
func planOf(users Users, e *Entry) Plan {
	p := Plan{
		Key: e.Key, Hash: e.Plan.Hash, Action: e.Plan.Action, Reason: e.Plan.Reason,
		Configurations: e.Plan.Configurations, Changes: []Change{},
	}
	for _, line := range e.Plan.Lines() {
		p.Changes = append(p.Changes, changeOf(line))
	}
	for _, d := range users.Of(e.Key) {
		if p.Dependents++; len(p.Affected) < maxMembers {
			p.Affected = append(p.Affected, d.Line())
		}
	}
	return p
}

func changeOf(line string) Change {
	if len(line) > 2 && line[1] == ' ' && (line[0] == '+' || line[0] == '-' || line[0] == '~') {
		return Change{Sign: line[:1], Text: line[2:]}
	}
	return Change{Text: line}
}
