package desired

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// CreateToken is the argument that makes creates of a resource type idempotent.
type CreateToken struct {
	// Attribute is its Terraform name.
	Attribute string
	// ValidFor is how long the remote side remembers a token.
	ValidFor time.Duration
}

// createToken returns the create token of a resource type; nil if there is none.
func createToken(m *model.Resource) *CreateToken {
	f := m.Settings.CreateToken
	if f == nil {
		return nil
	}
	return &CreateToken{Attribute: f.Name, ValidFor: m.Settings.CreateTokenValidFor}
}

// Of returns the token that a configuration has; empty if it has none.
func (c *CreateToken) Of(config cty.Value) string {
	if c == nil || config == cty.NilVal || config.IsNull() {
		return ""
	}
	v, _ := config.GetAttr(c.Attribute).Unmark()
	if v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

// In returns a configuration with the token of its object: the one that the user has set, else that
// of the existing object, else the given one.
func (c *CreateToken) In(config, existing cty.Value, token string) cty.Value {
	if c == nil || !config.GetAttr(c.Attribute).IsNull() {
		return config
	}
	v := cty.StringVal(token)
	if existing != cty.NilVal && !existing.IsNull() {
		if v, _ = existing.GetAttr(c.Attribute).Unmark(); v.IsNull() || !v.IsKnown() {
			return config
		}
	}
	values := config.AsValueMap()
	values[c.Attribute] = v
	return cty.ObjectVal(values)
}
