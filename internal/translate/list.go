package translate

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// ListConfig reads the arguments of a list resource. Its UserPath formats the paths of the
// diagnostics. With errors the value is cty.NilVal.
func ListConfig(l *model.ListResource, in map[string]any, secrets Secrets) (cty.Value, diagnostic.Diagnostics) {
	c, diags := configuration(l.Config, in, secrets)
	return c.Value, diags
}
