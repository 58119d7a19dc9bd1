package pool

// Entries returns the number of configurations that the pool knows.
func (p *Pool) Entries() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.entries)
}
