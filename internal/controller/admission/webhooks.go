package admission

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	typeddiscoveryv1 "k8s.io/client-go/kubernetes/typed/discovery/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/queue"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// paths begins the path of the webhook. What follows is random, see Handler.
const paths = "/plan/"

// interval is the interval of checks of certificates and groups.
const interval = time.Minute

// Options specify where plans are served to the API server.
type Options struct {
	// Port to listen on.
	Port int
	// Service is the Service by which the API server finds the program, unless Host is set.
	Service crd.Service
	// Host is the name of the host by which the API server finds a program that runs outside its
	// cluster.
	Host string
	// Address is the address at which the program is reached by the Service, which then has no
	// selector: the active replica leads it to itself. If it is empty, the Service has to lead
	// there by other means.
	Address string
}

// host returns the name that the certificate is for.
func (o Options) host() string {
	return cmp.Or(o.Host, o.Service.Name+"."+o.Service.Namespace+".svc")
}

// address returns how the API server calls the webhook at a path.
func (o Options) address(path string, authorities []byte) admissionregistrationv1.WebhookClientConfig {
	out := admissionregistrationv1.WebhookClientConfig{CABundle: authorities}
	if o.Host != "" {
		out.URL = ptr.To(fmt.Sprintf("https://%s:%d%s", o.Host, o.Port, path))
		return out
	}
	out.Service = &admissionregistrationv1.ServiceReference{
		Namespace: o.Service.Namespace, Name: o.Service.Name, Path: ptr.To(path), Port: ptr.To(int32(o.Port)),
	}
	return out
}

// Webhooks serves plans to the API server, and configures it to ask for them.
type Webhooks struct {
	Options
	Client  client.Client
	Secrets typedcorev1.SecretInterface
	// Configurations are the cluster's.
	Configurations admissionregistration.ValidatingWebhookConfigurationInterface
	// Endpoints are the EndpointSlices of the Service's namespace, for Options.Address.
	Endpoints typeddiscoveryv1.EndpointSliceInterface
	// Groups returns the API groups of the kinds of a TerraformProvider.
	Groups  func(ctx context.Context, provider string) ([]string, error)
	Preview Preview
	Logger  logr.Logger

	certificates *conversion.Certificates
	path         string
}

// SetupWithManager serves plans, and configures the webhooks of TerraformProviders.
func (w *Webhooks) SetupWithManager(m ctrl.Manager) error {
	w.certificates = conversion.NewCertificates(w.Secrets, w.Service.Name+"-admission", w.host())
	server := webhook.NewServer(webhook.Options{
		Port: w.Port, TLSOpts: []func(*tls.Config){
			func(t *tls.Config) { t.GetCertificate = w.certificates.Certificate },
		},
	})
	w.path = paths + strings.ToLower(rand.Text())
	server.Register(paths, Handler(w.path, w.Preview, w.Logger)) // metrics have the part of the path that is known
	if err := m.Add(server); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(m).Named("admission").
		For(&v1alpha1.TerraformProvider{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1, SkipNameValidation: ptr.To(true), NewQueue: queue.New[reconcile.Request]}).
		Complete(w)
}

// name returns the name of a TerraformProvider's webhook.
func name(provider string) string { return "plan." + provider + "." + v1alpha1.Group }

// Reconcile implements reconcile.Reconciler.
func (w *Webhooks) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p := &v1alpha1.TerraformProvider{}
	if err := w.Client.Get(ctx, req.NamespacedName, p); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	} else if err != nil || !p.DeletionTimestamp.IsZero() || !p.Spec.Admission.Enabled() {
		err := w.Configurations.Delete(ctx, name(req.Name), metav1.DeleteOptions{})
		if kerrors.IsNotFound(err) || kerrors.IsForbidden(err) {
			err = nil // without the permission there is none
		}
		return reconcile.Result{}, err
	}
	if err := w.certificates.Sync(ctx); err != nil {
		return reconcile.Result{}, fmt.Errorf("the certificate of the webhook: %w", err)
	}
	if err := w.lead(ctx); err != nil {
		return reconcile.Result{}, fmt.Errorf("the endpoint of the webhook: %w", err)
	}
	groups, err := w.Groups(ctx, p.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(groups) == 0 {
		return reconcile.Result{RequeueAfter: time.Second}, nil // the provider is being installed
	}
	return reconcile.Result{RequeueAfter: interval}, w.ensure(ctx, w.configuration(p, groups))
}

func (w *Webhooks) ensure(ctx context.Context, want *admissionregistrationv1.ValidatingWebhookConfiguration) error {
	have, err := w.Configurations.Get(ctx, want.Name, metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		_, err = w.Configurations.Create(ctx, want, metav1.CreateOptions{})
	case err == nil && !equality.Semantic.DeepEqual(have.Webhooks, want.Webhooks):
		have.Webhooks = want.Webhooks
		_, err = w.Configurations.Update(ctx, have, metav1.UpdateOptions{})
	}
	return err
}

// configuration returns the webhook of a TerraformProvider. The API server calls it only for
// changes of the spec.
func (w *Webhooks) configuration(p *v1alpha1.TerraformProvider, groups []string) *admissionregistrationv1.ValidatingWebhookConfiguration {
	slices.Sort(groups)
	conditions := []admissionregistrationv1.MatchCondition{{
		Name: "spec", Expression: "request.operation == 'CREATE' || object.?spec != oldObject.?spec",
	}}
	if p.Spec.Admission == v1alpha1.AdmissionDryRun {
		conditions = append(conditions, admissionregistrationv1.MatchCondition{
			Name: "dry-run", Expression: "has(request.dryRun) && request.dryRun",
		})
	}
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name(p.Name), Labels: map[string]string{v1alpha1.LabelProvider: p.Name}},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: name(p.Name), ClientConfig: w.address(w.path, w.certificates.Authorities()),
			Rules:           []admissionregistrationv1.RuleWithOperations{rule(groups, "*"), rule([]string{v1alpha1.Group}, "resourcequeries")},
			MatchConditions: conditions, MatchPolicy: ptr.To(admissionregistrationv1.Exact),
			NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			FailurePolicy: ptr.To(admissionregistrationv1.Ignore), SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
			TimeoutSeconds: ptr.To(int32(timeout / time.Second)), AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

// rule returns the rule for creates and updates of a resource; * for all resources of the groups.
func rule(groups []string, resource string) admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule: admissionregistrationv1.Rule{
			APIGroups: groups, APIVersions: []string{"*"}, Resources: []string{resource},
			Scope: ptr.To(admissionregistrationv1.AllScopes),
		},
	}
}

// GroupOf returns the group in the name of a CRD.
func GroupOf(definition string) string {
	_, group, _ := strings.Cut(definition, ".")
	return group
}
