package query

import (
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/slots"
)

// Init makes a reconciler ready that no manager runs.
func (r *Reconciler) Init() { r.slots = slots.New(atOnce) }

// Told exports told.
func Told(all []discovery.Owner, namespace string) (v1alpha1.QueriedOwnership, []discovery.Owner) {
	return told(all, namespace)
}

// First exports first.
func First(all []v1alpha1.QueriedObject) []v1alpha1.QueriedObject { return first(all) }

// Backoff exports backoff.
func Backoff(failures int, most time.Duration) time.Duration { return backoff(failures, most) }

// Paginate exports paginate.
func Paginate(all []discovery.DocumentObject) (pages []string, left int, _ error) {
	return paginate(all, discovery.Gaps{})
}

// Events exports events.
func Events(before, now v1alpha1.ResourceQueryStatus) []event.Event { return events(before, now) }

// MaxPages exports maxPages.
const MaxPages = maxPages
