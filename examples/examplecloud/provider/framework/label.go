package framework

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// label is the function that makes a name of parts.
type label struct{}

// Functions implements provider.ProviderWithFunctions.
func (p *Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return label{} }}
}

// Metadata implements function.Function.
func (label) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "label"
}

// Definition implements function.Function.
func (label) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:           "Makes a name of parts",
		Description:       "Joins the parts by hyphens, in lower case.",
		Parameters:        []function.Parameter{function.StringParameter{Name: "first"}},
		VariadicParameter: function.StringParameter{Name: "further"},
		Return:            function.StringReturn{},
	}
}

// Run implements function.Function.
func (label) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var first string
	var further []string
	if resp.Error = req.Arguments.Get(ctx, &first, &further); resp.Error != nil {
		return
	}
	parts := append([]string{first}, further...)
	for i, part := range parts {
		if part == "" {
			resp.Error = function.NewArgumentFuncError(int64(i), "a part must not be empty")
			return
		}
	}
	resp.Error = resp.Result.Set(ctx, strings.ToLower(strings.Join(parts, "-")))
}
