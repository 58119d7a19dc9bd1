package examplecloudtest

import (
	"maps"
	"time"
)

// Window is how long the faults of the catalogue hide, show or reserve something. It is shorter
// than the grace period after creates that tests of them need.
const Window = 6 * time.Second

// short is how long other faults of the catalogue last.
const short = 4 * time.Second

// Fault is a fault of the cloud, in the format of its package api.
type Fault map[string]any

// Behaviour is something that clouds do, and that Terraform providers pass on.
type Behaviour struct {
	// Name is that of its row in docs/faults.md.
	Name string
	// Faults make the cloud behave so.
	Faults []Fault
	// Sources are URLs of reports of clouds that do.
	Sources []string
}

// For returns the faults for the objects whose field has a value.
func (b Behaviour) For(field, value string) []Fault {
	var out []Fault
	for _, f := range b.Faults {
		one := maps.Clone(f)
		one["match"] = map[string]string{field: value}
		out = append(out, one)
	}
	return out
}

// Catalogue lists the behaviours that docs/faults.md describes, in its order.
var Catalogue = []Behaviour{
	{
		Name:   "late-read",
		Faults: []Fault{{"on": "create", "visible_after": Window.String(), "hidden_from": "read", "seen_first": 1}},
		Sources: []string{
			"https://github.com/hashicorp/terraform-provider-aws/pull/7907",
			"https://github.com/hashicorp/terraform-provider-google/issues/22533",
		},
	},
	{
		Name:   "late-list",
		Faults: []Fault{{"on": "create", "visible_after": Window.String(), "hidden_from": "list"}},
		Sources: []string{
			"https://github.com/hashicorp/terraform-provider-aws/pull/9045",
			"https://github.com/hashicorp/terraform-provider-aws/issues/2456",
		},
	},
	{
		Name:   "late-everywhere",
		Faults: []Fault{{"on": "create", "visible_after": Window.String(), "count": 1}},
		Sources: []string{
			"https://github.com/logzio/terraform-provider-logzio/issues/60",
			"https://github.com/RJPearson94/terraform-provider-twilio/issues/86",
		},
	},
	{
		Name:   "null-create",
		Faults: []Fault{{"on": "read", "status": 404, "count": 1}},
		Sources: []string{
			"https://github.com/hashicorp/terraform-plugin-framework/issues/403",
			"https://github.com/imperva/terraform-provider-incapsula/issues/87",
		},
	},
	{
		Name:   "partial-create",
		Faults: []Fault{{"on": "read", "status": 503, "lasts": short.String()}},
		Sources: []string{
			"https://github.com/mittwald/terraform-provider-mittwald/pull/332",
			"https://github.com/coolify-terraform/terraform-provider-coolify/issues/183",
		},
	},
	{
		Name:   "late-disappearance",
		Faults: []Fault{{"on": "delete", "gone_after": Window.String()}},
		Sources: []string{
			"https://github.com/GoogleCloudPlatform/magic-modules/pull/5096",
			"https://github.com/aiven/terraform-provider-aiven/issues/152",
		},
	},
	{
		Name:   "stale-read",
		Faults: []Fault{{"on": "update", "stale_for": Window.String()}},
		Sources: []string{
			"https://github.com/ncecere/terraform-provider-litellm/issues/148",
			"https://github.com/GoogleCloudPlatform/magic-modules/pull/8079",
		},
	},
	{
		Name:   "normalised-case",
		Faults: []Fault{{"normalise": "case", "fields": []string{"value"}}},
		Sources: []string{
			"https://github.com/signalsciences/terraform-provider-sigsci/issues/120",
			"https://github.com/terraform-providers/terraform-provider-opc/issues/17",
		},
	},
	{
		Name:    "normalised-whitespace",
		Faults:  []Fault{{"normalise": "whitespace", "fields": []string{"value"}}},
		Sources: []string{"https://github.com/PostHog/terraform-provider-posthog/pull/103", "https://github.com/hashicorp/terraform/issues/9982"},
	},
	{
		Name:   "normalised-order",
		Faults: []Fault{{"normalise": "order", "fields": []string{"lines"}}},
		Sources: []string{
			"https://github.com/nutanix/terraform-provider-nutanix/issues/489",
			"https://github.com/conduktor/terraform-provider-conduktor/issues/16",
		},
	},
	{
		Name:   "normalised-json",
		Faults: []Fault{{"normalise": "json", "fields": []string{"document"}}},
		Sources: []string{
			"https://github.com/hashicorp/terraform-provider-aws/issues/21968",
			"https://github.com/imperva/terraform-provider-incapsula/issues/425",
		},
	},
	{
		Name:   "normalised-defaults",
		Faults: []Fault{{"normalise": "defaults", "fields": []string{"rules"}}},
		Sources: []string{
			"https://github.com/hashicorp/terraform/issues/1409",
			"https://github.com/hashicorp/terraform-provider-azurerm/pull/27292",
		},
	},
	{
		Name:   "normalised-replacement",
		Faults: []Fault{{"normalise": "case", "fields": []string{"address"}}},
		Sources: []string{
			"https://github.com/apache/cloudstack-terraform-provider/pull/330",
			"https://github.com/Jamf-Concepts/terraform-provider-jsctfprovider/pull/169",
		},
	},
	{
		Name:   "oscillating-values",
		Faults: []Fault{{"on": "read", "values": map[string]any{"value": []string{"one", "two"}}}},
		Sources: []string{
			"https://github.com/FusionAuth/terraform-provider-fusionauth/issues/304",
			"https://github.com/jfrog/terraform-provider-platform/pull/320",
		},
	},
	{
		Name:   "new-id",
		Faults: []Fault{{"on": "update", "new_id": true, "count": 1}},
		Sources: []string{
			"https://github.com/orange-cloudavenue/terraform-provider-cloudavenue/issues/755",
			"https://github.com/pulumi/pulumi/issues/3729",
		},
	},
	{
		Name:   "reserved-name",
		Faults: []Fault{{"on": "delete", "reserved_for": Window.String()}},
		Sources: []string{
			"https://github.com/okta/terraform-provider-okta/issues/1739",
			"https://github.com/confluentinc/terraform-provider-confluent/issues/48",
		},
	},
	{
		Name: "throttled-with-time",
		Faults: []Fault{{
			"status": 429, "code": "too_many_requests", "message": "too many requests", "retry_after": "2s", "lasts": short.String(),
		}},
		Sources: []string{"https://github.com/terraform-provider-openstack/terraform-provider-openstack/issues/1156"},
	},
	{
		Name: "throttled-without-time",
		Faults: []Fault{{
			"status": 429, "code": "too_many_requests", "message": "429 Too Many Requests: Global limit has been reached", "lasts": short.String(),
		}},
		Sources: []string{
			"https://github.com/auth0/terraform-provider-auth0/issues/273",
			"https://github.com/digitalocean/terraform-provider-digitalocean/issues/546",
		},
	},
	{
		Name: "error-after-success",
		Faults: []Fault{
			{"on": "create", "status_after": 503, "code": "unavailable", "message": "service unavailable", "count": 1},
			{"on": "update", "status_after": 503, "code": "unavailable", "message": "service unavailable", "count": 4},
			{"on": "delete", "status_after": 503, "code": "unavailable", "message": "service unavailable", "count": 4},
		},
		Sources: []string{
			"https://github.com/ovh/terraform-provider-ovh/pull/1339",
			"https://github.com/hashicorp/terraform-provider-azurerm/issues/9717",
		},
	},
	{
		Name: "expired-credentials",
		Faults: []Fault{{
			// The request that creates the object is the last one that they are good for.
			"skip": 1, "status": 401, "code": "expired_token", "message": "ExpiredToken: The security token included in the request is expired",
			"lasts": short.String(),
		}},
		Sources: []string{
			"https://github.com/hashicorp/terraform-provider-aws/issues/4502",
			"https://github.com/hashicorp/terraform-provider-aws/issues/1307",
		},
	},
	{
		Name: "exhausted-quota",
		Faults: []Fault{{
			"on": "create", "status": 403, "code": "quota_exceeded",
			"message": "Quota exceeded for resources: 10 of 10 are in use", "lasts": short.String(),
		}},
		Sources: []string{"https://github.com/osism/testbed/pull/1594", "https://github.com/civo/terraform-provider-civo/issues/270"},
	},
	{
		Name: "skewed-clock",
		Faults: []Fault{
			{"clock": "-1h"},
			{
				"on": "update", "status": 429, "code": "too_many_requests", "message": "too many requests", "retry_after": "2s", "retry_at_date": true,
				"clock": "2h", "lasts": short.String(),
			},
		},
		Sources: []string{"https://github.com/openai/openai-java/pull/878", "https://github.com/smithy-lang/smithy-rs/pull/4800"},
	},
	{
		Name: "second-delete",
		Faults: []Fault{{
			"on": "delete", "status": 409, "code": "disabled", "message": "it is disabled now: delete it again to remove it", "count": 1,
		}},
		Sources: []string{"https://github.com/IBM-Cloud/terraform-provider-ibm/issues/1886"},
	},
	{
		Name: "blocking-dependents",
		Faults: []Fault{{
			"on": "delete", "status": 409, "code": "dependency_violation",
			"message": "DependencyViolation: resource has a dependent object", "lasts": short.String(),
		}},
		Sources: []string{"https://github.com/hashicorp/terraform/issues/3758", "https://github.com/hashicorp/terraform/pull/2532"},
	},
}
