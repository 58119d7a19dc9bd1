package migrate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/migrate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

func TestTypeOf(t *testing.T) {
	t.Parallel()
	s := &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
	for _, name := range []string{"aws_vpc", "aws_ec2_tag", "aws_rds_cluster", "aws_cluster", "aws_ec2_transit_gateway"} {
		s.Resources[name] = &schema.Resource{Type: name, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}}}}
	}
	p, err := model.NewProvider("aws", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"VPC.ec2.aws.upbound.io": "aws_vpc", "Tag.ec2.aws.upbound.io": "aws_ec2_tag", "TransitGateway.ec2.aws.upbound.io": "aws_ec2_transit_gateway",
		"Cluster.rds.aws.upbound.io": "aws_rds_cluster", "Cluster.ecs.aws.upbound.io": "aws_cluster",
	} {
		got, err := migrate.TypeOf(p, kschema.ParseGroupKind(kind))
		if err != nil || got.Type != want {
			t.Errorf("%s: got %v, %v", kind, got, err)
		}
	}
	if _, err := migrate.TypeOf(p, kschema.ParseGroupKind("Bucket.s3.aws.upbound.io")); err == nil || err.Error() != "the provider has no resource type for its kind. Name it with --type Bucket.s3.aws.upbound.io=TYPE" {
		t.Error(err)
	}
}

// What an old resource asks for is in the manifest.
func TestComplete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		old, initial, want m
		observes           string
		copies             map[string]migrate.Copy
		notes, left        []string
	}{
		"nothing": {old: m{}, want: m{"forProvider": m{"a": "x"}}},
		"orphan, without late initialization": {
			old:  m{"deletionPolicy": "Orphan", "managementPolicies": []any{"Observe", "Create", "Update", "Delete"}},
			want: m{"forProvider": m{"a": "x"}, "managementPolicies": []any{"Observe", "Create", "Update"}},
		},
		"orphan": {
			old:  m{"deletionPolicy": "Orphan", "managementPolicies": []any{"*"}},
			want: m{"forProvider": m{"a": "x"}, "managementPolicies": []any{"Observe", "Create", "Update", "LateInitialize"}},
		},
		"would change, whatever the old one did": {
			old: m{"deletionPolicy": "Orphan"}, observes: "of something", notes: []string{"Only observes, since of something."},
			want: m{"forProvider": m{"a": "x"}, "managementPolicies": []any{"Observe"}}, left: []string{"Only observes, since of something."},
		},
		"the old one only observed": {
			old: m{"managementPolicies": []any{"Observe"}}, observes: "of something", notes: []string{"Only observes, since of something."},
			want: m{"forProvider": m{"a": "x"}, "managementPolicies": []any{"Observe"}},
		},
		"Secrets": {
			old: m{}, copies: map[string]migrate.Copy{"s": {Namespace: "elsewhere", Keys: []string{"k"}}}, notes: []string{"Other."},
			want: m{"forProvider": m{"a": "x"}}, left: []string{"Other.", "Sensitive: copy the Secret s from namespace elsewhere to team."},
		},
		"connection Secret of another namespace": {
			old:  m{"writeConnectionSecretToRef": m{"name": "c", "namespace": "elsewhere"}},
			want: m{"forProvider": m{"a": "x"}, "writeConnectionSecretToRef": m{"name": "c"}},
			left: []string{"The connection Secret is written to namespace team, and not to elsewhere."},
		},
		"initially": {
			old: m{}, initial: m{"size": "2"}, want: m{"forProvider": m{"a": "x"}, "initProvider": m{"size": "2"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &unstructured.Unstructured{Object: m{"metadata": m{"namespace": "team"}, "spec": m{"forProvider": m{"a": "x"}}}}
			if test.observes != "" {
				u.Object["spec"].(m)["managementPolicies"] = []any{"Observe"}
			}
			x := importer.Manifest{Resource: u, Observes: test.observes, Notes: test.notes}
			old := migrate.Upjet{Unstructured: &unstructured.Unstructured{Object: m{"spec": test.old}}}
			(&migrate.Takeover{Old: old, Copies: test.copies, Item: importer.Item{Declared: &importer.Declared{InitProvider: test.initial}}}).Complete(&x)
			if diff := cmp.Diff(test.want, u.Object["spec"]); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.left, x.Notes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("notes: -want, +got:\n%s", diff)
			}
		})
	}
}
