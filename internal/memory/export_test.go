package memory

// Work is what a process has allocated.
type Work = work

// Over reports whether the heap is worth to be released now.
func (w *work) Over(total, live uint64) bool { return w.over(total, live) }

// Percent is the percentage of a heap of which so many bytes live.
func Percent(g Garbage, live uint64) int { return g.percent(live) }

// LimitIn is the limit that files tell.
func LimitIn(read func(name string) ([]byte, error)) int64 { return limit(read) }
