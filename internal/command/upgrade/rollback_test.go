package upgrade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

func TestRollbackText(t *testing.T) {
	t.Parallel()
	volume := upgrade.Kind{ResourceType: "cloud_volume", Group: "cloud.example.org", Kind: "Volume"}
	const changed = "it was created or changed since the upgrade, or the upgrade is confirmed"
	for name, test := range map[string]struct {
		rollback commandupgrade.Rollback
		want     string
	}{
		"nothing was upgraded": {commandupgrade.Rollback{Provider: "cloud", Installed: "2.0.0", To: "1.0.0", Readable: 3}, `
TerraformProvider cloud: 2.0.0 -> 1.0.0

read as they are stored: 3
`},
		"restored and held": {commandupgrade.Rollback{
			Provider: "cloud", Installed: "2.0.0", To: "1.0.0",
			Restored: []commandupgrade.RolledBack{{Kind: volume, Namespace: "a", Name: "one"}, {Kind: volume, Namespace: "a", Name: "two"}},
			Held: []commandupgrade.RolledBack{{Kind: volume, Name: "global", Why: changed},
				{Kind: volume, Namespace: "a", Name: "busy", Why: "its Update has not ended"}},
			Notes: []string{"The version does not have the resource type cloud_disk: resources of disks.cloud.example.org are held."},
		}, `
TerraformProvider cloud: 2.0.0 -> 1.0.0

read as they are stored: 0

restored as they were before the upgrade: 2
  cloud_volume (Volume)
      a/one
      a/two

held, and kept as they are, until a version runs that can read them: 2
  cloud_volume (Volume): it was created or changed since the upgrade, or the upgrade is confirmed
      global
  cloud_volume (Volume): its Update has not ended
      a/busy
Note: The version does not have the resource type cloud_disk: resources of disks.cloud.example.org are held.
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := test.rollback.Text(&out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), out.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
