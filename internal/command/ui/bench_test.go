package ui_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

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
