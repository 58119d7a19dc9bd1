package shard

import (
	"hash/fnv"
	"slices"
	"strconv"
)

// Holders returns the member that should hold each of n shards; none if there are no members. All
// replicas that see the same members get the same answer. It is rendezvous hashing with a bounded
// load: a shard goes to the member with the highest score among those that have fewer than their
// share, so that no member has more than one shard more than another.
func Holders(members []string, n int) []string {
	members = slices.Compact(slices.Sorted(slices.Values(members)))
	if len(members) == 0 || n <= 0 {
		return nil
	}
	type pair struct {
		score  uint64
		member string
		shard  int
	}
	pairs := make([]pair, 0, n*len(members))
	for _, m := range members {
		for k := range n {
			pairs = append(pairs, pair{score(m, k), m, k})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case a.member != b.member && a.member < b.member:
			return -1
		case a.member != b.member:
			return 1
		}
		return a.shard - b.shard
	})
	out, load := make([]string, n), map[string]int{}
	// The last shards are for those that have one less than the others.
	share, more := n/len(members), n%len(members)
	for _, p := range pairs {
		switch {
		case out[p.shard] != "":
			continue
		case load[p.member] < share:
		case load[p.member] == share && more > 0:
			more--
		default:
			continue
		}
		out[p.shard] = p.member
		load[p.member]++
	}
	return out
}

// score is the rendezvous score of a member for a shard.
func score(member string, shard int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(member + "\x00" + strconv.Itoa(shard)))
	// FNV alone leaves the high bits of similar texts similar.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
