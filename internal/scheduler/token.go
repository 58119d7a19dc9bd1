package scheduler

import (
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// If the configuration names an argument for a create token, each create has one, which is stored
// in the intent. The remote side carries out one of several creates with the same token. So an
// interrupted create is repeated with its token, while the remote side remembers it. A token that
// the user sets is left alone: it may be older than the create.

// withToken returns the configuration to plan with: an existing object keeps its token, an
// interrupted create has the same one again, and any other create a new one, which stays the same
// until it is used.
func (e *entry) withToken(r Request, in instance.Instance, config terraform.Config) terraform.Config {
	if r.CreateToken == nil || r.CreateToken.Of(config.Value) != "" {
		return config
	}
	token := ""
	if op := e.record.Instance.Operation; op != nil {
		token = op.CreateToken
	}
	if token == "" && !in.Exists() {
		if e.token == "" {
			e.token = newToken()
		}
		token = e.token
	}
	config.Value = r.CreateToken.In(config.Value, existing(in), token)
	return config
}

func newToken() string { return string(uuid.NewUUID()) }

// existing returns the state of the object; cty.NilVal if there is none.
func existing(in instance.Instance) cty.Value {
	if !in.Exists() {
		return cty.NilVal
	}
	return in.State
}

// generated returns the token of a planned create, unless the user has set it.
func (r *Request) generated(p terraform.Plan) string {
	if r.CreateToken == nil || r.Config == nil || r.CreateToken.Of(r.Configuration().Value) != "" {
		return ""
	}
	return r.CreateToken.Of(p.Config)
}

// resumes reports whether an interrupted create may be repeated with its token.
func resumes(r Request, op *instance.Operation, now time.Time) bool {
	return op.CreateToken != "" && !expired(r, op, now) && !r.Deleted && r.Config != nil && r.Policies.Create &&
		r.CreateToken.Of(r.Configuration().Value) == ""
}

// expired reports whether the remote side may have forgotten the token of an interrupted create.
func expired(r Request, op *instance.Operation, now time.Time) bool {
	return r.CreateToken == nil || !now.Before(op.CreateTokenAt.Add(r.CreateToken.ValidFor))
}

// repeated returns the outcome of a create. If it repeats an interrupted one, whose configuration
// was another, the remote side answers with an object of that configuration. It is complete, and
// the next plan changes it.
func repeated(doubt, op *instance.Operation, out instance.Instance, diags diagnostic.Diagnostics) (instance.Instance, diagnostic.Diagnostics) {
	if doubt == nil || op.CreateToken == "" || doubt.CreateToken != op.CreateToken || !out.Exists() || !terraform.Inconsistent(diags) {
		return out, diags
	}
	out.Status = instance.Full
	return out, diags.Warnings()
}

// noteToken stores the token of a create in its intent.
func (s *Scheduler) noteToken(r Request, p terraform.Plan, doubt, op *instance.Operation) {
	op.CreateToken = r.generated(p)
	switch {
	case op.CreateToken == "":
	case doubt != nil && doubt.CreateToken == op.CreateToken:
		op.CreateTokenAt = doubt.CreateTokenAt
	default:
		op.CreateTokenAt = s.o.Clock.Now()
	}
}
