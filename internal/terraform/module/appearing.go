package module

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// An object whose create failed or was interrupted may appear later, though its provider does not
// find it now: clouds accept a create, and show the object when it exists. Terraform takes such an
// object for gone, and creates another one. Here it stays in the state, tainted, so that it is
// destroyed first, which ends what is under way. When the time that an operation may take has
// passed, it is gone.

// appearing are the times until which objects may appear, by the sum of the object.
type appearing map[string]time.Time

// sum identifies an object as its create left it. State is msgpack; unknown values are null in a
// state file.
func sum(r *schema.Resource, state, private []byte) string {
	v, err := wire.Unmarshal(state, r.ImpliedType())
	if err != nil {
		return ""
	}
	b, err := wire.MarshalJSON(cty.UnknownAsNull(v), r.ImpliedType())
	if err != nil {
		return ""
	}
	h := sha256.Sum256(bytes.Join([][]byte{[]byte(r.Type), b, private}, []byte{0}))
	return hex.EncodeToString(h[:])
}

// appearing returns what may appear after an operation, from those before it. The objects of its
// failed creates may appear until a time.
func (j *journal) appearing(before appearing, known types, now, until time.Time) appearing {
	out := appearing{}
	for sum, until := range before {
		if now.Before(until) {
			out[sum] = until
		}
	}
	for _, c := range j.Changes {
		r := known(c.Source, c.Resource.Type)
		if r == nil || !c.Answered || !c.Tainted || len(c.State) == 0 || wire.IsNull(c.State) {
			continue
		}
		if s := sum(r, c.State, c.Private); s != "" {
			out[s] = until
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// mayAppear reports whether an object that is not found may still appear.
func (d appearing) mayAppear(r *schema.Resource, state, private []byte, now time.Time) bool {
	return len(d) > 0 && r != nil && now.Before(d[sum(r, state, private)])
}

// timeLeft returns the time that a context leaves.
func timeLeft(ctx context.Context, now time.Time) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return deadline.Sub(now)
}

// unlessDoubted returns the answer to a read. An object that may appear is answered as it was.
func (s *attached) unlessDoubted(q *tfprotov6.ReadResourceRequest, answer *tfprotov6.ReadResourceResponse) *tfprotov6.ReadResourceResponse {
	if !wire.IsNull(packed(answer.NewState)) || hasErrors(answer.Diagnostics) ||
		!s.appearing.mayAppear(s.schema.Resources[q.TypeName], packed(q.CurrentState), q.Private, time.Now()) {
		return answer
	}
	return asBefore(q, answer)
}

func hasErrors(diags []*tfprotov6.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}
