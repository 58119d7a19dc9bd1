package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// replicaLease is how long one replica waits for another that does not renew its leases. On a busy
// machine, a replica that cannot renew shorter ones in time ends.
const replicaLease = 20 * time.Second

// replica is one of several controllers that share the work.
type replica struct {
	*clustertest.Program
	metrics string
	ended   bool
}

// replica starts a controller.
func (c *cluster) replica(t *testing.T, cache string, shards int, more ...string) *replica {
	t.Helper()
	own := c.beside(t)
	r := &replica{metrics: clustertest.FreeAddress(t)}
	r.Program = own.StartProgram(t, poll,
		append([]string{"--leader-elect", "--lease-duration", replicaLease.String(), "--shards", strconv.Itoa(shards),
			"--provider-cache", cache, "--metrics-address", r.metrics, "--metrics-secure=false"}, more...)...)
	t.Cleanup(func() {
		if !r.ended {
			r.Kill(t)
		}
		own.ShowLog(t)
	})
	return r
}

var (
	resourceCount = regexp.MustCompile(`^landbridge_resources\{.*shard="(\d+)".*\} (\d+)$`)
	// An alert of the chart asks for these names.
	leadsShard = regexp.MustCompile(
		`^leader_election_master_status\{name="shard-(\d+).landbridge.landbridge.io"\} (1)$`,
	)
)

// works returns how many resources of each shard a replica works on.
func (r *replica) works(ctx context.Context) map[int]int { return r.shards(ctx, resourceCount) }

// leads returns the shards that a replica leads.
func (r *replica) leads(ctx context.Context) map[int]int { return r.shards(ctx, leadsShard) }

// shards returns the sums, by shard, of the metrics that a pattern with shard and value matches.
// Shards with 0 are left out.
func (r *replica) shards(ctx context.Context, pattern *regexp.Regexp) map[int]int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.metrics+"/metrics", nil)
	if err != nil {
		return nil
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	out := map[int]int{}
	for line := range strings.Lines(string(content)) {
		if match := pattern.FindStringSubmatch(strings.TrimSpace(line)); match != nil && match[2] != "0" {
			shard, _ := strconv.Atoi(match[1])
			n, _ := strconv.Atoi(match[2])
			out[shard] += n
		}
	}
	return out
}

// shardsOf returns the shards that provider configurations belong to, by their names.
func (c *cluster) shardsOf(t *testing.T) map[string]int {
	t.Helper()
	var table struct {
		Configurations map[string]struct{ Shard int }
	}
	secret := &corev1.Secret{}
	err := c.Get(t.Context(), client.ObjectKey{Namespace: system, Name: "landbridge-shards"}, secret)
	if err == nil {
		err = json.Unmarshal(secret.Data["table.json"], &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for name, p := range table.Configurations {
		out[name] = p.Shard
	}
	return out
}

// Two replicas share the resources of four provider configurations. One takes over what the other
// had when that is killed.
func TestReplicasThatShareTheWork(t *testing.T) {
	t.Parallel()
	const shards, each = 4, 2
	c := alone(t)
	d := newDouble(t, "sharing", "TESTPROVIDER_CONFIGURATION=yes")
	cache := directory(t)
	first, second := c.replica(t, cache, shards), c.replica(t, cache, shards)
	c.install(t, d.provider())
	ns := c.Namespace(t)
	configured := func(name, configuration string) *unstructured.Unstructured {
		r := d.thing(ns, name, nil)
		set(t, r, m{"kind": "ProviderConfig", "name": configuration}, "spec", "providerConfigRef")
		return r
	}
	things := map[string][]*unstructured.Unstructured{}
	for i := range shards {
		name := fmt.Sprintf("c%d", i)
		c.secret(t, ns, name, map[string]string{"token": "token of " + name})
		c.MustCreate(t, resource(d.APIVersion(), "ProviderConfig", ns, name, m{"tokenSecretRef": m{"name": name, "key": "token"}}))
		for j := range each {
			r := configured(fmt.Sprintf("%s-%d", name, j), name)
			c.MustCreate(t, r)
			things[name] = append(things[name], r)
		}
	}
	for _, all := range things {
		for _, r := range all {
			c.WaitReady(t, r)
		}
	}

	var ofFirst, ofSecond map[int]int
	eventually(t, "each replica works on half of the shards, and each shard has one replica", func(ctx context.Context) bool {
		ofFirst, ofSecond = first.works(ctx), second.works(ctx)
		for shard := range ofFirst {
			if ofSecond[shard] > 0 {
				return false
			}
		}
		return len(ofFirst) == shards/2 && len(ofSecond) == shards/2 && sum(ofFirst)+sum(ofSecond) == shards*each
	})
	for r, works := range map[*replica]map[int]int{first: ofFirst, second: ofSecond} {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(works)), slices.Sorted(maps.Keys(r.leads(t.Context())))); diff != "" {
			t.Errorf("a replica does not lead the shards that it works on (-works +leads):\n%s", diff)
		}
	}
	placed := c.shardsOf(t)
	if used := slices.Compact(slices.Sorted(maps.Values(placed))); len(placed) != shards || len(used) != shards {
		t.Fatalf("configurations are in the shards %v", placed)
	}
	configurationOf := func(shards map[int]int) string {
		for name, shard := range placed {
			if shards[shard] > 0 {
				return name[strings.LastIndex(name, "/")+1:]
			}
		}
		t.Fatalf("no configuration is in one of the shards %v: %v", shards, placed)
		return ""
	}

	// A resource that gets a configuration of the other replica is handed over as it is.
	dying, living := configurationOf(ofFirst), configurationOf(ofSecond)
	moved := things[living][0]
	c.MustPatch(t, moved, `{"metadata":{"annotations":{"landbridge.io/confirm-account":"`+dying+
		`"}},"spec":{"providerConfigRef":{"name":"`+dying+`"}}}`)
	eventually(t, "the resource is that of the other replica", func(ctx context.Context) bool {
		a, b := first.works(ctx), second.works(ctx)
		return sum(a) == sum(ofFirst)+1 && sum(b) == sum(ofSecond)-1
	})
	c.MustPatch(t, moved, `{"spec":{"forProvider":{"value":"moved"}}}`)
	c.has(t, d, "thing", moved.GetName(), "value", "moved")
	c.WaitReady(t, moved)

	// What the killed one had is changed and created by the other.
	first.Kill(t)
	first.ended = true
	created := configured("created", dying)
	c.MustCreate(t, created)
	all := append(slices.Clone(things[dying]), moved, things[living][1])
	for _, r := range all {
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"afterwards"}}}`)
	}
	c.WaitReady(t, created)
	for _, r := range all {
		c.has(t, d, "thing", r.GetName(), "value", "afterwards")
		c.WaitReady(t, r)
	}
	eventually(t, "the other replica works on all", func(ctx context.Context) bool {
		works := second.works(ctx)
		return len(works) == shards && sum(works) == shards*each+1
	})
	second.Stop(t)
	second.ended = true
	if n := d.Calls("create thing"); n != shards*each+1 {
		t.Errorf("%d creates of %d things", n, shards*each+1)
	}
	if n := d.Calls("delete"); n != 0 {
		t.Errorf("%d deletes", n)
	}
}

func sum(counts map[int]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}
