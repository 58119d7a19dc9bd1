package examplecloudtest_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

func TestCloud(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	thing := cloud.Make(t, "things", map[string]any{"name": "x", "region": "us-east-1"})
	// The cloud knows the id of a datastore when its task has ended.
	cloud.Make(t, "datastores", map[string]any{
		"name": "x", "hci_cluster_uuid": "u", "cluster_info": map[string]any{"id": "c"}, "capacity_gib": 1,
	})
	id, _ := thing["id"].(string)
	cloud.Change(t, "things", id, map[string]any{"name": "y"})
	if got := cloud.Audit(t); got.Creates != 2 || got.Live != 2 || got.Updates != 0 {
		t.Errorf("got %+v; what is done by hand is no update", got)
	}
	cloud.Remove(t, "things", id)
	if got := cloud.Audit(t); got.Live != 1 {
		t.Errorf("got %+v", got)
	}
}
