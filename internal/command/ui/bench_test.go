package ui_test

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/ui"
)

// many returns an index of so many objects, every tenth of which is in trouble.
func many(n int) *ui.Index {
	x := ui.NewIndex()
	for i := range n {
		name := fmt.Sprintf("server-%d", i)
		u := refers(resource("Server", name), "Network", fmt.Sprintf("network-%d", i/100))
		switch i % 10 {
		case 1:
			u = resource("Server", name, [4]string{"Ready", "False", "Creating", ""},
				[4]string{"Synced", "False", "OperationFailed", fmt.Sprintf("Create of %q failed: no quota. Ask for more.", name)})
		case 2:
			if i%100 == 2 {
				u = planned(resource("Server", name, awaits...), fmt.Sprint(i))
			}
		}
		x.Set(ui.EntryOf(u, snapshot.Dependencies(u), true))
	}
	x.SetListed()
	return x
}

// BenchmarkView measures the time from the request to the answer, with the content sorted anew.
func BenchmarkView(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		x := many(n)
		s := ui.NewOf(x, now)
		h := s.Handler(address)
		for _, path := range []string{"/", "/estate", "/plans", "/search?q=server-77", "/search?q=no-such-thing"} {
			b.Run(fmt.Sprintf("%d%s", n, path), func(b *testing.B) {
				for b.Loop() {
					x.SetListed() // another version
					r := httptest.NewRequest("GET", path, nil)
					r.Host = address
					r.Header.Set("Cookie", "landbridge-4000="+s.Secrets().Session)
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code != 200 {
						b.Fatal(w.Code)
					}
				}
			})
		}
	}
}

// BenchmarkSearch measures searches of 100,000 objects: the time that one in a hundred exceeds, and
// the memory of the index.
func BenchmarkSearch(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	x := many(100_000)
	size := float64(heap()-before) / (1 << 20)
	queries := []string{"id-server-77", "server-99999", "large-server-5", "team-a", "no-such-thing", "e", "network-7"}
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		ui.SearchIn(x.Content(), queries[i%len(queries)])
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(size, "index-MiB")
	runtime.KeepAlive(x)
}
