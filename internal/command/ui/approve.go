package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// Result is what became of an approval.
type Result struct {
	What string
	// Error says why it was not approved; "" if it was.
	Error string
}

// approve approves the plans that a form names, each with its hash.
func (s *Server) approve(w http.ResponseWriter, r *http.Request) {
	version, _ := s.index.Version()
	p := page{View: "plans", Title: "Plans", Version: version}
	names := r.PostForm["plan"]
	if len(names) == 0 {
		p.Results = []Result{{Error: "No plan is selected."}}
	}
	kinds, err := s.client.AllKinds()
	for _, name := range names[:min(len(names), maxPlans)] {
		result := Result{What: name}
		result.What, result.Error = s.approveOne(r.Context(), kinds, name, err)
		p.Results = append(p.Results, result)
	}
	_, p.Model, _ = s.plans(r)
	s.write(w, r, p, nil)
}

// approveOne approves the plan that KIND/NAMESPACE/NAME#HASH names.
func (s *Server) approveOne(ctx context.Context, kinds []status.Kind, name string, err error) (what, refusal string) {
	at, hash, _ := strings.Cut(name, "#")
	parts := strings.Split(at, "/")
	if err == nil && (len(parts) != 3 || hash == "") {
		err = errors.New("the form names no plan. Load the page again")
	}
	if err != nil {
		return at, err.Error()
	}
	e := s.index.Content().named(parts[0], parts[1], parts[2])
	if e == nil {
		return at, "It does not exist any more."
	}
	what = e.Key.String()
	k, err := status.KindOf(kinds, e.Row)
	if err == nil {
		var p status.Proposal
		if p, err = s.client.Proposal(ctx, k, e.Key.Namespace, e.Key.Name); err == nil {
			err = s.client.Approve(ctx, p, k, hash)
		}
	}
	if err != nil {
		return what, fmt.Sprintf("Not approved: %v.", err)
	}
	return what, ""
}
