package examplecloudtest_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

func TestHappened(t *testing.T) {
	cloud := examplecloudtest.Start(t)
	made := cloud.Make(t, "datastores", map[string]any{"name": "a", "hci_cluster_uuid": "h", "cluster_info": map[string]any{"id": "c"}})
	cloud.Make(t, "things", map[string]any{"name": "b", "region": "us-east-1"})
	if got := cloud.Happened(t, "creates", "a"); got != 1 {
		t.Errorf("%d creates of a", got)
	}
	if got := cloud.Happened(t, "deletes", "a"); got != 0 {
		t.Errorf("%d deletes of a", got)
	}
	cloud.Remove(t, "datastores", made["id"].(string))
	if got := cloud.Happened(t, "creates", "b") + cloud.Happened(t, "creates", ""); got != 1 {
		t.Errorf("%d creates of b", got)
	}
}
