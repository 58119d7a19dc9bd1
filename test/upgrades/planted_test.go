package upgrades_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/test/upgrades/planted"
)

type m = map[string]any

const (
	group = "planted.landbridge.io"
	// each is the number of resources of each type.
	each = 4
)

// estate is a cluster with resources of the planted provider, whose controller has ended.
type estate struct {
	*watched
	cluster  *clustertest.Cluster
	provider *unstructured.Unstructured
	// old and new are the programs of the two releases.
	old, new string
	// applied and read count what they were asked for.
	applied, read atomic.Int64
}

// kindOf returns the kind of a type.
func kindOf(t *planted.Type) string { return strings.ToUpper(t.Name[:1]) + t.Name[1:] }

// settle makes the resources with the first release.
func settle(t *testing.T) *estate {
	t.Helper()
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	e := &estate{
		old: filepath.Join(dir, "terraform-provider-planted_v1.0.0"), new: filepath.Join(dir, "terraform-provider-planted_v2.0.0"),
	}
	for path, release := range map[string]int{e.old: 1, e.new: 2} {
		if err := planted.Write(path, release); err != nil {
			t.Fatal(err)
		}
	}
	counter := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		map[string]*atomic.Int64{"/apply": &e.applied, "/read": &e.read}[r.URL.Path].Add(1)
	}))
	t.Cleanup(counter.Close)
	stop := c.RunController(t, clustertest.Options(time.Hour, filepath.Join(scratch, "cache")))
	p := objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "planted", m{
		"source": e.old, "env": []any{m{"name": planted.Counter, "value": counter.URL}}, "activate": []any{"*"},
	})
	c.MustCreate(t, p)
	c.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
	for name, zone := range map[string]string{"default": "new", "old": "old"} {
		c.MustCreate(t, objecttest.New(group+"/v1alpha1", "ClusterProviderConfig", "", name, m{"zone": zone}))
	}
	namespaces := []string{c.Namespace(t), c.Namespace(t)}
	for _, n := range namespaces {
		secret := objecttest.New("v1", "Secret", n, "secret", nil)
		delete(secret.Object, "spec")
		secret.Object["stringData"] = m{"value": planted.Secret}
		c.MustCreate(t, secret)
	}
	var all []*unstructured.Unstructured
	for _, typ := range planted.Types {
		for i := range each {
			all = append(all, newResource(t, c, typ, namespaces[i%len(namespaces)], fmt.Sprintf("%s-%d", typ.Name, i)))
		}
	}
	for _, u := range all {
		c.WaitFor(t, u, "created", func() bool { return objecttest.IsTrue(u, "Ready") })
	}
	for _, u := range all {
		if u.GetKind() == "Refusedalready" {
			c.MustPatch(t, u, `{"spec":{"forProvider":{"size":9}}}`)
			c.WaitFor(t, u, "refused", func() bool { return objecttest.Current(u) && !objecttest.IsTrue(u, "Synced") })
		}
	}
	stop()
	e.watched, e.cluster, e.provider = watch(t, c.Config), c, p
	return e
}

// newResource makes a resource.
func newResource(t *testing.T, c *clustertest.Cluster, typ *planted.Type, namespace, name string) *unstructured.Unstructured {
	spec := m{"name": name, "size": int64(8), "color": "red", "flag": true, "secretSecretRef": m{"name": "secret", "key": "value"}}
	if typ.Name == "secret" {
		delete(spec, "secretSecretRef") // the second release sets it
	}
	whole := m{"forProvider": spec}
	if typ.Name == "strict" {
		whole["providerConfigRef"] = m{"kind": "ClusterProviderConfig", "name": "old"}
	}
	u := objecttest.New(group+"/v1alpha1", kindOf(typ), namespace, name, whole)
	c.MustCreate(t, u)
	return u
}

// wanted is a row that a report has to have.
type wanted struct {
	resourceType, outcome, contains string
	count                           int
	found                           bool
}

// wants returns the rows that a report has to have.
func wants(refreshed bool) (out []*wanted) {
	for _, typ := range planted.Types {
		left := each
		for i, w := range typ.Wants {
			if typ.Refreshed && !refreshed {
				continue
			}
			n := 0
			for i := range each {
				if w.Only == nil || w.Only(fmt.Sprintf("%s-%d", typ.Name, i)) {
					n++
				}
			}
			if i == 0 && w.Outcome != "FieldChanged" && w.Outcome != "Deprecated" {
				left -= n
			} else {
				left = 0 // several findings about each
			}
			out = append(out, &wanted{planted.Prefix + typ.Name, w.Outcome, w.Contains, n, false})
		}
		if left > 0 {
			out = append(out, &wanted{planted.Prefix + typ.Name, "Unchanged", "", left, false})
		}
	}
	return append(out, &wanted{"", "Deprecated", "spec.zone", 2, false})
}

// judge compares a report with what is planted.
func judge(t *testing.T, report *upgrade.Report, refreshed bool) {
	t.Helper()
	all := wants(refreshed)
	for _, row := range report.Rows {
		cause := compact(t, row.Cause)
		i := slices.IndexFunc(all, func(w *wanted) bool {
			return !w.found && w.resourceType == row.ResourceType && w.outcome == string(row.Outcome) && strings.Contains(cause, w.contains)
		})
		switch {
		case i < 0:
			results.invented++
			t.Errorf("not planted: %s of %s, %d: %s", row.Outcome, row.ResourceType, row.Count, cause)
		case all[i].count != row.Count && !row.Varies:
			results.invented++
			t.Errorf("%s of %s: %d resources, want %d: %s", row.Outcome, row.ResourceType, row.Count, all[i].count, cause)
			fallthrough
		default:
			all[i].found = true
		}
	}
	for _, w := range all {
		if w.outcome == "Unchanged" {
			if !w.found {
				t.Errorf("%s: %d are not as they are", w.resourceType, w.count)
			}
			continue
		}
		results.planted++
		if w.found {
			results.found++
		} else {
			t.Errorf("not found: %s of %s: %s", w.outcome, w.resourceType, w.contains)
		}
	}
}

func TestPlanted(t *testing.T) {
	e := settle(t)
	results.resources = len(planted.Types) * each
	applied, read := e.applied.Load(), e.read.Load()

	var report *upgrade.Report
	t.Run("as it is stored", func(t *testing.T) {
		var code int
		report, code = e.preview(t, "planted", "--to", e.new)
		judge(t, report, false)
		if code != 2 {
			t.Errorf("the exit status is %d, want 2", code)
		}
		if n := e.read.Load() - read; n > 0 {
			t.Errorf("%d remote objects were read", n)
		}
	})
	t.Run("refreshed", func(t *testing.T) {
		report, _ := e.preview(t, "planted", "--to", e.new, "--refresh")
		judge(t, report, true)
	})
	// The same release against itself shows nothing that it does not plan already.
	t.Run("itself", func(t *testing.T) {
		report, code := e.preview(t, "planted", "--to", e.old)
		for _, row := range report.Rows {
			if row.Outcome != upgrade.Unchanged && row.Outcome != upgrade.AsInstalled {
				results.invented++
				t.Errorf("%s of %s: %s", row.Outcome, row.ResourceType, compact(t, row.Cause))
			}
		}
		if code != 0 {
			t.Errorf("the exit status is %d, want 0", code)
		}
	})
	// What the installed release deprecates is no finding of the next one.
	t.Run("plan", func(t *testing.T) {
		out, code := e.run(t, "upgrade", "plan", "-o", "json")
		plan := &commandupgrade.Plan{}
		if err := json.Unmarshal(out, plan); err != nil || code != 0 || len(plan.Providers) != 1 {
			t.Fatalf("exit status %d, %v:\n%s", code, err, out)
		}
		rows := plan.Providers[0].Deprecated
		if len(rows) != 1 || rows[0].ResourceType != planted.Prefix+"obsolescent" ||
			rows[0].Path != "spec.forProvider.color" || rows[0].Count != each {
			t.Errorf("%s", compact(t, rows))
		}
	})
	t.Run("formats", func(t *testing.T) {
		for _, output := range []string{"text", "markdown", "json"} {
			out, _ := e.run(t, "upgrade", "preview", "planted", "--to", e.new, "-o", output)
			if bytes.Contains(out, []byte(planted.Secret)) {
				t.Errorf("-o %s shows a secret", output)
			}
			t.Logf("%s", out)
		}
	})
	written := int(e.applied.Load() - applied + e.writes.Load())
	results.written += written
	if written > 0 {
		t.Errorf("%d writes", written)
	}
	t.Run("in the cluster", func(t *testing.T) { testInCluster(t, e, report) })
}
