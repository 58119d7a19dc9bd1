package desired

import "github.com/landbridge-io/landbridge/internal/crd"

// Approval is which plans wait until a person has approved them. A larger value is stricter.
type Approval uint8

// The approval policies.
const (
	// ApproveNothing: no plan waits.
	ApproveNothing Approval = iota
	// ApproveDestructive: plans that destroy something wait.
	ApproveDestructive
	// ApproveEverything: all plans wait.
	ApproveEverything
)

// ParseApproval reads an approvalPolicy. An empty one is ApproveNothing. An unknown one is
// ApproveEverything, since approval was wanted.
func ParseApproval(s string) Approval {
	switch s {
	case "", crd.ApprovalNever:
		return ApproveNothing
	case crd.ApprovalDestructive:
		return ApproveDestructive
	default:
		return ApproveEverything
	}
}
