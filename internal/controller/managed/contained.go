package managed

import (
	"fmt"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// maxContained bounds the contained resources in status.plan.
const maxContained = 100

// containedStatus returns what a plan does to the resources of a module.
func containedStatus(contained []terraform.Contained) (resources []any, summary string) {
	var add, change, destroy int
	for i, c := range contained {
		switch {
		case c.Action.IsReplace():
			add, destroy = add+1, destroy+1
		case c.Action == terraform.Create:
			add++
		case c.Action == terraform.Update:
			change++
		case c.Action == terraform.Delete:
			destroy++
		}
		if i >= maxContained {
			continue
		}
		r := map[string]any{"address": c.Address, "action": string(c.Action)}
		if c.Reason != "" {
			r["reason"] = string(c.Reason)
		}
		resources = append(resources, r)
	}
	return resources, fmt.Sprintf("%d to add, %d to change, %d to destroy", add, change, destroy)
}
