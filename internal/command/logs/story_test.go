package logs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/logs"
)

const log = `not JSON
{"level":"info","ts":"2026-01-02T15:04:00.1Z","logger":"provider","msg":"provider log","provider":"open","text":"creating db","tf_resource_type":"open_thing"}
{"level":"info","ts":"2026-01-02T15:04:00.2Z","logger":"provider","msg":"provider log","provider":"open","text":"another type","tf_resource_type":"open_place"}
{"level":"info","ts":"2026-01-02T15:04:00.2Z","logger":"provider","msg":"provider log","provider":"closed","text":"another provider","tf_resource_type":"open_thing"}
{"level":"info","ts":"2026-01-02T15:04:01Z","msg":"Created the remote object in 1s.","object":"Thing.open.landbridge.io","namespace":"team-a","name":"db","type":"open_thing","operation":"Create","outcome":"Succeeded","began":"2026-01-02T15:04:00Z","took":"1s","because":"spec, generation 1"}
{"level":"info","ts":"2026-01-02T15:04:02Z","msg":"Created the remote object in 1s.","object":"Thing.open.landbridge.io","namespace":"team-b","name":"db","type":"open_thing","operation":"Create","outcome":"Succeeded","began":"2026-01-02T15:04:01Z","took":"1s","because":"spec, generation 1"}
{"level":"info","ts":"2026-01-02T15:05:00Z","msg":"Update is running","object":"Thing.open.landbridge.io","namespace":"team-a","name":"db","type":"open_thing","operation":"1","began":"2026-01-02T15:04:59Z","because":"spec, generation 2"}
{"level":"info","ts":"2026-01-02T15:05:01Z","msg":"Update is running","object":"Thing.open.landbridge.io","namespace":"team-b","name":"db","type":"open_thing","operation":"2","began":"2026-01-02T15:05:00.5Z","because":"spec, generation 2"}
{"level":"info","ts":"2026-01-02T15:05:02Z","logger":"provider","msg":"provider log","provider":"open","text":"half way","tf_resource_type":"open_thing"}
{"level":"error","ts":"2026-01-02T15:05:03Z","logger":"provider","msg":"provider output","provider":"open","text":"panic: out of luck"}
{"level":"info","ts":"2026-01-02T15:05:03.5Z","msg":"Update failed after 4s: the provider ended","object":"Thing.open.landbridge.io","namespace":"team-a","name":"db","type":"open_thing","operation":"Update","outcome":"Failed","began":"2026-01-02T15:04:59Z","took":"4.5s","because":"spec, generation 2"}
{"level":"info","ts":1767366310.5,"msg":"The remote object is tainted, as asked.","object":"Thing.open.landbridge.io","namespace":"team-a","name":"db","event":"Tainted"}
`

func TestStory(t *testing.T) {
	t.Parallel()
	all := []string{
		"2026-01-02 15:04:00.100  provider: creating db",
		"2026-01-02 15:04:01.000  Created the remote object in 1s. (Create succeeded after 1s; because of spec, generation 1)",
		"2026-01-02 15:05:00.000  Update is running (because of spec, generation 2)",
		"2026-01-02 15:05:02.000  provider, of this object or another one: half way",
		"2026-01-02 15:05:03.000  ERROR provider: panic: out of luck",
		"2026-01-02 15:05:03.500  Update failed after 4s: the provider ended (Update failed after 4.5s; because of spec, generation 2)",
		"2026-01-02 15:05:10.500  The remote object is tainted, as asked.",
	}
	thing := logs.Object{Kind: "Thing.open.landbridge.io", Namespace: "team-a", Name: "db", Provider: "open"}
	for name, test := range map[string]struct {
		object logs.Object
		since  time.Time
		want   []string
	}{
		"all":            {thing, time.Time{}, all},
		"since a time":   {thing, time.Date(2026, 1, 2, 15, 5, 3, 0, time.UTC), all[4:]},
		"another object": {logs.Object{Kind: "Thing.open.landbridge.io", Namespace: "team-c", Name: "db"}, time.Time{}, nil},
		"a provider": {logs.Object{Kind: "TerraformProvider.landbridge.io", Name: "open", Provider: "open"}, time.Time{}, []string{
			"2026-01-02 15:05:03.000  ERROR provider: panic: out of luck",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := logs.Story{Object: test.object, Since: test.since}
			var got []string
			for line := range strings.Lines(log) {
				if e, ok := logs.Parse([]byte(line)); ok {
					got = append(got, s.Add(e)...)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
