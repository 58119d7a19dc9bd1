package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Two resources that have had one object since before this was known go on. Both are told of it
// with each plan. The first of them is planned again when the other one is found.

// sharing is what is known of the objects of a resource that others may have through other provider
// configurations.
type sharing struct {
	state twinState
	// by is another resource, and title what confirms the configuration by which this one has its
	// object.
	by    ownership.Rival
	title string
}

// warnOfTwins returns the warnings about objects that other resources have, or may have, too, and
// has these planned again.
func (s *Scheduler) warnOfTwins(ctx context.Context, e *entry, r *Request) (diagnostic.Diagnostics, error) {
	x, err := s.sharingOf(ctx, e, r)
	if err != nil {
		return nil, err
	}
	e.shares.Store(x.state != noTwin)
	if x.state == noTwin {
		return nil, nil
	}
	s.replan(x.by.Owner)
	return diagnostic.Diagnostics{x.warning(r)}, nil
}

// replan has another resource planned again that has not been told that it shares its object.
func (s *Scheduler) replan(of ownership.Owner) {
	for _, x := range s.placesOf(of.Key) {
		if x.uid == of.UID && !x.shares.Load() && !x.replans.Swap(true) {
			s.wake([]store.Key{of.Key})
		}
	}
}

// sharingOf compares the objects of a resource with those of others.
func (s *Scheduler) sharingOf(ctx context.Context, e *entry, r *Request) (out sharing, _ error) {
	if e.claimant == nil || !r.Policies.Manage || !e.record.Instance.Exists() {
		return out, nil
	}
	compare := func(x sighting, key string) error {
		x.again = true
		by, state, err := s.twinOf(ctx, e, r, x)
		c := r.StoredAccount.Configurations()[key]
		confirmed := c.Name != "" && r.confirmsStore(key)
		if err == nil && state > out.state && (state == sameObject || state == undecided && !confirmed) {
			out = sharing{state: state, by: by, title: c.Title()}
		}
		return err
	}
	if r.Consists != nil {
		held, _ := r.Consists(e.record.Instance)
		for _, o := range held {
			x, ok := sightingIn(r, o)
			if !ok {
				continue
			}
			if err := compare(x.stored(o.Made), o.Configuration); err != nil {
				return out, err
			}
		}
		return out, nil
	}
	x := sightingOf(r, &e.record.Instance)
	for _, x.identity = range ownership.Identities(e.claims(r, e.record.Instance, nil)) {
		if err := compare(x, ""); err != nil {
			return out, err
		}
	}
	return out, nil
}

// warning is what is told of it. Resources of other namespaces are not named.
func (x sharing) warning(r *Request) diagnostic.Diagnostic {
	by, what := x.by.Text(r.Key.Namespace), "the remote object"
	if r.Consists != nil {
		what = "an object of the type " + x.by.Claim.Object.Type
	}
	d := diagnostic.Diagnostic{Severity: diagnostic.Warning, Summary: "Object shared"}
	if x.state == sameObject {
		d.Detail = "The stored state of " + by + " names " + what + " of this resource, too, through another " +
			"provider configuration: both change it, and neither destroys it. " +
			"Remove Delete from spec.managementPolicies of the resource that it does not belong to, and delete that one."
		return d
	}
	d.Summary = "Object may be shared"
	d.Detail = "The stored state of " + by + " names an object of the identity of " + what +
		" of this resource through another provider configuration, and nothing shows whether it is the same one. " +
		"Declare the accounts of both configurations, or set the annotation landbridge.io/confirm-account to \"" +
		x.title + "\" if they are for different accounts."
	return d
}
