// Package admission shows plans at admission: what applying a resource would change of its remote
// object, as warnings of the API server.
//
// In: AdmissionReviews of resources whose TerraformProvider has spec.admission. Out: warnings, and
// one ValidatingWebhookConfiguration per such TerraformProvider.
//
// It refuses nothing, changes nothing, and shows no secret. If it does not answer, the API server
// goes on without it.
package admission
