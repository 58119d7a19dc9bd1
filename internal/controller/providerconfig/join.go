package providerconfig

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Join is several configurations as one, for what needs more than one provider. combine makes an executor of
// those of all.
func Join(handles map[string]Handle, combine func(map[string]terraform.Executor) terraform.Executor) Handle {
	out := join(handles, combine)
	gone, last := false, map[string]Handle{}
	for key, h := range handles {
		last[key] = h.Last()
		gone = gone || h.Diagnostics.HasErrors() && h.last != nil
	}
	if gone {
		before := join(last, combine)
		out.last = &before
	}
	return out
}

func join(handles map[string]Handle, combine func(map[string]terraform.Executor) terraform.Executor) Handle {
	var out Handle
	var names []string
	keys := slices.Sorted(maps.Keys(handles))
	for _, key := range keys {
		h := handles[key]
		names = append(names, h.Name)
		out.Secrets = append(out.Secrets, h.Secrets...)
		out.Diagnostics = append(out.Diagnostics, h.Diagnostics...)
	}
	out.Name = strings.Join(names, " ")
	out.Acquire = func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
		executors := map[string]terraform.Executor{}
		var releases []func()
		release := func() {
			for _, f := range releases {
				f()
			}
		}
		for _, key := range keys {
			ex, done, diags := handles[key].Acquire(ctx)
			if diags.HasErrors() {
				release()
				return nil, nil, diags
			}
			executors[key], releases = ex, append(releases, done)
		}
		return combine(executors), release, nil
	}
	return out
}
