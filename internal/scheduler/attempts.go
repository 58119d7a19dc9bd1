package scheduler

import (
	"fmt"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A create that fails after it has made an object leaves a tainted object, which is destroyed and
// created again. If the same configuration fails in this way each time, that would go on for ever.
// So the creates of a configuration, with the same provider configuration, are counted, in the
// memory of this process, and after Request.CreateAttempts the tainted object stays. Of a module,
// the applies are counted that replace a tainted object and fail.

// note counts the outcome of an operation on the current object.
func (a *attempts) note(r Request, res result, p *terraform.Plan) {
	switch op := res.op; {
	case op.Kind == instance.Delete || res.undispatched:
	case !res.diags.HasErrors():
		*a = attempts{}
	case op.Kind == instance.Create && res.mayHaveMade(), p != nil && len(p.Tainted()) > 0:
		if basis := attemptsBasis(&r); a.basis != basis {
			*a = attempts{basis: basis}
		}
		a.count++
	}
}

// mayHaveMade reports whether a create that failed has made an object, or may have. An earlier
// create of unknown outcome does not count.
func (res result) mayHaveMade() bool {
	if res.record == nil {
		return true
	}
	in := res.record.Instance
	return in.Status == instance.Tainted || in.Operation != nil && in.Operation.ID == res.op.ID
}

// stalled reports whether a plan must not be carried out because creates of its configuration
// failed too often.
func (a *attempts) stalled(r *Request, p *terraform.Plan) bool {
	return p != nil && (p.Action.IsReplace() && p.Reason == terraform.ReplaceBecauseTainted || len(p.Tainted()) > 0) &&
		a.exhausts(r)
}

// exhausts reports whether creates of the configuration failed too often.
func (a *attempts) exhausts(r *Request) bool {
	return r.CreateAttempts > 0 && a.count >= r.CreateAttempts && a.basis == attemptsBasis(r)
}

// attemptsBasis is basisOf with what an object is made from, and the timeouts, instead of
// ConfigHash: after an edit of anything else, another create is no more likely to succeed.
func attemptsBasis(r *Request) string {
	made := *r
	made.ConfigHash = r.making().Config() + fmt.Sprint(r.Timeouts)
	return basisOf(&made)
}
