package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// GetFunctions lists the provider's functions.
func (s *Server) GetFunctions(ctx context.Context, _ *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	var a tfplugin.GetFunctionsResponse
	if err := s.invoke(ctx, tfplugin.GetFunctions, &tfplugin.Empty{}, &a); err != nil {
		return nil, err
	}
	functions, err := fromMap(a.Functions, fromFunction)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.GetFunctionsResponse{
		Functions:   functions,
		Diagnostics: s.diagnostics(a.Diagnostics),
	}, nil
}

// CallFunction calls a function.
func (s *Server) CallFunction(ctx context.Context, r *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	request := &tfplugin.CallFunctionRequest{Name: r.Name}
	for _, argument := range r.Arguments {
		request.Arguments = append(request.Arguments, toValue(argument))
	}
	var a tfplugin.CallFunctionResponse
	if err := s.invoke(ctx, tfplugin.CallFunction, request, &a); err != nil {
		return nil, err
	}
	out := &tfprotov6.CallFunctionResponse{Result: fromValue(a.Result)}
	if a.Error != nil {
		out.Error = &tfprotov6.FunctionError{Text: a.Error.Text, FunctionArgument: a.Error.FunctionArgument}
	}
	return out, nil
}
