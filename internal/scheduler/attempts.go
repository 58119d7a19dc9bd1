package scheduler

import (
	"fmt"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A create that fails after it has made an object leaves a tainted object, which is destroyed and
// created again. If the same configuration fails in this way each time, that would go on for ever.
// So the creates of a configuration, with the same provider configuration, are counted, in the
// memory of this process, and after Request.CreateAttempts the tainted object stays. Of a module,
// the applies are counted that replace a tainted object and fail.

// attempts counts consecutive creates of one configuration that failed after they had made an
// object, or may have.
type attempts struct {
	count int64
	basis string // of the request
}

// note counts the outcome of an operation on the current object.
func (a *attempts) note(r Request, res result, p *terraform.Plan) {
	switch op := res.op; {
	case op.Kind == instance.Delete || res.undispatched:
	case !res.diags.HasErrors():
		*a = attempts{}
	case op.Kind == instance.Create && res.mayHaveMade(), p != nil && len(tainted(p)) > 0:
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
	return p != nil && (p.Action.IsReplace() && p.Reason == terraform.ReplaceBecauseTainted || len(tainted(p)) > 0) &&
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
	made.ConfigHash = settlingConfig(r) + fmt.Sprint(r.Timeouts)
	return basisOf(&made)
}

// tainted returns the addresses of the objects of a module that a plan replaces because their
// creates have failed.
func tainted(p *terraform.Plan) (out []string) {
	for _, c := range p.Contained {
		if c.Action.IsReplace() && c.Reason == terraform.ReplaceBecauseTainted {
			out = append(out, c.Address)
		}
	}
	return out
}

func (a *attempts) exhausted(p *terraform.Plan) *Error {
	if of := tainted(p); len(of) > 0 {
		return failed(ReasonCreateAttemptsExhausted, diagnostic.Errorf("Create attempts exhausted",
			"Creating these objects of the module has failed %d times after it had made them; the last ones are tainted and stay: %s. Change the module or its variables, or request a retry with the annotation landbridge.io/retry.", a.count, strings.Join(of, ", ")))
	}
	return failed(ReasonCreateAttemptsExhausted, diagnostic.Errorf("Create attempts exhausted",
		"Creating this object has failed %d times after it had made an object; the last one is tainted and stays. Change the configuration, request a retry with the annotation landbridge.io/retry, or untaint the object to keep it.", a.count))
}
