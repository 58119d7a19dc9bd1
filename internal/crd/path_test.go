package crd_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"name": {Type: cty.String, Required: true}, "vpc_id": {Type: cty.String, Computed: true}, "tags": {
				Type: cty.Map(cty.String), Optional: true,
			},
			"rules": {Type: cty.List(cty.Object(map[string]cty.Type{"port": cty.Number})), Computed: true},
			"any":   {Type: cty.DynamicPseudoType, Computed: true},
		}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := crd.Resource(p.Resources["cloud_thing"])
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"status.atProvider.vpcId":                           "",
		"status.atProvider.rules[0].port":                   "",
		"status.atProvider.tags.team":                       "",
		"status.atProvider.any.thing[0].else":               "",
		"spec.forProvider.name":                             "",
		"metadata.annotations[crossplane.io/external-name]": "",
		"status.atProvider.vpcID":                           "there is no field status.atProvider.vpcID (did you mean status.atProvider.vpcId?)",
		"status.atprovider.vpcId":                           "there is no field status.atprovider (did you mean status.atProvider?)",
		"atProvider.vpcId":                                  "there is no field atProvider",
		"status.atProvider.arn":                             "there is no field status.atProvider.arn",
		"status.atProvider.vpcId.x":                         "there is no field status.atProvider.vpcId.x: status.atProvider.vpcId has no fields",
		"status.atProvider.rules.port":                      "status.atProvider.rules is a list. Write status.atProvider.rules[0].port",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := crd.CheckPath(d, path); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
