package managed

import (
	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// stopped returns the function that tells why nothing may begin for a resource with provider
// configurations; nil if nothing can be paused. It is called during the reconcile and after it.
func (c *connector) stopped(r *CustomResource, with []policy.Configuration) func() string {
	paused := c.kind.Options.Paused
	if paused == nil {
		return nil
	}
	of := halt.Subject{Providers: c.kind.Providers}
	for _, ref := range append(namedConfigurationsOf(&r.Unstructured), ConfigurationOf(&r.Unstructured)) {
		of.Accounts = append(of.Accounts, halt.ConfigurationName(ref.Kind, ref.Namespace, ref.Name))
	}
	for _, x := range with {
		if x.Account != "" {
			of.Accounts = append(of.Accounts, x.Account)
		}
	}
	return func() string { return paused(of) }
}
