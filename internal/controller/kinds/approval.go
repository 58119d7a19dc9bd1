package kinds

import "github.com/landbridge-io/landbridge/internal/desired"

// SetApproval sets the least approval policy of the resources of an owner, which is a value of LabelProvider.
func (rt *Runtime) SetApproval(owner, policy string) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.approvals == nil {
		rt.approvals = map[string]desired.Approval{}
	}
	rt.approvals[owner] = desired.ParseApproval(policy)
}

// Approval returns a function that returns the least approval policy of the resources of an owner.
func (rt *Runtime) Approval(owner string) func() desired.Approval {
	return func() desired.Approval {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		return rt.approvals[owner]
	}
}
