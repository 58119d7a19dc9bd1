package providerconfig_test

import (
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// The condition tells where credentials are, and never what they are. It goes when they are gone.
func TestPlainTextCredentials(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{
		Attributes: map[string]*schema.Attribute{"api_key": {Type: cty.String, Optional: true}, "region": {Type: cty.String, Optional: true}},
		Blocks: map[string]*schema.NestedBlock{"tls": {Nesting: schema.NestingList, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"client_key": {Type: cty.String, Optional: true}},
		}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	status := &xpv2.ConditionedStatus{}
	set := func(spec map[string]any) {
		providerconfig.SetPlainCredentials(status, &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"generation": int64(2)}, "spec": spec,
		}}, p)
	}
	set(map[string]any{
		"region": "a", "apiKey": "hidden",
		"tls": []any{map[string]any{"clientKey": "hidden"}, map[string]any{"clientKey": "hidden"}},
	})
	want := []xpv2.Condition{{
		Type: v1alpha1.TypePlainTextCredentials, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonNotInSecrets, ObservedGeneration: 2,
		Message: "These arguments look like credentials, and are not in Secrets: spec.apiKey, spec.tls[0].clientKey, spec.tls[1].clientKey. " +
			"Set providerConfig.fields.api_key.sensitive: true, providerConfig.fields.tls.client_key.sensitive: " +
			"true in spec of the TerraformProvider, and refer to Secrets.",
	}}
	got := status.DeepCopy()
	for i := range got.Conditions {
		got.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	if diff := cmp.Diff(want, got.Conditions); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	set(map[string]any{"region": "a"})
	if len(status.Conditions) > 0 {
		t.Errorf("conditions that stay: %+v", status.Conditions)
	}
}
