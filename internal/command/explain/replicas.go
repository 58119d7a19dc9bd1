package explain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

// holder is which replica has a Lease.
type holder struct {
	// pod is the replica, or the last one; empty if that one has given the Lease up.
	pod     string
	renewed time.Time
	// lives is set if it has the Lease now.
	lives bool
}

func (s *Snapshot) holderOf(l *coordinationv1.Lease) holder {
	h := holder{renewed: ptr.Deref(l.Spec.RenewTime, metav1.MicroTime{}).Time}
	h.pod, _, _ = strings.Cut(ptr.Deref(l.Spec.HolderIdentity, ""), "_")
	h.lives = h.pod != "" && s.At.Sub(h.renewed) <= 2*time.Duration(ptr.Deref(l.Spec.LeaseDurationSeconds, 15))*time.Second
	return h
}

// last says who had a Lease before that no replica has now, as a sentence to add; "" if that is
// unknown.
func (h holder) last() string {
	if h.pod == "" || h.renewed.IsZero() {
		return ""
	}
	return fmt.Sprintf(" The last was %s, until %s.", h.pod, h.renewed.UTC().Format(time.DateTime))
}

// shared is the holder of the Lease that all replicas have together which share the work.
var shared = regexp.MustCompile(`^replicas with (\d+) shards`)

// replicas are those of the controller.
type replicas struct {
	// leader is that which leads, or led last, if the replicas do not share the work.
	leader holder
	// shards has who works on each shard; empty if the replicas do not share the work, or if none
	// runs.
	shards map[int]holder
}

func (s *Snapshot) replicas() replicas {
	out, number, shards, some := replicas{}, 0, map[int]holder{}, false
	for i := range s.Leases {
		h := s.holderOf(&s.Leases[i])
		if k, ok := sharding.NumberOf(s.Leases[i].Name); ok {
			shards[k], some = h, some || h.lives
			continue
		}
		if m := shared.FindStringSubmatch(h.pod); m != nil {
			number, _ = strconv.Atoi(m[1]) // of digits
			if !h.lives {
				number = 0
			}
			continue
		}
		if h.lives || !out.leader.lives && h.renewed.After(out.leader.renewed) {
			out.leader = h
		}
	}
	switch {
	case out.leader.lives, !some:
	case number == 0:
		out.shards = shards
	default:
		out.shards = map[int]holder{} // Leases of shards stay when there are fewer of them
		for k := range number {
			out.shards[k] = shards[k]
		}
	}
	return out
}

// controller returns a node with the replicas of the controller, and the shard of an object if they
// share the work.
func (b *builder) controller(of *Node) Node {
	n := Node{Name: "controller", Health: unknown, Message: b.s.LeasesUnread}
	if n.Message != "" {
		return n
	}
	n.Health = status.Ready
	r := b.s.replicas()
	var free []int
	for k, h := range r.shards {
		if !h.lives {
			free = append(free, k)
		}
	}
	slices.Sort(free)
	switch {
	case r.leader.lives:
		n.Message = "It runs: " + r.leader.pod + " leads."
		return n
	case len(r.shards) == 0 && len(b.s.Leases) == 0 && of.Health != status.Unseen:
		n.Health, n.Message = unknown,
			fmt.Sprintf("There is no Lease in namespace %s: it runs without leader election, in another "+
				"namespace, or not at all.", b.s.System)
		return n
	case len(r.shards) == 0:
		n.Health, n.Reason = status.Failed, "NotRunning"
		n.Message = fmt.Sprintf("No controller runs in namespace %s.%s", b.s.System, r.leader.last())
		return n
	case len(free) > 0:
		n.Message = fmt.Sprintf("No replica works on %s, and what belongs to %s waits.", list(free),
			map[bool]string{true: "it", false: "them"}[len(free) == 1])
	default:
		n.Message = fmt.Sprintf("All %d shards have a replica.", len(r.shards))
	}
	on, ok := b.shard(of)
	switch {
	case ok:
		n.Nodes = []Node{on}
		if !on.ok() {
			n.Health, n.Reason = on.Health, on.Reason
		}
	case len(free) > 0:
		n.Health, n.Reason = status.Waiting, "ShardWithoutReplica"
	}
	if !ok && b.s.ShardsUnread != "" {
		n.Message += " " + b.s.ShardsUnread
	}
	return n
}

// list names shards.
func list(numbers []int) string {
	if len(numbers) == 1 {
		return fmt.Sprintf("shard %d", numbers[0])
	}
	out := make([]string, len(numbers))
	for i, k := range numbers {
		out[i] = strconv.Itoa(k)
	}
	return "the shards " + strings.Join(out, ", ")
}

// shard returns a node with the shard that an object belongs to; false if that is unknown.
func (b *builder) shard(of *Node) (Node, bool) {
	number, via, ok := b.s.shardOf(of)
	if !ok {
		return Node{}, false
	}
	n := Node{Name: fmt.Sprintf("shard %d", number), Via: via, via: viaShard, Health: status.Ready}
	if h := b.s.replicas().shards[number]; h.lives {
		n.Message = h.pod + " works on it."
	} else {
		n.Health, n.Reason, n.Message = status.Waiting, "ShardWithoutReplica", "No replica works on it, and what belongs to it waits."+h.last()
	}
	return n, true
}

// shardOf returns the number of the shard that an object belongs to, and for what of it.
func (s *Snapshot) shardOf(n *Node) (number int, why string, ok bool) {
	k := n.key
	switch {
	case n.object == nil || k.Group == "":
		return 0, "", false
	case k.Group == landbridgeGroup:
		return sharding.Leader, "which all kinds are served by", true
	case s.Shards == nil:
		return 0, "", false
	case isConfig(k):
		number, _ = s.Shards.Where(nameOf(k), "")
		return number, "of " + k.String(), true
	}
	use := shard.Use{Types: []string{cmp.Or(s.Types[k.Kind+"."+k.Group], shard.Any)}}
	if strings.HasPrefix(s.Owners[k.Kind+"."+k.Group], moduleOwner) {
		use.Types[0] = shard.Any
	}
	why = "of "
	for _, l := range s.links(n.object) {
		if l.via == viaConfig {
			use.Configurations = append(use.Configurations, nameOf(l.Key))
			if len(use.Configurations) == 1 {
				why += l.Key.String()
			}
		}
	}
	if len(use.Configurations) == 0 {
		return 0, "", false
	}
	if p, _ := s.Shards.Of(use.Configurations[0]); p.ByType && use.Types[0] != shard.Any {
		why += " and " + use.Types[0]
	}
	number, _ = s.Shards.Belongs(use)
	return number, why, true
}

// nameOf returns the name of a provider configuration in the table of shards.
func nameOf(k Key) string { return k.Group + "/" + k.Kind + "/" + k.Namespace + "/" + k.Name }

// idle returns the node that says why no replica works on the cause, although it would go on by
// itself: that of its shard, or of the controller. It is nil if one does, or if that is unknown.
func (b *builder) idle(root, cause *Node) *Node {
	if !slices.Contains([]status.Health{status.Unseen, status.Changing, status.Retrying}, cause.Health) {
		return nil
	}
	controller := &root.Nodes[len(root.Nodes)-1]
	if controller.Reason == "NotRunning" {
		return controller
	}
	if cause.object == nil || cause == root {
		cause = root
	} else if on, ok := b.shard(cause); ok &&
		!slices.ContainsFunc(controller.Nodes, func(n Node) bool { return n.Name == on.Name }) &&
		len(b.s.replicas().shards) > 0 {
		controller.Nodes = append(controller.Nodes, on)
	}
	number, _, ok := b.s.shardOf(cause)
	i := slices.IndexFunc(controller.Nodes, func(n Node) bool { return n.Name == fmt.Sprintf("shard %d", number) && !n.ok() })
	if !ok || i < 0 {
		return nil
	}
	return &controller.Nodes[i]
}
