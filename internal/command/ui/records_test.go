package ui_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// lists counts the requests that list Secrets, but for those of one at most.
type lists struct {
	http.RoundTripper
	n *atomic.Int64
}

func (l lists) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if r.URL.Path == "/api/v1/namespaces/"+statetest.System+"/secrets" && q.Get("watch") == "" && q.Get("limit") != "1" {
		l.n.Add(1)
	}
	return l.RoundTripper.RoundTrip(r)
}

// TestFiguresFollow checks that figures show what has changed since the first look, without all
// change records being listed again.
func TestFiguresFollow(t *testing.T) {
	c := newCluster(t)
	namespace := c.Namespace(t)
	var n atomic.Int64
	config := rest.CopyConfig(c.Config)
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return lists{rt, &n} })
	b := open(t, config, namespace)
	creates := func() (out int) {
		var f ui.Figures
		b.read("figures", &f)
		for _, h := range f.Hours {
			out += h.Succeeded
		}
		return out
	}
	save := func(name string, entries int) {
		t.Helper()
		var stored []byte
		for range entries {
			stored = history.Add(stored, history.Entry{At: time.Now(), Took: 1, Action: history.Create,
				Outcome: history.Succeeded}, history.DefaultSize)
		}
		k := store.Key{Group: statetest.Group, Kind: "Thing", Namespace: namespace, Name: name}
		rec, err := c.Stored.Load(t.Context(), k, store.Verbatim)
		if err != nil {
			rec = store.Record{}
		}
		rec.Owner, rec.History = types.UID("uid-of-"+name), stored
		if _, err := c.Stored.Save(t.Context(), k, store.Verbatim, rec); err != nil {
			t.Fatal(err)
		}
	}
	save("first", 1)
	before := creates()
	listed := n.Load()
	save("first", 3)
	save("second", 2)
	waittest.Eventually(t, "the figures have what was stored since", func(context.Context) bool { return creates() == before+4 })
	if n.Load() != listed {
		t.Errorf("change records were listed %d times more", n.Load()-listed)
	}
}
