package scheduler

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// token is how the creates of the resource get their tokens.
func (r *Request) token() journal.Token {
	return journal.Token{Argument: r.CreateToken, Configuration: r.configuration(), Creates: !r.Deleted && r.Policies.Create}
}

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
			e.token = journal.NewToken()
		}
		token = e.token
	}
	config.Value = r.CreateToken.In(config.Value, existing(in), token)
	return config
}

// existing returns the state of the object; cty.NilVal if there is none.
func existing(in instance.Instance) cty.Value {
	if !in.Exists() {
		return cty.NilVal
	}
	return in.State
}
