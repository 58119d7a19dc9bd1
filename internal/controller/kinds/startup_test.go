package kinds_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
)

// The startup ends in the moment in which the last thing has happened that it waits for.
func TestSettle(t *testing.T) {
	one, other := kinds.Source{Kind: "TerraformProvider", Name: "one"}, kinds.Source{Kind: "TerraformModule", Name: "other"}
	expect := func(sources ...kinds.Source) func(context.Context) ([]kinds.Source, error) {
		return func(context.Context) ([]kinds.Source, error) { return sources, nil }
	}
	// No resources of a kind that is not listed are known.
	unlisted := &managed.Kind{Model: &model.Resource{Group: "test.landbridge.io", Kind: "Thing"}}
	for name, test := range map[string]struct {
		expected []func(context.Context) ([]kinds.Source, error)
		happens  func(r *kinds.Registry)
		want     time.Duration
	}{
		"nothing is expected": {},
		"some sources": {
			expected: []func(context.Context) ([]kinds.Source, error){expect(one), expect(other)},
			happens: func(r *kinds.Registry) {
				time.Sleep(33 * time.Millisecond)
				r.Attempted(one)
				time.Sleep(44 * time.Millisecond)
				r.Attempted(other)
			},
			want: 77 * time.Millisecond,
		},
		"a kind that is stopped": {
			expected: []func(context.Context) ([]kinds.Source, error){expect(one)},
			happens: func(r *kinds.Registry) {
				kinds.Serve(r, unlisted)
				r.Attempted(one)
				time.Sleep(33 * time.Millisecond)
				kinds.Unserve(r, unlisted)
			},
			want: 33 * time.Millisecond,
		},
		"the API server does not answer at once": {
			expected: []func(context.Context) ([]kinds.Source, error){func() func(context.Context) ([]kinds.Source, error) {
				failures := 3
				return func(context.Context) ([]kinds.Source, error) {
					if failures--; failures >= 0 {
						return nil, errors.New("no answer")
					}
					return []kinds.Source{one}, nil
				}
			}()},
			happens: func(r *kinds.Registry) { r.Attempted(one) },
			want:    300 * time.Millisecond,
		},
		"a source that is never attempted": {
			expected: []func(context.Context) ([]kinds.Source, error){expect(one)},
			want:     2 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &kinds.Registry{}
				began := time.Now()
				if test.happens != nil {
					go test.happens(r)
				}
				go func() { _ = r.Settle(t.Context(), test.expected...) }()
				<-r.Settled()
				settled := time.Since(began)
				<-r.Claimed()
				if claimed := time.Since(began); settled != test.want || claimed != test.want {
					t.Errorf("settled after %s, claimed after %s, want %s", settled, claimed, test.want)
				}
			})
		})
	}
}

// The objects of modules are known as soon as all of them are served, whatever other kinds are
// awaited.
func TestModulesClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &kinds.Registry{}
		slow, module := kinds.Source{Kind: "TerraformProvider", Name: "slow"}, kinds.Source{Kind: kinds.ModuleSource, Name: "module"}
		go func() {
			_ = r.Settle(t.Context(), func(context.Context) ([]kinds.Source, error) { return []kinds.Source{slow, module}, nil })
		}()
		began := time.Now()
		go func() {
			time.Sleep(22 * time.Millisecond)
			r.Attempted(module)
			time.Sleep(33 * time.Millisecond)
			r.Attempted(slow)
		}()
		<-r.ModulesClaimed()
		if took := time.Since(began); took != 22*time.Millisecond {
			t.Errorf("after %s", took)
		}
		<-r.Claimed()
	})
}

// A startup that is broken off does not end.
func TestSettleIsBrokenOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &kinds.Registry{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = r.Settle(ctx, func(context.Context) ([]kinds.Source, error) {
			return []kinds.Source{{Kind: kinds.ModuleSource, Name: "one"}}, nil
		})
		select {
		case <-r.Settled():
			t.Error("settled")
		case <-r.Claimed():
			t.Error("claimed")
		case <-r.ModulesClaimed():
			t.Error("the modules are claimed")
		default:
		}
	})
}
