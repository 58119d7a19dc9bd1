package servertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/provider"
)

// ToldDeadline checks that a provider is told the deadline of a context, and that its answer is
// waited for as long as the context does not end, which may be longer.
func ToldDeadline(t *testing.T, s provider.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	begin := time.Now()
	r, err := s.ReadResource(told{ctx, begin.Add(200 * time.Millisecond)}, &tfprotov6.ReadResourceRequest{TypeName: "wait"})
	if err != nil || !strings.Contains(string(r.NewState.MsgPack), "cancelled") {
		t.Errorf("got %v, want the answer of a provider whose time is over", err)
	}
	if took := time.Since(begin); took < 200*time.Millisecond || took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// told is a context that ends later than it says.
type told struct {
	context.Context
	deadline time.Time
}

func (c told) Deadline() (time.Time, bool) { return c.deadline, true }
