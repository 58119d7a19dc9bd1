package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// A record knows the account that its objects are in (instance.Account). In another account, an
// object that is not found is not gone, and one that is found is a stranger's:
//
//	the same account                     the resource is worked on
//	another provider configuration       nothing is asked of the provider, until the user goes back or confirms the account
//	the same configuration, with other   the stored object is read. What only a provider makes of an object (proofOf) shows
//	arguments, or made again with them   whether it is the same object, and so the same account, also for other resources
//
// A user who confirms the account of a resource gets that read in the other cases, too. If it does
// not show the same object, the object stays where it is, and the resource has none in the
// confirmed account.

// provedBy is the time after which an object is looked at again, since others may have shown what
// it does not.
const provedBy = 30 * time.Second

// accountOf returns what is known of the account of a resource's object.
func (s *Scheduler) accountOf(e *entry, r *Request) decision.Account {
	switch {
	case e.inAccount(r.StoredAccount):
		return decision.AccountIsSame
	case e.record.Account.Relation(r.StoredAccount) == instance.OtherAccount && !r.confirms(e.record.Account):
		return decision.AccountIsOther
	}
	return decision.AccountIsOpen
}

// inAccount reports whether a resource's object is in an account, or there is none.
func (e *entry) inAccount(account instance.Account) bool {
	if e.record.Account == account || e.record.Account == "" || account == "" || e.record.Instance.Nothing() {
		return true
	}
	return e.record.Account.Relation(account) == instance.SameAccount
}

// confirms reports whether the user has confirmed the account of the request as that of the
// resource, whose objects are in another one.
func (r *Request) confirms(stored instance.Account) bool {
	if r.ConfirmAccount == "" {
		return false
	}
	if stored.Relation(r.StoredAccount) == instance.OtherAccount {
		return r.ConfirmAccount == r.StoredAccount.Title()
	}
	return r.ConfirmAccount == r.StoredAccount.Code()
}

// asStored returns the request with the provider configuration by which the objects of a record
// were accessed.
func (r Request) asStored(account instance.Account) Request {
	if c, ok := account.Configurations()[""]; ok {
		r.ProviderConfiguration, r.Account = c.Name, ownership.Account{Declared: c.Declared, Arguments: c.Arguments}
	}
	return r
}

// noteworthy reports whether the account of an object that is found has to be stored.
func (s *Scheduler) noteworthy(e *entry, account instance.Account) bool {
	return account != "" && e.record.Account != account && e.record.Version != "" && s.o.Leads()
}

// noteAccount stores the account of an object that was found, unless it is stored already.
func (s *Scheduler) noteAccount(ctx context.Context, e *entry, r *Request) error {
	if !s.noteworthy(e, r.StoredAccount) {
		return nil
	}
	e.wake()
	rec := e.record
	rec.Account = r.StoredAccount
	return s.put(ctx, e, *r, rec)
}

// prove determines whether the object is in the account that the provider configuration gives
// access to.
func (s *Scheduler) prove(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	stored := e.record.Account
	seen, err := proofOf(ctx, r, ex, e.record.Instance)
	if err != nil {
		return err
	}
	open := stored.Relation(r.StoredAccount) == instance.UnprovedAccount
	switch {
	case seen == proved:
		if open {
			s.noteProved(stored, r.StoredAccount)
		}
		return s.noteAccount(ctx, e, &r)
	case open && seen != stranger && s.isProved(stored, r.StoredAccount):
		return s.noteAccount(ctx, e, &r)
	case r.confirms(stored):
		return s.leave(ctx, e, r)
	}
	out := e.accountChanged(&r, seen)
	out.LookAt = s.o.Clock.Now().Add(provedBy)
	return out
}

// noteProved notes that an object in one account was found in another one as it is stored.
func (s *Scheduler) noteProved(stored, now instance.Account) {
	before := stored.Configurations()
	for key, c := range now.Configurations() {
		if was, ok := before[key]; ok {
			s.proved.join(was, c)
		}
	}
}

// isProved reports whether each configuration that has changed has shown an object that was stored
// when it was as it was then, or was confirmed. What it was at other times says nothing: it may
// have been for another account then.
func (s *Scheduler) isProved(stored, now instance.Account) bool {
	before := stored.Configurations()
	for key, c := range now.Configurations() {
		was, ok := before[key]
		if !ok || was.Account().Relation(c.Account()) == instance.SameAccount || c.Confirmed == c.Code() {
			continue
		}
		if !s.proved.joined(was, c) {
			return false
		}
	}
	return true
}

// leave lets the objects of a resource stay in the account where they are. From then on it has
// none.
func (s *Scheduler) leave(ctx context.Context, e *entry, r Request) error {
	why := fmt.Sprintf("%s stays in %s, since %s is confirmed", objectText(r.Type.Schema, e.record.Instance), e.record.Account.Text(), r.StoredAccount.Text())
	e.record.Instance, e.record.Account = instance.Instance{State: cty.NilVal}, r.StoredAccount
	e.record.Handled.Imported = false
	e.missing, e.updated, e.destroyed, e.completed, e.doubt, e.seen = nil, nil, nil, nil, nil, time.Time{}
	e.undrifted()
	if err := s.save(ctx, e, r, e.record.Instance); err != nil {
		return err
	}
	s.tell(r, Event{Kind: Left, Why: why})
	return nil
}

// objectText names the object of an instance in a message.
func objectText(s *schema.Resource, in instance.Instance) string {
	a := s.Block.Attributes["id"]
	if id := ownership.StateID(in.State); id != "" && a != nil && !a.Sensitive {
		return fmt.Sprintf("The remote object with the id %q", id)
	}
	return "The remote object"
}

// proof is what a read shows of the account of an object.
type proof uint8

const (
	// notLooked: the object was not looked for.
	notLooked proof = iota
	// proved: it is the stored object.
	proved
	// stranger: it is another object.
	stranger
	// undecided: it has nothing by which two objects differ for certain.
	undecided
	// absent: it was not found.
	absent
)

// proofOf reads the stored object, and returns what that shows. Of an instance that consists of
// several objects, nothing is read: a read of it does not tell which of them were not found.
func proofOf(ctx context.Context, r Request, ex terraform.Executor, in instance.Instance) (proof, error) {
	if n := len(in.Deposed); !in.Exists() && n > 0 {
		in = in.Deposed[n-1].Instance()
	}
	if r.Consists != nil || !in.Exists() {
		return undecided, nil
	}
	read, diags := ex.Refresh(ctx, r.Type, in)
	if diags.HasErrors() {
		return notLooked, decision.Failed(decision.ReasonReadFailed, diags)
	}
	if !read.Instance.Exists() {
		return absent, nil
	}
	stored := in.State
	if len(in.RawState) > 0 {
		stored = read.Upgraded
	}
	return compareMade(r.Type.Schema, stored, read.Instance.State), nil
}

// made matches the names of attributes that only a provider sets, and never changes: ids, and times
// of creation.
var made = regexp.MustCompile(`^(id|uid|uuid|guid|arn|urn|crn|[a-z_]*(unique|object|resource|numeric)_u?id|creat(ed|ion)(_|$)[a-z_]*|create_time[a-z]*|time_created)$`)

// telling is the least length of a value that two clouds do not make alike.
const telling = 8

// compareMade compares what only a provider makes of an object. A value that is made of arguments
// shows nothing if it is the same.
func compareMade(s *schema.Resource, stored, found cty.Value) proof {
	if !present(stored) || !present(found) {
		return undecided
	}
	given := arguments(s, stored)
	out := undecided
	_ = cty.Walk(stored, func(path cty.Path, v cty.Value) (bool, error) {
		if out == stranger || v.IsNull() || !v.IsKnown() || !single(path, v) {
			return false, nil
		}
		if !v.Type().IsPrimitiveType() || len(path) == 0 {
			return true, nil
		}
		a := s.Block.AttributeByPath(path)
		name, ok := path[len(path)-1].(cty.GetAttrStep)
		if a == nil || !ok || !a.Computed || a.Sensitive || a.Optional && len(path) > 1 || !made.MatchString(name.Name) {
			return false, nil
		}
		is, err := path.Apply(found)
		switch {
		case err != nil, is.IsNull(), !is.IsKnown():
		case !is.RawEquals(v):
			out = stranger
		case !given.make(v):
			out = proved
		}
		return false, nil
	})
	return out
}

// single reports whether a value is not one of several: their order may change.
func single(path cty.Path, v cty.Value) bool {
	if t := v.Type(); t.IsSetType() || t.IsMapType() || t.IsListType() && v.LengthInt() != 1 {
		return false
	}
	return true
}

// texts are values of arguments.
type texts []string

// arguments returns the values of the arguments of an object.
func arguments(s *schema.Resource, v cty.Value) (out texts) {
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() {
			return false, nil
		}
		if v.Type() == cty.String && len(path) > 0 && v.AsString() != "" {
			if a := s.Block.AttributeByPath(path); a == nil || a.Required || a.Optional && !a.Computed {
				out = append(out, v.AsString())
			}
		}
		return true, nil
	})
	return out
}

// make reports whether a value may be made of arguments, or is so short that two clouds may make it
// alike.
func (t texts) make(v cty.Value) bool {
	var text string
	switch v.Type() {
	case cty.String:
		text = v.AsString()
	case cty.Number:
		text = v.AsBigFloat().Text('f', -1)
	}
	if len(text) < telling {
		return true
	}
	for _, argument := range t {
		if len(argument) > 2 && strings.Contains(text, argument) {
			return true
		}
	}
	return false
}

// AccountRefused returns the error of a resource whose objects are in another account than the one
// of the request, by what is stored; nil if they may be in the same one, or the new one is
// confirmed.
func AccountRefused(r *Request, stored instance.Account) *Error {
	if stored.Relation(r.StoredAccount) != instance.OtherAccount || r.confirms(stored) {
		return nil
	}
	return accountChanged(r, stored, notLooked)
}

// accountChanged is the error for an object that is not known to be in the account of the request.
func (e *entry) accountChanged(r *Request, seen proof) *Error {
	return accountChanged(r, e.record.Account, seen)
}

func accountChanged(r *Request, stored instance.Account, seen proof) *Error {
	before, now := stored.Text(), r.StoredAccount.Text()
	stays := "and the object stays where it is"
	if r.Deleted {
		stays = "and an object that is not the same there is left where it is"
	}
	if stored.Relation(r.StoredAccount) == instance.OtherAccount {
		return decision.Failed(decision.ReasonAccountChanged, diagnostic.Errorf("Account changed",
			"The remote object is in the account of %s, and spec.providerConfigRef names %s, so nothing is done in either. "+
				"Name the former one again, or set the annotation landbridge.io/confirm-account to %q: the resource is for the new account then, %s.",
			before, now, r.StoredAccount.Title(), stays))
	}
	code := r.StoredAccount.Code()
	if seen == stranger {
		return decision.Failed(decision.ReasonAccountChanged, diagnostic.Errorf("Account changed",
			"The arguments of %s have changed, and the object that it shows now is another one than that of this resource, so nothing is done. "+
				"Change them back, or set the annotation landbridge.io/confirm-account of this resource to %q: the resource is for the new account then, %s.",
			now, code, stays))
	}
	what := map[proof]string{absent: "the object is not found"}
	out := decision.Failed(decision.ReasonAccountChanged, diagnostic.Errorf("Account changed",
		"The arguments of %s have changed, and %s, so nothing is done. Change them back, or set the annotation landbridge.io/confirm-account to %q: "+
			"on the configuration if it is for the same account, on this resource if it is for another one, %s.",
		now, cmp.Or(what[seen], "nothing shows yet that it is for the same account"), code, stays))
	return out
}
