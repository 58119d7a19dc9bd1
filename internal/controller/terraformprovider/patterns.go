package terraformprovider

import (
	"slices"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Modes are the modes whose kinds are activated, in the order of the fields of a spec.
var Modes = append([]model.Mode{model.Managed}, model.Unmanaged...)

// Patterns are those of the names that a TerraformProvider serves of each mode.
type Patterns map[model.Mode][]string

// PatternsOf returns the patterns of a spec. Without any for resource types, all are served.
func PatternsOf(spec *v1alpha1.TerraformProviderSpec) Patterns {
	out := Patterns{}
	for _, mode := range Modes {
		out[mode] = slices.Clone(*patternsOf(spec, mode))
	}
	if len(out[model.Managed]) == 0 {
		out[model.Managed] = []string{"*"}
	}
	return out
}

// Equal reports whether both are the same.
func (p Patterns) Equal(o Patterns) bool {
	return !slices.ContainsFunc(Modes, func(m model.Mode) bool { return !slices.Equal(p[m], o[m]) })
}

// Set sets the fields of a spec that have other patterns.
func (p Patterns) Set(spec *v1alpha1.TerraformProviderSpec) {
	before := PatternsOf(spec)
	for _, mode := range Modes {
		if !slices.Equal(before[mode], p[mode]) {
			*patternsOf(spec, mode) = p[mode]
		}
	}
}

// FieldOf returns the field that names what is served of a mode.
func FieldOf(mode model.Mode) string {
	switch mode {
	case model.Data:
		return "spec.activateDataSources"
	case model.Ephemeral:
		return "spec.activateEphemeralResources"
	case model.Action:
		return "spec.activateActions"
	}
	return "spec.activate"
}

func patternsOf(spec *v1alpha1.TerraformProviderSpec, mode model.Mode) *[]string {
	switch mode {
	case model.Data:
		return &spec.ActivateDataSources
	case model.Ephemeral:
		return &spec.ActivateEphemeralResources
	case model.Action:
		return &spec.ActivateActions
	}
	return &spec.Activate
}
