package managed

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// postponement is how long looks wait at most for the records that are listed.
const postponement = 10 * time.Second

// postponed are the looks at unchanged resources that wait, when a controller starts, until the records that can be listed were
// loaded. A look that does not wait loads its record by itself, and takes the processor time that changes wait for.
type postponed struct {
	mu    sync.Mutex
	waits bool
	looks []reconcile.Request
}

// begin has looks wait.
func (p *postponed) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waits = true
}

// add reports whether a look waits.
func (p *postponed) add(req reconcile.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits {
		p.looks = append(p.looks, req)
	}
	return p.waits
}

// end queues the looks that wait, and has none wait any more.
func (p *postponed) end(q Queue) {
	p.mu.Lock()
	looks := p.looks
	p.waits, p.looks = false, nil
	p.mu.Unlock()
	for _, req := range looks {
		q.Add(req)
	}
}
