package pool

import (
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// measuredFor is how long a measurement of memory is used.
	measuredFor = 500 * time.Millisecond
	// usualMemory is what a server is expected to use of whose provider none runs.
	usualMemory = 64 << 20
)

// budget is the memory that all servers' processes use together.
type budget struct {
	resident int64
	measured time.Time
}

// measure measures what all servers use, unless that was measured just now. The mutex is locked.
func (p *Pool) measure(now time.Time) int64 {
	b := &p.budget
	if now.Sub(b.measured) < measuredFor {
		return b.resident
	}
	b.resident, b.measured = 0, now
	for _, e := range p.entries {
		for _, m := range e.members() {
			b.resident += resident(m)
		}
		if e.starting != nil {
			b.resident += p.expected(e)
		}
	}
	return b.resident
}

// expected returns what a server of an entry is expected to use: as much as the smallest one of its
// provider after its start. The mutex is locked.
func (p *Pool) expected(e *entry) int64 {
	least := int64(0)
	for _, other := range p.entries {
		if m := other.current; m != nil && m.base.ResidentBytes > 0 &&
			other.key.configuration.Launcher.Key() == e.key.configuration.Launcher.Key() && (least == 0 || m.base.ResidentBytes < least) {
			least = m.base.ResidentBytes
		}
	}
	if least == 0 {
		return usualMemory
	}
	return least
}

func resident(m *member) int64 {
	if r, ok := m.server.(provider.UsageReporter); ok {
		return r.Usage().ResidentBytes
	}
	return 0
}

// afford makes room in memory for the server of an entry, by closing idle ones, and returns why
// there is none. of are the numbers of servers by namespace. The first server is always started.
// The mutex is locked.
func (p *Pool) afford(e *entry, now time.Time, of map[string]int) string {
	most := p.options.MaxMemory
	if most == 0 {
		return ""
	}
	namespace := e.key.configuration.Namespace
	more := p.expected(e)
	for p.measure(now)+more > most {
		idle := p.leastUsed(now, func(n string) bool { return of[n] >= of[namespace] })
		if idle == nil {
			idle = p.leastUsed(now, func(string) bool { return true })
		}
		if idle == nil {
			if p.budget.resident == 0 {
				break
			}
			return fmt.Sprintf("Provider processes use %d MiB of memory, and may use %d MiB together.", p.budget.resident>>20, most>>20)
		}
		p.budget.resident -= resident(idle)
		p.evict(idle)
	}
	p.budget.resident += more
	return ""
}

// economize closes servers without leases while all servers together use more memory than they may.
// The mutex is locked.
func (p *Pool) economize(now time.Time) {
	for p.options.MaxMemory > 0 && p.measure(now) > p.options.MaxMemory {
		idle := p.leastUsed(now, func(string) bool { return true })
		if idle == nil {
			return
		}
		p.budget.resident -= resident(idle)
		p.evict(idle)
	}
}
