package terraformprovider

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/landbridge-io/landbridge/internal/model"
)

// activated is the resource types that the patterns name, all of them without any, sorted, and what the patterns got
// wrong: those that are malformed or match nothing.
func activated(p *model.Provider, patterns []string) (types []string, wrong []string) {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	set := map[string]bool{}
	all := slices.Sorted(maps.Keys(p.Resources))
	for _, pattern := range patterns {
		matched := false
		for _, t := range all {
			ok, err := path.Match(pattern, t)
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%q is not a pattern", pattern))
				matched = true
				break
			}
			if ok {
				set[t], matched = true, true
			}
		}
		if !matched {
			wrong = append(wrong, fmt.Sprintf("no resource type matches %q (see: landbridge provider inspect)", pattern))
		}
	}
	return slices.Sorted(maps.Keys(set)), wrong
}
