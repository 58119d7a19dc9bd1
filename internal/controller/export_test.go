package controller

import (
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Lease exports lease.
type Lease = lease

// NewLease returns a lease with a lock.
func NewLease(lock resourcelock.Interface, safe time.Duration) *Lease {
	return &lease{Interface: lock, safe: safe}
}

// Leads exports leads.
func (l *lease) Leads() bool { return l.leads() }
