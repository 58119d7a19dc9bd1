package inflight_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/inflight"
)

func TestAlone(t *testing.T) {
	errF := errors.New("f failed")
	for name, c := range map[string]struct {
		// inFlight is how long a call is in flight that began before.
		inFlight time.Duration
		err      error
		ran      bool
		begins   bool // whether the call that was held back begins
	}{
		"no calls":             {ran: true, begins: true},
		"a call that ends":     {inFlight: time.Second, ran: true, begins: true},
		"a call that does not": {inFlight: time.Minute, begins: true},
		"f fails":              {inFlight: time.Second, err: errF, ran: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls inflight.Calls
				if c.inFlight > 0 {
					if !calls.BeginWithin(t.Context()) {
						t.Fatal("the first call did not begin")
					}
					time.AfterFunc(c.inFlight, calls.End)
				}
				held := make(chan bool, 1) // whether a call that comes meanwhile has begun
				time.AfterFunc(time.Second/2, func() { held <- calls.BeginWithin(t.Context()) })
				ran, err := calls.Alone(t.Context(), 2*time.Second, func(ctx context.Context) error {
					if calls.Busy() {
						t.Error("a call is in flight")
					}
					if !calls.BeginWithin(ctx) {
						t.Error("a call of f did not begin")
					}
					calls.End()
					if again, _ := calls.Alone(ctx, time.Second, nil); again {
						t.Error("a second one ran")
					}
					time.Sleep(time.Second)
					if len(held) > 0 {
						t.Error("a call began meanwhile")
					}
					return c.err
				})
				if ran != c.ran || !errors.Is(err, c.err) {
					t.Errorf("ran is %t, want %t; the error is %v, want %v", ran, c.ran, err, c.err)
				}
				synctest.Wait()
				if len(held) == 0 || <-held != c.begins {
					t.Errorf("the call that was held back: want %t", c.begins)
				}
				if calls.Closing() == c.begins {
					t.Errorf("closing is %t", calls.Closing())
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestAloneIsCancelled checks that a call that is held back ends with its context, and Alone with
// its own.
func TestAloneIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls inflight.Calls
		calls.Begin()
		alone, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		patient := make(chan bool, 1)
		time.AfterFunc(time.Second/2, func() {
			if calls.BeginWithin(impatient) {
				t.Error("a call began although its context has ended")
			}
			patient <- calls.BeginWithin(t.Context())
		})
		if ran, err := calls.Alone(alone, time.Hour, nil); ran || err != nil {
			t.Errorf("ran is %t, the error %v", ran, err)
		}
		if !<-patient {
			t.Error("the call that waited did not begin")
		}
	})
}
