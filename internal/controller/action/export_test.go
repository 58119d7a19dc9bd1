package action

// Await waits until no attempt runs.
func (r *Runs) Await() { r.all.Wait() }

// Slot is slot.
func (r *Runs) Slot(configuration, namespace string) (release func(), ok bool) {
	return r.slot(configuration, namespace)
}
