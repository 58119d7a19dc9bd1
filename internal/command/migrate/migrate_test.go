package migrate_test

import (
	"fmt"
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
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

func TestTypeOf(t *testing.T) {
	t.Parallel()
	s := &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
	for _, name := range []string{"aws_vpc", "aws_ec2_tag", "aws_rds_cluster", "aws_cluster", "aws_ec2_transit_gateway"} {
		s.Resources[name] = &schema.Resource{
			Type: name, Block: &schema.Block{
				Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}},
			},
		}
	}
	p, err := model.NewProvider("aws", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"VPC.ec2.aws.upbound.io": "aws_vpc", "Tag.ec2.aws.upbound.io": "aws_ec2_tag",
		"TransitGateway.ec2.aws.upbound.io": "aws_ec2_transit_gateway",
		"Cluster.rds.aws.upbound.io":        "aws_rds_cluster", "Cluster.ecs.aws.upbound.io": "aws_cluster",
	} {
		got, err := migrate.TypeOf(p, kschema.ParseGroupKind(kind))
		if err != nil || got.Type != want {
			t.Errorf("%s: got %v, %v", kind, got, err)
		}
	}
	if _, err := migrate.TypeOf(p, kschema.ParseGroupKind("Bucket.s3.aws.upbound.io")); err == nil ||
		err.Error() != "the provider has no resource type for its kind. Name it with --type "+
			"Bucket.s3.aws.upbound.io=TYPE" {
		t.Error(err)
	}
}

// The kinds of providers for hcloud, as several authors have them.
func TestTypeOfHCloud(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("hcloud", schematest.Provider(t, "hcloud"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"Key.ssh.hcloud.crossplane.io": "hcloud_ssh_key", "Key.sshkey.hcloud.upbound.io": "hcloud_ssh_key",
		"SSHKey.hcloud.upbound.io":    "hcloud_ssh_key",
		"Volume.hcloud.crossplane.io": "hcloud_volume", "Volume.volume.hcloud.crossplane.io": "hcloud_volume",
		"Volume.hcloud.m.crossplane.io":                 "hcloud_volume",
		"Attachment.volume.hcloud.crossplane.io":        "hcloud_volume_attachment",
		"Attachment.volumeattachment.hcloud.upbound.io": "hcloud_volume_attachment",
		"Network.hcloud.crossplane.io":                  "hcloud_network",
		"Network.server.hcloud.crossplane.io":           "hcloud_server_network",
		"Network.servernetwork.hcloud.upbound.io":       "hcloud_server_network",
		"Subnet.network.hcloud.crossplane.io":           "hcloud_network_subnet", "Route.networkroute.hcloud.upbound.io": "hcloud_network_route",
		"IP.floatingip.hcloud.upbound.io": "hcloud_floating_ip", "IPAssignment.floatingip.hcloud.crossplane.io": "hcloud_floating_ip_assignment",
		"IP.primaryip.hcloud.upbound.io": "hcloud_primary_ip", "Balancer.loadbalancer.hcloud.crossplane.io": "hcloud_load_balancer",
		"BalancerService.loadbalancer.hcloud.crossplane.io": "hcloud_load_balancer_service",
		"Certificate.managed.hcloud.crossplane.io":          "hcloud_managed_certificate",
		"Certificate.uploadedcertificate.hcloud.upbound.io": "hcloud_uploaded_certificate",
		"Group.placementgroup.hcloud.upbound.io":            "hcloud_placement_group",
		"Firewall.firewall.hcloud.upbound.io":               "hcloud_firewall",
		"Snapshot.snapshot.hcloud.upbound.io":               "hcloud_snapshot",
		"RDNS.rdns.hcloud.upbound.io":                       "hcloud_rdns",
	} {
		if got, err := migrate.TypeOf(p, kschema.ParseGroupKind(kind)); err != nil || got.Type != want {
			t.Errorf("%s: got %v, %v", kind, got, err)
		}
	}
}

// The credentials of an Upjet provider, JSON in one key, become keys of a Secret, and what is not
// secret only if it may be shown.
func TestProviderConfig(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("hcloud", schematest.Provider(t, "hcloud"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		kind, namespace string
		credentials     m
		more            m
		secret          string
		shown           []string
		want            m
		data            map[string]string
		notes           []string
		problem         string
	}{
		"a token": {
			secret: `{"token": "t"}`,
			want:   m{"tokenSecretRef": m{"name": "hcloud-main-credentials", "namespace": "system", "key": "token"}},
			data:   map[string]string{"system/token": "t"},
			notes: []string{
				"Its credentials are the keys token of the Secret system/hcloud-main-credentials, and were the key " +
					"credentials of the Secret crossplane-system/creds.",
			},
		},
		"in a namespace": {
			kind: "ProviderConfig", namespace: "team", secret: `{"token": "t"}`,
			want: m{"tokenSecretRef": m{"name": "hcloud-main-credentials", "key": "token"}}, data: map[string]string{"team/token": "t"},
			notes: []string{
				"Its credentials are the keys token of the Secret team/hcloud-main-credentials, and were the key " +
					"credentials of the Secret team/creds.",
			},
		},
		"not sensitive for the provider": {
			secret: `{"token": "t", "endpoint": "https://e", "poll_interval": ""}`,
			problem: "the credentials have endpoint, which the provider does not mark as sensitive. Set " +
				"providerConfig.fields.endpoint.sensitive: true in spec of the TerraformProvider, or permit to show " +
				"it by --not-sensitive endpoint",
		},
		"may be shown": {
			secret: `{"token": "t", "endpoint": "https://e"}`, shown: []string{"endpoint"}, data: map[string]string{"system/token": "t"},
			want: m{"endpoint": "https://e", "tokenSecretRef": m{"name": "hcloud-main-credentials", "namespace": "system", "key": "token"}},
			notes: []string{
				"Its credentials are the keys token of the Secret system/hcloud-main-credentials, and were the key " +
					"credentials of the Secret crossplane-system/creds.",
			},
		},
		"more": {
			secret: `{"project": "p"}`, more: m{"pollInterval": "1s", "region": "eu"}, want: m{"pollInterval": "1s"},
			notes: []string{
				"Left out: project in the credentials, for which the provider has no argument.",
				"Left out: spec.region, for which the provider has no argument of that name.",
			},
		},
		"none": {credentials: m{"source": "None"}, want: m{}},
		"not JSON": {
			secret: `a-token`,
			problem: "the key credentials of the Secret crossplane-system/creds is not a JSON object. Write a " +
				"ClusterProviderConfig yourself, and name it by --configuration",
		},
		"no Secret": {problem: "there is no Secret crossplane-system/creds"},
		"environment": {
			credentials: m{"source": "Environment", "env": m{"name": "HCLOUD_TOKEN"}},
			problem: "its credentials are in the environment variable HCLOUD_TOKEN of the old provider. Write a " +
				"ClusterProviderConfig yourself, and name it by --configuration",
		},
		"identity": {
			credentials: m{"source": "InjectedIdentity"},
			problem: "its credentials are those of the old provider's identity (source InjectedIdentity). Write " +
				"a ClusterProviderConfig yourself, and name it by --configuration",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			credentials := test.credentials
			if credentials == nil {
				credentials = m{"source": "Secret", "secretRef": m{"namespace": "crossplane-system", "name": "creds", "key": "credentials"}}
			}
			spec := m{"credentials": credentials}
			for k, v := range test.more {
				spec[k] = v
			}
			u := &unstructured.Unstructured{
				Object: m{
					"apiVersion": "hcloud.crossplane.io/v1beta1", "kind": "ProviderConfig",
					"metadata": m{"name": "main"}, "spec": spec,
				},
			}
			if test.namespace != "" {
				u.SetNamespace(test.namespace)
			}
			c := migrate.ProviderConfig{Unstructured: u}
			got, err := translated(p, c, test.shown, func(namespace, name string) (map[string][]byte, error) {
				if test.secret == "" {
					return nil, fmt.Errorf("there is no Secret %s/%s", namespace, name)
				}
				return map[string][]byte{"credentials": []byte(test.secret)}, nil
			})
			if test.problem != "" {
				if err == nil || err.Error() != test.problem {
					t.Errorf("got  %v\nwant %s", err, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Object.Object["spec"]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			data := map[string]string{}
			if got.Secret != nil {
				for key, value := range got.Secret.Data {
					data[got.Secret.Namespace+"/"+key] = string(value)
				}
			}
			if diff := cmp.Diff(test.data, data, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.notes, got.Notes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func translated(p *model.Provider, c migrate.ProviderConfig, shown []string, secrets migrate.Secrets) (*migrate.Configuration, error) {
	credentials, err := c.ReadCredentials(p, secrets)
	if err != nil {
		return nil, err
	}
	return c.Translate(p, credentials, shown, "system")
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
			(&migrate.Takeover{
				Old: old, Copies: test.copies, Item: importer.Item{
					Declared: &importer.Declared{InitProvider: test.initial},
				},
			}).Complete(&x)
			if diff := cmp.Diff(test.want, u.Object["spec"]); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.left, x.Notes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("notes: -want, +got:\n%s", diff)
			}
		})
	}
}
