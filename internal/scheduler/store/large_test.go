//go:build !race

package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Tests of states of 64 MiB run without the race detector, which makes them ten times slower.

// States of up to MaxState are stored, and updated.
func TestLargestState(t *testing.T) {
	client, k := secrets(t), key("one")
	in := anInstance("")
	empty, err := instance.Encode(in, thing)
	if err != nil {
		t.Fatal(err)
	}
	chunk := noise(1, 3<<20) // longer than the window of the compression
	in = anInstance(strings.Repeat(chunk, store.MaxState/len(chunk)+1)[:store.MaxState-len(empty)])
	s := &store.Secrets{Client: client}
	rec := save(t, s, k, store.Record{Owner: "uid-1", Instance: in})
	got := load(t, &store.Secrets{Client: client}, k)
	if !got.Instance.State.RawEquals(rec.Instance.State) {
		t.Error("another state was read")
	}
	if err := s.Delete(t.Context(), k, rec.Version); err != nil {
		t.Fatal(err)
	}
	if left := all(t, client); len(left) != 0 {
		t.Errorf("%d Secrets are left", len(left))
	}
}

// What is too large is refused before anything is written.
func TestLargerThanLargestState(t *testing.T) {
	refused := 0
	api := &api{t: t}
	s := &store.Secrets{Client: api, Refused: func(store.Key, error) { refused++ }}
	_, err := s.Save(t.Context(), key("one"), thing, store.Record{
		Instance: anInstance(strings.Repeat(password, store.MaxState/len(password)+1)),
	})
	if !errors.Is(err, store.ErrTooLarge) || !store.Permanent(err) ||
		!strings.Contains(err.Error(), "it has 64.0 MiB, and at most 64 MiB can be stored") {
		t.Errorf("got error %v", err)
	}
	if strings.Contains(fmt.Sprint(err), password) {
		t.Errorf("the error holds a secret: %.1000s", err)
	}
	if api.calls != 0 || refused != 1 {
		t.Errorf("%d calls, %d reports", api.calls, refused)
	}
}

// Whatever its size, a record is stored, read by another process, changed to any other size, and
// deleted.
func TestLargeSecretsOfEverySize(t *testing.T) {
	client, k := secrets(t), key("one")
	s := &store.Secrets{Client: client}
	var rec store.Record
	for _, size := range []int{100, 40 << 10, 600 << 10, 5 << 20, 100, 2 << 20, 60 << 10, 1 << 20} {
		rec.Owner, rec.Instance = "uid-1", anInstance(noise(size, size))
		rec = save(t, s, k, rec)
		same(t, load(t, &store.Secrets{Client: client}, k), rec)
		now := all(t, client)
		want := 1 + len(parts(t, now[store.SecretName(k)]))
		if len(now) != want || (size > 800<<10) != (want > 1) {
			t.Errorf("%d bytes: %d Secrets, and %d parts are pointed to", size, len(now), want-1)
		}
		for name, secret := range now {
			if n := secret.Size(); n > 1<<20 {
				t.Errorf("%s has %d bytes", name, n)
			}
		}
		if _, plain := now[store.SecretName(k)].Data["instance.json"]; plain != (size == 100) {
			t.Errorf("%d bytes: instance.json: %t", size, plain)
		}
	}
	if err := s.Delete(t.Context(), k, rec.Version); err != nil {
		t.Fatal(err)
	}
	if left := all(t, client); len(left) != 0 {
		t.Errorf("%d Secrets are left", len(left))
	}
}
