package kinds_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// All that is named after an object that is not refused has a name that Kubernetes accepts.
func TestNamesOfOwnersFit(t *testing.T) {
	t.Parallel()
	name := rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 198).Draw(t, "length")
		return "a" + rapid.StringOfN(rapid.RuneFrom([]rune("abz09-")), n, n, n).Draw(t, "name") + "z"
	})
	rapid.Check(t, func(t *rapid.T) {
		owner := name.Draw(t, "owner")
		if rapid.Bool().Draw(t, "module") {
			owner = kinds.ModuleOwner(owner)
		}
		most := validation.LabelValueMaxLength
		if kinds.IsModuleOwner(owner) {
			most -= len(kinds.ModuleOwner(""))
		}
		if err := kinds.CheckOwner(owner); (err != nil) != (len(owner) > validation.LabelValueMaxLength) {
			t.Fatalf("%d characters: %v", len(owner), err)
		} else if err != nil {
			if want := fmt.Sprintf("metadata.name must have %d characters at most", most); !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("got %v, want %s", err, want)
			}
			return
		}
		if wrong := validation.IsValidLabelValue(owner); len(wrong) > 0 {
			t.Fatalf("label %s: %v", owner, wrong)
		}
		for _, n := range kinds.OwnNames(owner) {
			if wrong := content.IsPathSegmentName(n); len(wrong) > 0 || len(n) > validation.DNS1123SubdomainMaxLength {
				t.Fatalf("%s: %v", n, wrong)
			}
		}
		if kinds.IsModuleOwner(owner) {
			return // there are no policies for modules
		}
		for _, n := range kinds.OwnNames(owner)[1:] {
			if wrong := validation.IsDNS1123Subdomain(n); len(wrong) > 0 {
				t.Fatalf("%s: %v", n, wrong)
			}
		}
	})
}
