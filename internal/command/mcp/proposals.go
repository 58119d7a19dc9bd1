package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// Names of tools that make proposals.
const (
	patchTool    = "propose_patch"
	approvalTool = "propose_approval"
)

type patchInput struct {
	object
	Spec map[string]any `json:"spec" jsonschema:"what is to change in spec, as a JSON merge patch: null removes a field"`
}

// addProposals adds the tools that make proposals. They read, and write nothing.
func (s *server) addProposals(to *mcp.Server) {
	add(s, to, tool{
		patchTool, "Propose a change",
		"Propose a change of a resource's spec: returns a patch, and the command with which the person can apply " +
			"it. Nothing is changed.",
		false,
	}, s.proposePatch)
	add(s, to, tool{
		approvalTool, "Propose an approval",
		"Propose to approve the plan that waits for approval: returns the plan, and the command with which the " +
			"person can approve it. Nothing is approved.",
		false,
	}, s.proposeApproval)
}

func (s *server) proposePatch(ctx context.Context, in patchInput) (answer, error) {
	k, namespace, err := s.find(in.object)
	if err != nil {
		return answer{}, err
	}
	if len(in.Spec) == 0 {
		return answer{}, fmt.Errorf("spec is empty. Give what is to change")
	}
	if _, err := s.Cluster.Get(ctx, k, namespace, in.Name); err != nil {
		return answer{}, err
	}
	patch, err := json.MarshalIndent(map[string]any{"spec": in.Spec}, "", "  ")
	if err != nil {
		return answer{}, err
	}
	return answer{
		about: "This is a proposed merge patch, which is not applied", data: string(patch),
		next: fmt.Sprintf("The person decides. They can store the patch as patch.json, and apply it:\nkubectl patch "+
			"%s %s%s --type=merge --patch-file=patch.json\n", k, in.Name, in.in(namespace)),
	}, nil
}

func (s *server) proposeApproval(ctx context.Context, in object) (answer, error) {
	k, namespace, err := s.find(in)
	if err != nil {
		return answer{}, err
	}
	p, err := s.Cluster.Proposal(ctx, k, namespace, in.Name)
	if err != nil {
		return answer{}, err
	}
	if !hashText.MatchString(p.Hash) {
		return answer{}, fmt.Errorf("the hash of the plan is not one")
	}
	return answer{
		about: "This is a plan that waits for approval, and is not approved", data: p.Text(),
		next: fmt.Sprintf("The person decides. They can approve this plan, and no other one:\nlandbridge approve %s "+
			"%s%s --hash %s\n", k, in.Name, in.in(namespace), p.Hash),
	}, nil
}

// find returns the kind of a resource, and its namespace.
func (s *server) find(o object) (k status.Kind, namespace string, _ error) {
	if err := o.check(); err != nil {
		return k, "", err
	}
	kinds, err := s.kinds(func(status.Kind) bool { return true })
	if err != nil {
		return k, "", err
	}
	if k, err = status.Find(kinds, o.Kind); err != nil {
		return k, "", err
	}
	switch {
	case k.Cluster:
		return k, "", nil
	case o.Namespace == "":
		return k, s.Namespace, nil
	}
	return k, o.Namespace, nil
}

// in returns the flag of a command for a namespace.
func (object) in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " -n " + namespace
}
