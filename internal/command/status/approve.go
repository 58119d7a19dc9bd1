package status

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Proposal is a plan that waits for approval.
type Proposal struct {
	Row
	Hash, Action, Reason string
	// Configurations are the provider configurations that it uses, such as ClusterProviderConfig
	// default.
	Configurations []string
	changes        []any
	replaces       []string
	resources      []any
	summary        string
	// dependents are the resources whose objects are replaced with this one's. Those of other
	// namespaces have no names.
	dependents []any
}

// Proposal returns the plan of a resource that waits for approval. It is an error if none does.
func (c *Client) Proposal(ctx context.Context, k Kind, namespace, name string) (Proposal, error) {
	u, err := c.resources(k, namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return Proposal{}, err
	}
	return ProposalOf(u)
}

// ProposalOf returns the plan of a resource that waits for approval. It is an error if none does.
func ProposalOf(u *unstructured.Unstructured) (Proposal, error) {
	p := Proposal{Row: RowOf(u)}
	if conditionsOf(u)[string(v1alpha1.TypeApproved)].status != "False" {
		return p, fmt.Errorf("%s has no plan that waits for approval", p.Title())
	}
	text := func(name string) string {
		s, _, _ := unstructured.NestedString(u.Object, "status", "plan", name)
		return s
	}
	if p.Hash = text("hash"); p.Hash == "" {
		return p, fmt.Errorf("the status of %s has no plan yet. Try again", p.Title())
	}
	p.Action, p.Reason, p.summary = text("action"), text("reason"), text("summary")
	p.Configurations = configurationsOf(u)
	p.changes, _, _ = unstructured.NestedSlice(u.Object, "status", "plan", "changes")
	p.resources, _, _ = unstructured.NestedSlice(u.Object, "status", "plan", "resources")
	p.replaces, _, _ = unstructured.NestedStringSlice(u.Object, "status", "plan", "requiresReplace")
	if action := terraform.Action(p.Action); action.IsReplace() {
		p.dependents, _, _ = unstructured.NestedSlice(u.Object, "status", "replacement", "dependents")
	}
	return p, nil
}

// Text returns the plan for people, one change per line.
func (p Proposal) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.Title(), p.Action)
	if p.Reason != "" {
		fmt.Fprintf(&b, " (%s)", strings.ReplaceAll(p.Reason, "_", " "))
	}
	fmt.Fprintf(&b, "\nPlan %s\n", p.Hash)
	if len(p.Configurations) > 0 {
		fmt.Fprintf(&b, "With %s\n", strings.Join(p.Configurations, ", "))
	}
	for _, line := range p.Lines() {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String()
}

// Lines returns what the plan does, one change per line: + adds, - removes and ~ changes. Sensitive
// values are marks.
func (p Proposal) Lines() []string {
	var out []string
	for _, x := range p.changes {
		m, _ := x.(map[string]any)
		c := changeOf(m)
		out = append(out, changeLine(c, slices.Contains(p.replaces, c.Path)))
	}
	for _, x := range p.resources {
		m, _ := x.(map[string]any)
		out = append(out, fmt.Sprintf("%v: %v", m["address"], m["action"]))
	}
	if p.summary != "" {
		out = append(out, p.summary)
	}
	elsewhere := 0
	for _, x := range p.dependents {
		m, _ := x.(map[string]any)
		if m["name"] == nil {
			elsewhere++
			continue
		}
		out = append(out, fmt.Sprintf("replaced with it: %v %v", m["kind"], m["name"]))
	}
	if elsewhere > 0 {
		out = append(out, fmt.Sprintf("replaced with it: %d resources in other namespaces", elsewhere))
	}
	return out
}

// configurationsOf returns the provider configurations that a resource names.
func configurationsOf(u *unstructured.Unstructured) []string {
	named, _, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRefs")
	refs := []any{}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		refs = append(refs, named[name])
	}
	if ref, ok, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRef"); ok {
		refs = append(refs, ref)
	}
	var out []string
	for _, x := range refs {
		ref, _ := x.(map[string]any)
		if text := fmt.Sprintf("%v %v", ref["kind"], ref["name"]); ref["name"] != nil && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// changeOf returns a change of a status.
func changeOf(m map[string]any) translate.Change {
	path, _ := m["path"].(string)
	return translate.Change{
		Path: path, Before: m["before"], After: m["after"],
		BeforeSensitive: m["beforeSensitive"] == true, AfterSensitive: m["afterSensitive"] == true, AfterUnknown: m["afterUnknown"] == true,
	}
}

// changeLine returns a change as in ~ size: 1 → 2.
func changeLine(c translate.Change, replaces bool) string {
	was, is := c.BeforeText(shownValue), c.AfterText(shownValue)
	sign, shown := "~", fmt.Sprintf("%s → %s", was, is)
	switch {
	case c.Adds():
		sign, shown = "+", is
	case c.Removes():
		sign, shown = "-", was
	}
	out := fmt.Sprintf("%s %s: %s", sign, c.Path, shown)
	if replaces {
		out += "   # forces replacement"
	}
	return out
}

func shownValue(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Approve approves the plan with a hash.
func (c *Client) Approve(ctx context.Context, p Proposal, k Kind, hash string) error {
	if hash != p.Hash {
		return fmt.Errorf("the plan of %s is not %s any more, but %s. Look at it first", p.Title(), hash, p.Hash)
	}
	// Who has approved another plan before is no part of this approval.
	return c.annotate(ctx, k, p.Namespace, p.Name, map[string]*string{
		v1alpha1.AnnotationApprove: &hash, v1alpha1.AnnotationApprovedBy: nil,
	})
}

// AwaitApproved waits until an approved plan is being carried out. It returns an error if the plan
// has changed instead.
func (c *Client) AwaitApproved(ctx context.Context, p Proposal, k Kind) (Row, error) {
	last := p.Row
	err := c.follow(ctx, k, p.Namespace, p.Name, func(e watch.EventType, u *unstructured.Unstructured) (bool, error) {
		last = RowOf(u)
		used, _, _ := unstructured.NestedString(u.Object, "status", "lastApproval", "hash")
		if e == watch.Deleted || used == p.Hash {
			return true, nil
		}
		if now, err := ProposalOf(u); err == nil && now.Hash != p.Hash {
			return true, fmt.Errorf("the plan of %s has changed, and was not carried out. Look at the new one", p.Title())
		}
		return false, nil
	})
	if err != nil && ctx.Err() != nil {
		return last, fmt.Errorf("the approved plan of %s has not begun yet: %s", p.Title(), why(last))
	}
	return last, err
}
