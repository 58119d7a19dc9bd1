package action

// Await waits until no attempt runs.
func (r *Runs) Await() { r.all.Wait() }
