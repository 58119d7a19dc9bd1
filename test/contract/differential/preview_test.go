package differential_test

import (
	"flag"
	"testing"

	"github.com/landbridge-io/landbridge/test/contract/differential"
)

var previews = flag.Int("previews", 100, "number of resources whose previews are compared with plans")

// What a preview says of a random resource is what an apply then plans: also where the provider has
// got another schema, or answers with errors.
func TestPreviewsTellTheTruth(t *testing.T) {
	n := 0
	for i := 0; n < *previews; i++ {
		c := differential.GenerateForPrograms(11, i)
		got, differences, err := differential.Previews(t.Context(), c, t.TempDir())
		if err != nil {
			t.Fatalf("case %d of seed 11: %v", i, err)
		}
		for _, d := range differences {
			t.Errorf("case %d of seed 11: %s", i, d)
		}
		n += got
	}
	t.Logf("%d previews", n)
}
