package controller

import (
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

// Recorder returns a recorder with a queue for events that happen once, and one for repeated events.
func Recorder(once, repeated record.EventRecorder) record.EventRecorder {
	return recorder{once: once, repeated: repeated}
}

// Lease exports lease.
type Lease = lease

// NewLease returns a lease with a lock.
func NewLease(lock resourcelock.Interface, safe time.Duration) *Lease {
	return &lease{Interface: lock, safe: safe}
}

// Leads exports leads.
func (l *lease) Leads() bool { return l.leads() }

// CountRefused is countRefused.
var CountRefused = countRefused

// RegisterMetrics registers the metrics of the process.
func RegisterMetrics() error {
	_, err := resourceMetrics()
	return err
}
