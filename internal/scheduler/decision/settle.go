package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// neverSettles is the error for a replacement that would not help.
func neverSettles(p *terraform.Plan, repeated []terraform.Contained) *Error {
	var out diagnostic.Diagnostics
	for _, path := range p.RequiresReplace {
		out = append(out, diagnostic.AttributeErrorf(path, "Object not replaced",
			"The object was made with this configuration, and its API has returned another value of this argument, "+
				"so it would be replaced again and again. Set the argument to the value that status.plan shows, or "+
				"list it in spec.lifecycle.ignoreChanges.")...)
	}
	for _, o := range repeated {
		out = append(out, objectNeverSettles(o)...)
	}
	if out == nil {
		out = diagnostic.Errorf("Object not replaced",
			"The object was made with this configuration, and its provider wants to replace it all the same, again "+
				"and again. Change the configuration, or request a retry with the annotation landbridge.io/retry.")
	}
	return Failed(ReasonNeverSettles, out)
}

// objectNeverSettles is the error for the replacement of an object of a module that would not
// help.
func objectNeverSettles(o terraform.Contained) diagnostic.Diagnostics {
	var returned []string
	var arguments []string
	for _, c := range o.Changes {
		if c.Replaces {
			returned = append(returned, fmt.Sprintf("%s as %s", c.Path, c.BeforeText()))
			arguments = append(arguments, c.Argument())
		}
	}
	if len(returned) == 0 {
		return diagnostic.Errorf("Object not replaced",
			"%s was made with this configuration, and would be replaced again and again. "+
				"Change its arguments in the module, or request a retry with the annotation landbridge.io/retry.",
			o.Address)
	}
	return diagnostic.Errorf("Object not replaced",
		"%s was made with this configuration, and would be replaced again and again: its API returns %s. "+
			"Set these arguments to the returned values, or add ignore_changes = [%s] to lifecycle in the block of %s in the module.",
		o.Address, strings.Join(returned, ", "), strings.Join(slices.Compact(arguments), ", "), o.Block())
}
