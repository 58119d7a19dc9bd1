package informer

import (
	"time"

	toolscache "k8s.io/client-go/tools/cache"
)

// asked is the interval at which client-go asks whether an informer or a handler has synced.
const asked = 100 * time.Millisecond

// prompt is an informer whose waits end as soon as it has synced. Otherwise each of them, which
// follow one another at a start of the controller, would take until client-go asks again.
type prompt struct{ toolscache.SharedIndexInformer }

// HasSynced implements cache.Informer. It waits for as long as callers wait before they ask again.
func (p prompt) HasSynced() bool { return soon(p.HasSyncedChecker()) }

// AddEventHandlerWithOptions implements cache.Informer.
func (p prompt) AddEventHandlerWithOptions(
	h toolscache.ResourceEventHandler, o toolscache.HandlerOptions,
) (toolscache.ResourceEventHandlerRegistration, error) {
	r, err := p.SharedIndexInformer.AddEventHandlerWithOptions(h, o)
	if err != nil {
		return nil, err
	}
	return registration{r}, nil
}

// RemoveEventHandler implements cache.Informer.
func (p prompt) RemoveEventHandler(handle toolscache.ResourceEventHandlerRegistration) error {
	if r, ok := handle.(registration); ok {
		handle = r.ResourceEventHandlerRegistration
	}
	return p.SharedIndexInformer.RemoveEventHandler(handle)
}

// registration is that of a handler of a prompt.
type registration struct {
	toolscache.ResourceEventHandlerRegistration
}

// HasSynced implements cache.ResourceEventHandlerRegistration, as that of prompt.
func (r registration) HasSynced() bool { return soon(r.HasSyncedChecker()) }

// soon reports whether c is done now, or shortly.
func soon(c toolscache.DoneChecker) bool {
	select {
	case <-c.Done():
		return true
	default:
	}
	select {
	case <-c.Done():
		return true
	case <-time.After(asked):
		return false
	}
}
