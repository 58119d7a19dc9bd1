package migrate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		old, given, want m
		observes         string
		notes, left      []string
	}{
		"nothing": {old: m{}, given: m{"a": "x"}, want: m{"forProvider": m{"a": "x"}}},
		"orphan, without late initialization": {
			old: m{"deletionPolicy": "Orphan", "managementPolicies": []any{"Observe", "Create", "Update", "Delete"}}, given: m{},
			want: m{"forProvider": m{}, "managementPolicies": []any{"Observe", "Create", "Update"}},
		},
		"only observes, whatever the old one did": {
			old: m{"deletionPolicy": "Orphan"}, given: m{}, observes: "of something",
			want: m{"forProvider": m{}, "managementPolicies": []any{"Observe"}},
		},
		"Secrets": {
			old:   m{"forProvider": m{"passwordSecretRef": m{"name": "s", "key": "k", "namespace": "elsewhere"}, "tokenSecretRef": m{"name": "t", "key": "u"}}},
			given: m{"passwordSecretRef": m{"name": "x-inputs", "key": "password"}, "tokenSecretRef": m{"name": "x-inputs", "key": "token"}},
			notes: []string{"Sensitive: put the value of password into the key password of the Secret x-inputs.", "Other."},
			want:  m{"forProvider": m{"passwordSecretRef": m{"name": "s", "key": "k"}, "tokenSecretRef": m{"name": "t", "key": "u"}}},
			left:  []string{"Other.", "Sensitive: copy the Secret s from namespace elsewhere to team."},
		},
		"initially": {
			old: m{"forProvider": m{"both": "1"}, "initProvider": m{"both": "1", "size": "2", "gone": "3"}}, given: m{"both": "1", "size": "4"},
			want: m{"forProvider": m{"both": "1"}, "initProvider": m{"size": "4"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &unstructured.Unstructured{Object: m{"metadata": m{"namespace": "team"}, "spec": m{"forProvider": test.given}}}
			if test.observes != "" {
				u.Object["spec"].(m)["managementPolicies"] = []any{"Observe"}
			}
			x := importer.Manifest{Resource: u, Observes: test.observes, Notes: test.notes}
			migrate.Upjet{Unstructured: &unstructured.Unstructured{Object: m{"spec": test.old}}}.Complete(&x)
			if diff := cmp.Diff(test.want, u.Object["spec"]); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.left, x.Notes); diff != "" {
				t.Errorf("notes: -want, +got:\n%s", diff)
			}
		})
	}
}
