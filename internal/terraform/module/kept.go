package module

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// One apply makes all changes of a module. An object that does not settle, and whose next update is
// not due, is left as it is by an apply of other changes, such as another attempt at one that has
// failed: its plan is answered with what is read of it.

// kept are the objects that are left as they are. It is nil if there are none.
type kept struct {
	mu sync.Mutex
	// keys are those of objectKey.
	keys map[string]bool
}

// keptIn returns the objects with some addresses in a state file.
func (e *Executor) keptIn(ctx context.Context, state []byte, addresses []string) *kept {
	if len(addresses) == 0 || state == nil {
		return nil
	}
	typeOf := func(resourceType string) *schema.Resource {
		for _, source := range e.module.Sources {
			if r := e.resourceType(ctx)(source, resourceType); r != nil {
				return r
			}
		}
		return nil
	}
	file, err := tfstate.Read(state, typeOf)
	if err != nil {
		return nil
	}
	out := &kept{keys: map[string]bool{}}
	for block, i := range file.All() {
		address := strings.TrimPrefix(block.Address()+instanceKey(i.IndexKey), callAddress)
		r := typeOf(block.Type)
		if block.Mode != "managed" || r == nil || len(i.RawState) > 0 || !slices.Contains(addresses, address) {
			continue
		}
		if packed, err := wire.Marshal(i.State, r.ImpliedType()); err == nil {
			out.keys[objectKey(r, packed)] = true
		}
	}
	return out
}

// read notes what is read of an object.
func (k *kept) read(r *schema.Resource, q *tfprotov6.ReadResourceRequest, answer *tfprotov6.ReadResourceResponse) {
	if k == nil || r == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys[objectKey(r, packed(q.CurrentState))] {
		k.keys[objectKey(r, packed(answer.NewState))] = true
	}
}

// has reports whether a plan is one of an object that is kept.
func (k *kept) has(r *schema.Resource, q *tfprotov6.PlanResourceChangeRequest) bool {
	if k == nil || r == nil || wire.IsNull(packed(q.PriorState)) || wire.IsNull(packed(q.ProposedNewState)) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[objectKey(r, packed(q.PriorState))]
}

// unchanged is the plan of an object that is left as it is.
func unchanged(q *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: q.PriorState, PlannedPrivate: q.PriorPrivate, PlannedIdentity: q.PriorIdentity}
}
