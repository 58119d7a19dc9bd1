package desired

import "github.com/landbridge-io/landbridge/internal/crd"

// Drift is what happens to values that were changed outside Landbridge.
type Drift uint8

// The drift policies.
const (
	// RepairDrift: they are changed back.
	RepairDrift Drift = iota
	// ApproveDrift: a plan that changes them back waits until a person has approved it.
	ApproveDrift
	// ReportDrift: they stay.
	ReportDrift
)

// parseDrift reads a driftPolicy. An unknown one is ReportDrift, which changes nothing.
func parseDrift(s string) Drift {
	switch s {
	case "", crd.DriftRepair:
		return RepairDrift
	case crd.DriftApprove:
		return ApproveDrift
	default:
		return ReportDrift
	}
}
