package store_test

import (
	"errors"
	"testing"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A record of another shard is freed unless it has an operation that has not ended.
func TestFree(t *testing.T) {
	client := secrets(t)
	of := func(number int) *store.Secrets {
		return &store.Secrets{Client: client, Shard: store.Shard{Number: number, Count: 3}}
	}
	first, second, k := of(0), of(1), key("freed")
	if err := second.Free(t.Context(), k); err != nil {
		t.Errorf("without a record: %v", err)
	}
	in := anInstance("a")
	in.Operation = &instance.Operation{ID: "id", Kind: instance.Update}
	rec := save(t, first, k, store.Record{Instance: in, Owner: "uid"})
	if err := second.Free(t.Context(), k); !errors.Is(err, store.ErrElsewhere) {
		t.Errorf("with an operation: %v", err)
	}
	rec.Instance.Operation = nil
	rec = save(t, first, k, rec)
	if elsewhere, err := second.Load(t.Context(), k, thing); !errors.Is(err, store.ErrElsewhere) || elsewhere.Owner != "uid" {
		t.Errorf("before: owner %q, %v", elsewhere.Owner, err)
	}
	if err := second.Free(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	moved := load(t, second, k)
	moved.Instance = anInstance("b")
	save(t, second, k, moved)
	rec.Instance = anInstance("c")
	if _, err := first.Save(t.Context(), k, thing, rec); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the first shard writes: %v", err)
	}
	if err := second.Free(t.Context(), k); err != nil {
		t.Errorf("its own: %v", err)
	}
	load(t, second, k)
}

// After Fence, another shard cannot write over what it has read before.
func TestFence(t *testing.T) {
	client := secrets(t)
	of := func(number int) *store.Secrets {
		return &store.Secrets{Client: client, Shard: store.Shard{Number: number, Count: 3}}
	}
	first, second, k := of(0), of(1), key("fenced")
	if err := second.Fence(t.Context(), k); err != nil {
		t.Errorf("without a record: %v", err)
	}
	in := anInstance("a")
	in.Operation = &instance.Operation{ID: "id", Kind: instance.Update}
	rec := save(t, first, k, store.Record{Instance: in, Owner: "uid"})
	if err := second.Fence(t.Context(), k); !errors.Is(err, store.ErrElsewhere) {
		t.Errorf("with an operation: %v", err)
	}
	rec.Instance.Operation, rec.Handled.MovedFrom = nil, "of it"
	rec = save(t, first, k, rec)
	if err := second.Fence(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if elsewhere, err := second.Load(t.Context(), k, thing); !errors.Is(err, store.ErrElsewhere) ||
		elsewhere.Owner != "uid" || elsewhere.Handled.MovedFrom != "of it" {
		t.Errorf("it is not the first shard's any more: %+v, %v", elsewhere, err)
	}
	rec.Instance = anInstance("b")
	if _, err := first.Save(t.Context(), k, thing, rec); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the first shard writes what it had before: %v", err)
	}
	again := load(t, first, k)
	again.Instance = anInstance("b")
	save(t, first, k, again)
}

// A record that one shard has written is used by another one only when the first has left it.
// Shards of another division, and a controller without shards, use it at once. What the first still
// tries to write after the other has written is refused.
func TestShards(t *testing.T) {
	client := secrets(t)
	of := func(number, count int) *store.Secrets {
		return &store.Secrets{Client: client, Shard: store.Shard{Number: number, Count: count}}
	}
	first, second, k := of(0, 3), of(1, 3), key("sharded")
	rec := save(t, first, k, store.Record{Instance: anInstance("a"), Owner: "uid"})
	if _, err := second.Load(t.Context(), k, thing); !errors.Is(err, store.ErrElsewhere) {
		t.Fatalf("the other shard loads it: %v", err)
	}
	if err := second.Leave(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Load(t.Context(), k, thing); !errors.Is(err, store.ErrElsewhere) {
		t.Fatalf("another shard's record was left: %v", err)
	}
	for name, s := range map[string]*store.Secrets{"itself": of(0, 3), "another division": of(1, 2), "without shards": {Client: client}} {
		if _, err := s.Load(t.Context(), k, thing); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := first.Leave(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	moved := load(t, second, k)
	same(t, moved, store.Record{Instance: anInstance("a"), Owner: "uid", Version: moved.Version})
	moved.Instance = anInstance("b")
	save(t, second, k, moved)
	rec.Instance = anInstance("c")
	if _, err := first.Save(t.Context(), k, thing, rec); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the first shard writes: %v", err)
	}
	if _, err := first.Load(t.Context(), k, thing); !errors.Is(err, store.ErrElsewhere) {
		t.Errorf("the first shard loads it: %v", err)
	}
}
