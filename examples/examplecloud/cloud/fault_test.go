package cloud_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/cloud"
)

// window is how long a fault with a duration holds.
const window = 300 * time.Millisecond

func fault(t *testing.T, s *cloud.Server, f api.Fault) {
	t.Helper()
	if err := s.AddFault(f); err != nil {
		t.Fatal(err)
	}
}

// made is an object whose creation task has ended, whether it can be read or not.
func made[T any](t *testing.T, c *client.Client, collection api.Collection[T], object T) string {
	t.Helper()
	task, err := client.Begin(t.Context(), c, collection, object)
	if err == nil {
		task, err = client.Wait(t.Context(), c, task)
	}
	if err != nil {
		t.Fatal(err)
	}
	return task.ObjectID
}

func readable(t *testing.T, c *client.Client, id string) bool {
	t.Helper()
	_, err := client.Get(t.Context(), c, api.Records, id, "")
	if err != nil && !client.NotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func listed(t *testing.T, c *client.Client, name string) bool {
	t.Helper()
	all, err := client.List(t.Context(), c, api.Records, map[string]string{"name": name})
	if err != nil {
		t.Fatal(err)
	}
	return len(all) > 0
}

func TestVisibility(t *testing.T) {
	for name, test := range map[string]struct {
		fault        api.Fault
		reads, lists []bool // one after the other, before the window has ended
	}{
		"read":        {api.Fault{HiddenFrom: api.OnRead}, []bool{false, false}, []bool{true}},
		"list":        {api.Fault{HiddenFrom: api.OnList}, []bool{true, true}, []bool{false}},
		"both":        {api.Fault{}, []bool{false}, []bool{false}},
		"seen before": {api.Fault{SeenFirst: 2}, []bool{true, true, false}, []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t, cloud.Options{})
			test.fault.On, test.fault.VisibleAfter = api.OnCreate, api.Duration(time.Hour)
			fault(t, s, test.fault)
			id := made(t, c, api.Records, api.Record{Name: "a"})
			var reads, lists []bool
			for range test.reads {
				reads = append(reads, readable(t, c, id))
			}
			for range test.lists {
				lists = append(lists, listed(t, c, "a"))
			}
			if diff := cmp.Diff(test.reads, reads) + cmp.Diff(test.lists, lists); diff != "" {
				t.Error(diff)
			}
			wantCounts(t, s, "records", api.Counts{CreateRequests: 1, Creates: 1, Live: 1, Orphans: 1})
		})
	}
	t.Run("ends", func(t *testing.T) {
		t.Parallel()
		s, c := start(t, cloud.Options{})
		fault(t, s, api.Fault{On: api.OnCreate, VisibleAfter: api.Duration(window)})
		id := made(t, c, api.Records, api.Record{Name: "a"})
		time.Sleep(window)
		if !readable(t, c, id) || !listed(t, c, "a") {
			t.Error("it is still hidden")
		}
	})
}

func TestGoneAfter(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnDelete, GoneAfter: api.Duration(window)})
	id := made(t, c, api.Records, api.Record{Name: "a"})
	if err := client.Delete(t.Context(), c, api.Records, id); err != nil {
		t.Fatal(err)
	}
	if !readable(t, c, id) || !listed(t, c, "a") {
		t.Error("it is not shown any more")
	}
	if got := counts(t, s, "records"); got.Live != 0 || got.Deletes != 1 {
		t.Errorf("audit: %+v", got)
	}
	time.Sleep(window)
	if readable(t, c, id) || listed(t, c, "a") {
		t.Error("it is still shown")
	}
}

func TestReservedFor(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnDelete, ReservedFor: api.Duration(window)})
	id := made(t, c, api.Datastores, cluster("a"))
	if err := client.Delete(t.Context(), c, api.Datastores, id); err != nil {
		t.Fatal(err)
	}
	_, err := client.Begin(t.Context(), c, api.Datastores, cluster("a"))
	wantStatus(t, err, 409, api.CodeConflict)
	time.Sleep(window)
	made(t, c, api.Datastores, cluster("a"))
}

func TestStaleFor(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnUpdate, StaleFor: api.Duration(window)})
	id := made(t, c, api.Records, api.Record{Name: "a", Value: "old"})
	changed, err := client.Update(t.Context(), c, api.Records, id, map[string]any{"value": "new"})
	if err != nil || changed.Value != "new" {
		t.Fatal(changed, err)
	}
	for _, want := range []string{"old", "new"} {
		if got, err := client.Get(t.Context(), c, api.Records, id, ""); err != nil || got.Value != want {
			t.Errorf("got %q, want %q; %v", got.Value, want, err)
		}
		time.Sleep(window)
	}
}

func TestNewID(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnUpdate, NewID: true, Count: 1})
	id := made(t, c, api.Records, api.Record{Name: "a"})
	changed, err := client.Update(t.Context(), c, api.Records, id, map[string]any{"value": "new"})
	if err != nil {
		t.Fatal(err)
	}
	if changed.ID == id || readable(t, c, id) || !readable(t, c, changed.ID) {
		t.Errorf("the id was %s and is %s", id, changed.ID)
	}
	if err := client.Delete(t.Context(), c, api.Records, changed.ID); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, s, "records", api.Counts{CreateRequests: 1, Creates: 1, Updates: 1, Deletes: 1})
}

func TestNormalise(t *testing.T) {
	for how, test := range map[string]struct{ sent, want api.Record }{
		api.NormaliseCase:       {api.Record{Value: "Mixed Case"}, api.Record{Value: "mixed case"}},
		api.NormaliseWhitespace: {api.Record{Value: "  a\n b "}, api.Record{Value: "a b"}},
		api.NormaliseOrder:      {api.Record{Lines: []string{"b", "a"}}, api.Record{Lines: []string{"a", "b"}}},
		api.NormaliseJSON:       {api.Record{Document: `{"b": 1, "a": [2]}`}, api.Record{Document: `{"a":[2],"b":1}`}},
		api.NormaliseDefaults: {
			api.Record{Rules: []api.Rule{{Port: 1}, {Port: 2, Protocol: "udp"}}},
			api.Record{Rules: []api.Rule{{Port: 1, Protocol: "tcp"}, {Port: 2, Protocol: "udp"}}},
		},
	} {
		t.Run(how, func(t *testing.T) {
			s, c := start(t, cloud.Options{})
			fault(t, s, api.Fault{Normalise: how, Fields: []string{"value", "lines", "document", "rules"}})
			test.sent.Name, test.want.Name = "a", "a"
			got := create(t, c, api.Records, test.sent)
			id := got.ID
			got.ID, got.Serial, got.UpdatedAt = "", "", ""
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			got, err := client.Update(t.Context(), c, api.Records, id, map[string]any{
				"value": test.sent.Value, "lines": test.sent.Lines, "document": test.sent.Document,
				"rules": test.sent.Rules,
			})
			if err != nil {
				t.Fatal(err)
			}
			got.ID, got.Serial, got.UpdatedAt = "", "", ""
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("after an update: %s", diff)
			}
		})
	}
}

func TestValues(t *testing.T) {
	s, c := start(t, cloud.Options{})
	id := made(t, c, api.Records, api.Record{Name: "a", Value: "stored"})
	fault(t, s, api.Fault{On: api.OnRead, Values: map[string][]any{"value": {"one", "two"}}, Count: 3})
	for _, want := range []string{"one", "two", "one", "stored"} {
		if got, err := client.Get(t.Context(), c, api.Records, id, ""); err != nil || got.Value != want {
			t.Errorf("got %q, want %q; %v", got.Value, want, err)
		}
	}
}

func TestStatusAfter(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnCreate, StatusAfter: 503, Code: "unavailable", Message: "try again later"})
	_, err := client.Begin(t.Context(), c, api.Records, api.Record{Name: "a"})
	if refused := wantStatus(t, err, 503, "unavailable"); refused.Message != "try again later" {
		t.Errorf("message: %s", refused.Message)
	}
	if got := counts(t, s, "records"); got.Live != 1 {
		t.Errorf("audit: %+v", got)
	}
}

func TestRetryAfter(t *testing.T) {
	s, c := start(t, cloud.Options{})
	const wait = 3 * time.Second
	fault(t, s, api.Fault{On: api.OnCreate, Status: 429, RetryAfter: api.Duration(wait), Count: 1})
	_, err := client.Begin(t.Context(), c, api.Records, api.Record{Name: "a"})
	if refused := wantStatus(t, err, 429, api.CodeInjected); !strings.HasSuffix(refused.Message, "(Retry-After: 3)") {
		t.Errorf("message: %s", refused.Message)
	}
	// The clock of the cloud is an hour ahead.
	fault(t, s, api.Fault{
		On: api.OnCreate, Status: 429, RetryAfter: api.Duration(wait), RetryAtDate: true,
		Clock: api.Duration(time.Hour), Count: 1,
	})
	response, err := http.Post(s.URL()+"/v1/records", "application/json", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for header, ahead := range map[string]time.Duration{"Date": time.Hour, "Retry-After": time.Hour + wait} {
		at, err := http.ParseTime(response.Header.Get(header))
		if off := time.Until(at) - ahead; err != nil || off.Abs() > 30*time.Second {
			t.Errorf("%s is %q: %v", header, response.Header.Get(header), err)
		}
	}
}

func TestClock(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnCreate, Clock: api.Duration(-time.Hour)})
	got := create(t, c, api.Records, api.Record{Name: "a"})
	at, err := time.Parse(time.RFC3339Nano, got.UpdatedAt)
	if ago := time.Since(at); err != nil || ago < time.Hour || ago > time.Hour+30*time.Second {
		t.Errorf("updated_at is %s: %v", got.UpdatedAt, err)
	}
}

// A fault that lasts begins with its first use.
func TestLasts(t *testing.T) {
	s, c := start(t, cloud.Options{})
	fault(t, s, api.Fault{On: api.OnCreate, Status: 403, Code: "quota_exceeded", Lasts: api.Duration(window)})
	time.Sleep(window)
	for range 2 {
		_, err := client.Begin(t.Context(), c, api.Records, api.Record{Name: "a"})
		wantStatus(t, err, 403, "quota_exceeded")
	}
	time.Sleep(window)
	create(t, c, api.Records, api.Record{Name: "a"})
}

func TestRefusedFaults(t *testing.T) {
	s, _ := start(t, cloud.Options{})
	for name, f := range map[string]api.Fault{
		"no effect":                   {On: api.OnRead},
		"no status for a message":     {Message: "a", Drop: true},
		"status of a success":         {StatusAfter: 200},
		"hidden from what":            {VisibleAfter: api.Duration(window), HiddenFrom: "update"},
		"hidden for how long":         {HiddenFrom: api.OnRead, Drop: true},
		"unknown normalisation":       {Normalise: "rot13", Fields: []string{"value"}},
		"normalisation of what":       {Normalise: api.NormaliseCase},
		"fields without a rule":       {Fields: []string{"value"}, Drop: true},
		"values without a value":      {Values: map[string][]any{"value": {}}},
		"negative number of reads":    {VisibleAfter: api.Duration(window), SeenFirst: -1},
		"negative duration":           {Drop: true, Lasts: -1},
		"status that is no error":     {Status: 302},
		"unknown operation":           {On: "patch", Drop: true},
		"unknown collection":          {Collection: "nothing", Drop: true},
		"unknown outcome of a task":   {TaskOutcome: "explode"},
		"header without its own date": {RetryAtDate: true, Drop: true},
	} {
		if err := s.AddFault(f); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
}
