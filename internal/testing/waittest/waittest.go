package waittest

import (
	"context"
	"testing"
	"time"
)

// Limit is the maximum time that a test waits for an expected state.
const Limit = 3 * time.Minute

// interval is the polling interval. It grows with the time waited, up to longest: a large part of
// the cost of a test that waits is its requests.
const (
	interval = 25 * time.Millisecond
	longest  = 8 * interval
)

// Eventually waits until holds returns true. The test fails if that takes longer than Limit.
func Eventually(tb testing.TB, what string, holds func(context.Context) bool) {
	tb.Helper()
	if !poll(tb.Context(), holds) {
		tb.Fatalf("not within %s: %s", Limit, what)
	}
}

// Succeed is Eventually for what has no test at hand, such as a fixture that tests share. It
// returns the last error of try if that does not succeed within Limit.
func Succeed(ctx context.Context, try func(context.Context) error) error {
	var err error
	poll(ctx, func(ctx context.Context) bool {
		err = try(ctx)
		return err == nil
	})
	return err
}

// poll reports whether holds returned true before the limit and the end of the context.
func poll(ctx context.Context, holds func(context.Context) bool) bool {
	for begin := time.Now(); !holds(ctx); {
		waited := time.Since(begin)
		if waited > Limit || ctx.Err() != nil {
			return false
		}
		time.Sleep(min(max(interval, waited/10), longest))
	}
	return true
}

// Never fails the test if something happens within the time.
func Never(tb testing.TB, during time.Duration, what string, happened func() bool) {
	tb.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(interval) {
		if happened() {
			tb.Fatalf("it happened: %s", what)
		}
	}
}
