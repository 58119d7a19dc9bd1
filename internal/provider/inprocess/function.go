package inprocess

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// GetFunctions lists the provider's functions.
func (s *Server) GetFunctions(ctx context.Context, r *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return call(ctx, s, r, s.server.GetFunctions)
}

// CallFunction calls a function.
func (s *Server) CallFunction(ctx context.Context, r *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	q := *r
	q.Arguments = slices.Clone(r.Arguments)
	for i := range q.Arguments {
		fill(&q.Arguments[i])
	}
	return call(ctx, s, &q, s.server.CallFunction)
}
