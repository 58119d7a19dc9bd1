package controller

import (
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Lease is lease.
type Lease = lease

// NewLease makes one of a lock.
func NewLease(lock resourcelock.Interface, safe time.Duration) *Lease {
	return &lease{Interface: lock, safe: safe}
}

// Leads is leads.
func (l *lease) Leads() bool { return l.leads() }
