package results

import "time"

// Occasion is occasion, of a data source that was read with the hash "a".
func Occasion(now string, ready, requested bool, interval time.Duration, lastHash string, at, next, is time.Time) (bool, time.Duration) {
	return occasion{
		ready: ready, hash: "a", now: now, requested: requested, interval: interval, last: read{hash: lastHash, at: at, next: next}, at: is,
	}.due()
}
