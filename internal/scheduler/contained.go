package scheduler

import (
	"context"
	"errors"

	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// sightingIn returns the sighting of one of several objects of a resource, which was not looked
// for; ok is false if the resource has no such provider configuration any more.
func sightingIn(r *Request, o terraform.Object) (_ sighting, ok bool) {
	access, ok := r.Accesses[o.Configuration]
	return sighting{access: access.With(o.Settings), key: o.Configuration, resourceType: o.Type, identity: ownership.ObjectKey(o)}, ok
}

// stored returns the sighting of an object as it is stored.
func (x sighting) stored(made terraform.Made) sighting {
	x.looked, x.exists, x.made = true, true, made
	return x
}

// refuseContained returns the error of a plan that imports or creates one of several objects of a
// resource, which another resource has, or may have, through another provider configuration. What
// is not decided of creates is left to the look before them.
func (s *Scheduler) refuseContained(ctx context.Context, e *entry, r *Request, ex terraform.Executor, p *terraform.Plan) error {
	if r.Consists == nil {
		return nil
	}
	if len(p.Imports) > 0 {
		if err := r.allClaimed(); err != nil {
			return err
		}
	}
	held, _ := r.Consists(e.record.Instance)
	own := map[terraform.Object]bool{}
	for _, o := range held {
		own[o.Named()] = true
	}
	compare := s.twinOfAnywhere
	refuse := func(all []terraform.Object, waits bool) error {
		for _, o := range all {
			x, ok := sightingIn(r, o)
			if !ok || own[o.Named()] {
				continue
			}
			by, state, err := compare(ctx, e, r, []sighting{x})
			if err == nil && state.open() {
				found := find(ctx, ex, o)
				x.looked, x.exists, x.made = found.Looked, found.Exists, found.Made
				by, state, err = compare(ctx, e, r, []sighting{x})
			}
			switch {
			case err != nil:
				return err
			case state == sameObject:
				return identityConflict(*r, by)
			case state.open() && waits && !r.confirmsStore(o.Configuration):
				return unclearStore(*r, by, o.Configuration)
			}
		}
		return nil
	}
	if err := refuse(p.Imports, true); err != nil {
		return err
	}
	compare = s.twinOfAny // creates are looked for before they are made
	return refuse(p.Creates, r.Policies.CreateUnchecked)
}

// find looks for one of several objects.
func find(ctx context.Context, ex terraform.Executor, o terraform.Object) terraform.Found {
	if f, ok := ex.(terraform.Finder); ok {
		return f.Find(ctx, o)
	}
	return terraform.Found{}
}

// sharedContained returns another resource that has one of several objects of a resource, too.
func (s *Scheduler) sharedContained(ctx context.Context, e *entry, r *Request) (ownership.Rival, bool, error) {
	if r.Consists == nil {
		return ownership.Rival{}, false, nil
	}
	held, _ := r.Consists(e.record.Instance)
	var all []sighting
	for _, o := range held {
		if by, ok, err := s.sharesContained(ctx, e, r, o); ok || err != nil {
			return by, ok, err
		}
		if x, ok := sightingIn(r, o); ok {
			all = append(all, x.stored(o.Made))
		}
	}
	by, state, err := s.twinElsewhere(ctx, r, all)
	return by, state == sameObject, err
}

// sharesContained is sharedContained for one object.
func (s *Scheduler) sharesContained(ctx context.Context, e *entry, r *Request, o terraform.Object) (ownership.Rival, bool, error) {
	x, ok := sightingIn(r, o)
	if !ok {
		return ownership.Rival{}, false, nil
	}
	by, state, err := s.twinOf(ctx, e, r, x.stored(o.Made))
	return by, state == sameObject, err
}

// refusesContained returns the error of one of several objects that is not destroyed, since another
// resource has it, too.
func (o *operation) refusesContained(ctx context.Context, of terraform.Object) error {
	by, ok, err := o.sharesContained(ctx, o.e, &o.r, of)
	switch {
	case err != nil:
		return err
	case ok:
		return errors.New("the stored state of " + by.Text(o.r.Key.Namespace) + " names the same remote object, so it is not destroyed")
	}
	return nil
}
