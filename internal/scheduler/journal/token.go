package journal

import (
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// If the configuration names an argument for a create token, each create has one, which is stored
// in the intent. The remote side carries out one of several creates with the same token. So an
// interrupted create is repeated with its token, while the remote side remembers it. A token that
// the user sets is left alone: it may be older than the create.

// Token is how the creates of a resource get their tokens.
type Token struct {
	// Argument is the argument of the token; nil if there is none.
	Argument *desired.CreateToken
	// Configuration returns the configuration as the user has set it; nil if there is none.
	Configuration func() *terraform.Config
	// Creates is set if an object may be created.
	Creates bool
}

// NewToken returns another token.
func NewToken() string { return string(uuid.NewUUID()) }

// Generated returns the token of a planned create, unless the user has set it.
func (t Token) Generated(p terraform.Plan) string {
	if !t.generates() {
		return ""
	}
	return t.Argument.Of(p.Config)
}

// generates reports whether creates get generated tokens.
func (t Token) generates() bool {
	if t.Argument == nil {
		return false
	}
	c := t.Configuration()
	return c != nil && t.Argument.Of(c.Value) == ""
}

// Resumes reports whether an interrupted create may be repeated with its token.
func (t Token) Resumes(op *instance.Operation, now time.Time) bool {
	return op.CreateToken != "" && !t.Expired(op, now) && t.Creates && t.generates()
}

// Expired reports whether the remote side may have forgotten the token of an interrupted create.
func (t Token) Expired(op *instance.Operation, now time.Time) bool {
	return t.Argument == nil || !now.Before(op.CreateTokenAt.Add(t.Argument.ValidFor))
}

// Note stores the token of a create in its intent. unresolved is the interrupted create before it;
// nil if there was none.
func (t Token) Note(p terraform.Plan, unresolved, op *instance.Operation, now time.Time) {
	op.CreateToken = t.Generated(p)
	switch {
	case op.CreateToken == "":
	case unresolved != nil && unresolved.CreateToken == op.CreateToken:
		op.CreateTokenAt = unresolved.CreateTokenAt
	default:
		op.CreateTokenAt = now
	}
}
