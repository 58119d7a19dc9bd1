package memory

// Percent is the percentage of a heap of which so many bytes live.
func Percent(g Garbage, live uint64) int { return g.percent(live) }
