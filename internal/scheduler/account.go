package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/history"
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
	e.decode()
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
	case seen == decision.Proved:
		if open {
			s.noteProved(stored, r.StoredAccount)
		}
		return s.noteAccount(ctx, e, &r)
	case open && seen != decision.Stranger && s.isProved(stored, r.StoredAccount):
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
	why := fmt.Sprintf("%s stays in %s, since %s is confirmed", objectText(r.Type.Schema, e.record.Instance),
		e.record.Account.Text(), r.StoredAccount.Text())
	e.record.Instance, e.record.Account = instance.Instance{State: cty.NilVal}, r.StoredAccount
	e.record.Handled.Imported = false
	e.missing, e.updated, e.destroyed, e.completed, e.unresolved, e.seen = nil, nil, nil, nil, nil, time.Time{}
	e.undrifted()
	if err := s.saveWith(ctx, e, r, e.record.Instance,
		history.Entry{Action: history.Leave, Because: "another account was confirmed"}); err != nil {
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

// proofOf reads the stored object, and returns what that shows. Of an instance that consists of
// several objects, nothing is read: a read of it does not tell which of them were not found.
func proofOf(ctx context.Context, r Request, ex terraform.Executor, in instance.Instance) (decision.Proof, error) {
	if n := len(in.Deposed); !in.Exists() && n > 0 {
		in = in.Deposed[n-1].Instance()
	}
	if r.Consists != nil || !in.Exists() {
		return decision.Undecided, nil
	}
	read, diags := ex.Refresh(ctx, r.Type, in)
	if diags.HasErrors() {
		return decision.NotLooked, decision.Failed(decision.ReasonReadFailed, diags)
	}
	if !read.Instance.Exists() {
		return decision.Absent, nil
	}
	stored := in.State
	if len(in.RawState) > 0 {
		stored = read.Upgraded
	}
	return decision.CompareMade(r.Type.Schema, stored, read.Instance.State), nil
}

// AccountRefused returns the error of a resource whose objects are in another account than the one
// of the request, by what is stored; nil if they may be in the same one, or the new one is
// confirmed.
func AccountRefused(r *Request, stored instance.Account) *Error {
	if stored.Relation(r.StoredAccount) != instance.OtherAccount || r.confirms(stored) {
		return nil
	}
	return decision.AccountChanged(stored, r.StoredAccount, r.Deleted, decision.NotLooked)
}

// accountChanged is the error for an object that is not known to be in the account of the request.
func (e *entry) accountChanged(r *Request, seen decision.Proof) *Error {
	return decision.AccountChanged(e.record.Account, r.StoredAccount, r.Deleted, seen)
}
