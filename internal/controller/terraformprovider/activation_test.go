package terraformprovider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

func TestActivatedTypes(t *testing.T) {
	t.Parallel()
	p := &model.Provider{
		Resources:          map[string]*model.Resource{"cloud_disk": {}, "cloud_server": {}},
		DataSources:        map[string]*model.Resource{"cloud_image": {}, "cloud_server": {}},
		EphemeralResources: map[string]*model.Resource{"cloud_token": {}},
		Schema: &schema.Provider{
			DataSources:        map[string]*schema.Block{"cloud_image": {}, "cloud_server": {}},
			EphemeralResources: map[string]*schema.Block{"cloud_token": {}},
		},
	}
	for name, test := range map[string]struct {
		patterns     []string
		types, wrong []string
	}{
		"all":           {nil, []string{"cloud_disk", "cloud_server"}, nil},
		"one":           {[]string{"cloud_s*"}, []string{"cloud_server"}, nil},
		"a data source": {[]string{"cloud_image"}, nil, []string{`"cloud_image" is a data source: name it in spec.activateDataSources`}},
		"an ephemeral one": {
			[]string{"cloud_token"}, nil,
			[]string{`"cloud_token" is an ephemeral resource: name it in spec.activateEphemeralResources`},
		},
		"nothing": {
			[]string{"cloud_x", "["}, nil, []string{
				`no resource type matches "cloud_x" (see: landbridge provider inspect)`, `"[" is not a pattern`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			types, wrong := terraformprovider.Activated(p, test.patterns)
			if diff := cmp.Diff(test.types, types); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
	for name, test := range map[string]struct {
		mode        model.Mode
		patterns    []string
		data, wrong []string
	}{
		"no ephemeral resource by default": {mode: model.Ephemeral},
		"an ephemeral resource":            {mode: model.Ephemeral, patterns: []string{"cloud_*"}, data: []string{"cloud_token"}},
		"no ephemeral resource of the name": {
			mode: model.Ephemeral, patterns: []string{"cloud_disk"},
			wrong: []string{`no ephemeral resource matches "cloud_disk" in spec.activateEphemeralResources (see: landbridge provider inspect)`},
		},
		"no data source by default":          {mode: model.Data},
		"all data sources":                   {mode: model.Data, patterns: []string{"*"}, data: []string{"cloud_image", "cloud_server"}},
		"a data source of a resource's name": {mode: model.Data, patterns: []string{"cloud_s*"}, data: []string{"cloud_server"}},
		"no data source": {
			mode: model.Data, patterns: []string{"cloud_disk"},
			wrong: []string{
				`no data source matches "cloud_disk" in spec.activateDataSources (see: landbridge provider inspect)`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, wrong := terraformprovider.ActivatedOf(test.mode, p, test.patterns)
			if diff := cmp.Diff(test.data, data); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
	if types, wrong := terraformprovider.Activated(&model.Provider{}, nil); types != nil || wrong != nil {
		t.Errorf("of a provider without resource types: %v, %v", types, wrong)
	}
}
