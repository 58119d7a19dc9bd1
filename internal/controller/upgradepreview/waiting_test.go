package upgradepreview_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/upgradepreview"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/schema"
)

// crowd is a cluster with many resources of one type.
type crowd struct {
	cluster
	count int
	// specOf returns the spec of a resource.
	specOf func(i int) map[string]any
}

func (c *crowd) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	out, ok := list.(*unstructured.UnstructuredList)
	if !ok || out.GetKind() != "PetList" {
		return c.cluster.List(ctx, list, options...)
	}
	var o client.ListOptions
	o.ApplyOptions(options)
	begin, _ := strconv.Atoi(o.Continue)
	end := min(begin+int(o.Limit), c.count)
	out.Items = nil
	for i := begin; i < end; i++ {
		u := unstructured.Unstructured{Object: map[string]any{"spec": c.specOf(i), "status": map[string]any{"lastPlan": digest(i)}}}
		u.SetAPIVersion("random.landbridge.io/v1alpha1")
		u.SetKind("Pet")
		u.SetNamespace(fmt.Sprint("team-", i%20))
		u.SetName(fmt.Sprint("volume-", i))
		u.SetLabels(map[string]string{"app.kubernetes.io/part-of": "shop", "app.kubernetes.io/managed-by": "argocd"})
		u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "argocd"}})
		out.Items = append(out.Items, u)
	}
	next := ""
	if end < c.count {
		next = strconv.Itoa(end)
	}
	out.SetContinue(next)
	return nil
}

// damaged are the records of a crowd, none of which can be read.
type damaged struct {
	crowd *crowd
	// reads is how often the list was read, and most how many bytes were in use then.
	reads int
	most  uint64
}

func (d *damaged) Load(context.Context, store.Key, *schema.Resource) (store.Record, error) {
	return store.Record{}, store.ErrUnreadable
}

func (d *damaged) Each(_ context.Context, group, kind string, some func([]store.Key)) error {
	d.reads++
	d.most = max(d.most, inUse())
	var keys []store.Key
	for i := range d.crowd.count {
		keys = append(keys, store.Key{Group: group, Kind: kind, Namespace: fmt.Sprint("team-", i%20), Name: fmt.Sprint("volume-", i)})
	}
	some(keys)
	return nil
}

func (d *damaged) Forget(store.Key) {}

// inUse returns the bytes of objects that are reachable.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// digest returns 64 characters that nothing else has.
func digest(i any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(i)))
	return hex.EncodeToString(sum[:])
}

// typical returns a spec of 2 KiB: what few resources share are names, addresses, keys and sizes.
func typical(i int) map[string]any {
	var rules []any
	for n := range 8 {
		rules = append(rules, map[string]any{
			"description": "permits the traffic of the service", "protocol": "tcp", "direction": "ingress",
			"fromPort": int64(1000 + i%7), "toPort": int64(2000 + n), "cidrBlocks": []any{fmt.Sprintf("10.%d.%d.0/24", i%250, n)},
		})
	}
	return map[string]any{
		"forProvider": map[string]any{
			"name": fmt.Sprint("volume-", i), "region": "eu-central-1", "sizeGiB": int64(i % 512), "rules": rules,
			"kmsKeyId": "arn:aws:kms:eu-central-1:123456789012:key/" + digest(i)[:36],
			"tags": map[string]any{
				"owner": fmt.Sprint("team-", i%20), "cost-center": fmt.Sprint(4000 + i%40), "environment": "production",
				"commit": digest(i / 50)[:40], "ticket": fmt.Sprint("SHOP-", 3*i),
			},
		},
		"providerConfigRef":  map[string]any{"kind": "ClusterProviderConfig", "name": fmt.Sprint("account-", i%10)},
		"managementPolicies": []any{"*"},
	}
}

// previewCrowd previews a crowd. It returns how often the list of records was read, and how many
// bytes the preview had in use then.
func previewCrowd(tb testing.TB, count int, specOf func(int) map[string]any) (reads int, bytes uint64) {
	tb.Helper()
	provider, err := model.NewProvider("random", schematest.Provider(tb, "random"), config.Provider{})
	if err != nil {
		tb.Fatal(err)
	}
	reader := &crowd{count: count, specOf: specOf}
	version := upgradepreview.Version{Provider: provider}
	records := &damaged{crowd: reader}
	before := inUse()
	report, err := upgradepreview.Preview(tb.Context(), upgradepreview.Options{
		Provider: "random", Reader: reader, Installed: version, New: version, Secrets: &redact.Redactor{},
		Stored: records, Types: []string{"random_pet"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	if got := report.Outcomes[upgrade.NotPreviewed]; got != count || report.Resources != count {
		tb.Errorf("%d of %d resources were previewed", got, count)
	}
	return records.reads, records.most - before
}

// The list of records is read once for many resources. How many that are depends on the memory that
// they take meanwhile, which is bounded.
func TestWaitingIsBounded(t *testing.T) { // not beside others: it measures memory
	const mebibyte = 1 << 20
	for name, c := range map[string]struct {
		count  int
		specOf func(int) map[string]any
		// reads is how often the list is read, and most the greatest number of bytes in use.
		reads int
		most  uint64
	}{
		"20,000 typical resources": {20_000, typical, 1, 20 * mebibyte},
		"resources that can hardly be compressed": {
			9_000, func(i int) map[string]any {
				var b strings.Builder
				for n := range 128 {
					b.WriteString(digest([]int{i, n}))
				}
				return map[string]any{"forProvider": map[string]any{"content": b.String()}}
			}, 2, 56 * mebibyte,
		},
	} {
		t.Run(name, func(t *testing.T) {
			reads, bytes := previewCrowd(t, c.count, c.specOf)
			if reads != c.reads || bytes > c.most {
				t.Errorf("the list was read %d times, with %d KiB in use", reads, bytes>>10)
			}
		})
	}
}

func BenchmarkWaiting(b *testing.B) {
	const count = 20_000
	var reads int
	var bytes uint64
	for b.Loop() {
		reads, bytes = previewCrowd(b, count, typical)
	}
	b.ReportMetric(float64(bytes), "B-waiting")
	b.ReportMetric(float64(reads), "reads")
}
