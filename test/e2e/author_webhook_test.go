package e2e_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// TestAuthorWithWebhook checks that a request is accepted whose change of the spec a webhook takes
// back, and that it leaves the author as it is: webhooks come after what notes the author.
func TestAuthorWithWebhook(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "unauthored")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	alice := c.as(t, ns, "alice", "landbridge-edit")
	const value = "/spec/forProvider/value"
	resets(t, c, "unauthored.landbridge.io", value, "a")
	eventually(t, "the API server notes who changes specs, and resets the value", func(ctx context.Context) bool {
		u := d.thing(ns, "r", m{"value": "b"})
		err := alice.Create(ctx, u, client.DryRunAll, client.FieldOwner("creator"))
		return err == nil && u.GetAnnotations()[v1alpha1.AnnotationChangedBy] != "" && text(u, "spec", "forProvider", "value") == "a"
	})
	r := d.thing(ns, "r", m{"value": "a"})
	c.MustCreate(t, r)
	noted := r.GetAnnotations()[v1alpha1.AnnotationChangedBy]
	u := r.DeepCopy()
	patch := client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec":{"forProvider":{"value":"b"}},"metadata":{"labels":{"a":"b"}}}`))
	if err := alice.Patch(t.Context(), u, patch, client.FieldOwner("gitops")); err != nil {
		t.Fatal(err)
	}
	if got := u.GetAnnotations()[v1alpha1.AnnotationChangedBy]; got != noted || u.GetLabels()["a"] != "b" {
		t.Errorf("labels %v, noted %q, want %q", u.GetLabels(), got, noted)
	}
}

// resets has the API server ask a webhook that sets a field of all resources of a group to a value.
func resets(t *testing.T, c *cluster, group, path, value string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		patch, _ := json.Marshal([]m{{"op": "add", "path": path, "value": value}})
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Allowed: true, Patch: patch, PatchType: new(admissionv1.PatchTypeJSONPatch),
		}
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	rule := admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{"things"}}
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "resets." + group},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "resets." + group,
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      new(server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule:       rule,
			}},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	if err := c.Create(t.Context(), configuration); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(context.Background(), configuration) })
}
