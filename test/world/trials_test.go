package world_test

import "strings"

// trial is how a behaviour is tried.
type trial struct {
	// of are the objects; records if nil.
	of *kind
	// forms are those of the provider; SDKv2's if nil.
	forms []string
	// spec is that of both resources, beside what the kind has.
	spec m
	// field is what changes from one value to another, in the cloud's spelling; a record's value if
	// empty.
	field string
	to    any
	// again creates the resources once more right after their deletion.
	again bool
	// rest is the reason of Synced at rest, by the form and the way, or one of both; empty if it is
	// true.
	rest map[string]string
	// neverSettles is set for the forms with which the condition NeverSettles becomes true.
	neverSettles map[string]bool
	// returned is what the API returns, and a person therefore sets before the change. Both
	// resources settle then.
	returned m
	// passing are reasons that the conditions may have meanwhile.
	passing []string
	// creates is how many objects a resource may have had, one after the other; 1 if 0.
	creates int
	// stored returns what the cloud stores of the changed field; the same if nil.
	stored func(string) string
}

// trials has one for each behaviour of the catalogue.
var trials = map[string]trial{
	"late-read": {passing: []string{"NotVisibleYet"}},
	"late-list": {of: datastore, field: "capacity_gib", to: int64(2), passing: []string{"NotVisibleYet"}},
	"late-everywhere": {
		of: thing, field: "size", to: int64(2), creates: 2, passing: []string{
			"ReconcileError", "Tainted", "NotVisibleYet",
		},
	},
	"null-create":           {passing: []string{"CreateOutcomeUnknown", "ReconcileError"}},
	"partial-create":        {passing: []string{"ReconcileError"}},
	"late-disappearance":    {again: true, creates: 2},
	"stale-read":            {},
	"normalised-case":       normalised(m{"value": "First"}, "Second", strings.ToLower),
	"normalised-whitespace": normalised(m{"value": " first "}, " second ", strings.TrimSpace),
	"normalised-order":      normalised(m{"lines": []any{"b", "a"}}, "second", nil),
	"normalised-json":       normalised(m{"document": "{ \"b\": 1, \"a\": 2 }"}, "second", nil),
	"normalised-defaults":   normalised(m{"rules": []any{m{"port": int64(1)}, m{"port": int64(2)}}}, "second", nil),
	"normalised-replacement": {
		spec: m{"address": "2001:DB8::1"}, rest: map[string]string{"all": "NeverSettles"}, neverSettles: map[string]bool{sdk: true},
		returned: m{"address": "2001:db8::1"},
	},
	"oscillating-values": {neverSettles: map[string]bool{sdk: true}},
	"new-id":             {of: note, field: "text"},
	"reserved-name": {
		of: datastore, field: "capacity_gib", to: int64(2), again: true, creates: 2,
		passing: []string{"ReconcileError"},
	},
	"throttled-with-time":    {passing: []string{"ReconcileError", "ProviderThrottled"}},
	"throttled-without-time": {passing: []string{"ReconcileError", "ProviderThrottled"}},
	"error-after-success":    {of: datastore, field: "capacity_gib", to: int64(2), passing: []string{"ReconcileError", "AlreadyExists"}},
	"expired-credentials": {
		of: thing, field: "size", to: int64(2), creates: 2, passing: []string{
			"ReconcileError", "Tainted", "ProviderUnavailable",
		},
	},
	"exhausted-quota":     {passing: []string{"ReconcileError"}},
	"skewed-clock":        {passing: []string{"ReconcileError", "ProviderThrottled"}},
	"second-delete":       {passing: []string{"ReconcileError"}},
	"blocking-dependents": {passing: []string{"ReconcileError"}},
}

// normalised is a trial of a value that the cloud rewrites. A provider of the SDK updates it again
// and again; with the plugin framework, it is no result of what was planned.
func normalised(spec m, to string, stored func(string) string) trial {
	return trial{
		forms: []string{sdk, framework}, spec: spec, field: "value", to: to, stored: stored,
		rest: map[string]string{framework: "InconsistentResult"}, neverSettles: map[string]bool{sdk: true},
		passing: []string{"ReconcileError", "Tainted"}, creates: 2,
	}
}
