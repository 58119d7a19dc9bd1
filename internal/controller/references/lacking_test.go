package references_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
	"github.com/landbridge-io/landbridge/schema"
)

// Users choose paths, so few of them are remembered.
func TestPathsAreBounded(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}},
		}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	paths := &references.Paths{}
	ask := func(path string, lacks bool) {
		t.Helper()
		if err := paths.Lacks(p.Resources["cloud_thing"], path); (err != nil) != lacks {
			t.Errorf("%s: %v", path, err)
		}
	}
	const asked = 200
	for i := range asked {
		ask(fmt.Sprint("status.atProvider.x", i), true)
	}
	for range 2 { // the second time, it is remembered
		ask("status.atProvider.name", false)
	}
	held := map[string]int{}
	leaktest.Entries(reflect.ValueOf(paths), "paths", held)
	for at, n := range held {
		if n >= asked {
			t.Errorf("%s: %d entries after %d paths", at, n, asked)
		}
	}
}
