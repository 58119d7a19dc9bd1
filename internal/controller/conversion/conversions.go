package conversion

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/queue"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// Options specify where conversions are served.
type Options struct {
	// Port to listen on.
	Port int
	// CertDir has the certificate to serve, tls.crt, and its key, tls.key, which may change at any
	// time. Its owner also configures the webhook in the definitions. If it is empty, the program
	// creates certificates, stores them in a Secret, and configures the webhook itself.
	CertDir string
	// Service is the Service by which the API server finds the program.
	Service crd.Service
}

// Conversions serves the conversions of one program's kinds.
type Conversions struct {
	Options
	// Definitions are the cluster's. Secrets are those of the Service's namespace.
	Definitions apiextensions.CustomResourceDefinitionInterface
	Secrets     typedcorev1.SecretInterface
	Logger      logr.Logger

	keeper      *keeper
	definitions *definitions
}

const (
	minBackoff = 200 * time.Millisecond
	maxBackoff = time.Minute
	// checkInterval is the interval of certificate checks.
	checkInterval = time.Minute
)

// incarnation distinguishes a definition from earlier and later ones of its name.
type incarnation struct {
	uid        types.UID
	generation int64
}

// SetupWithManager serves the conversions of kinds, by the names of their definitions.
func (c *Conversions) SetupWithManager(m ctrl.Manager, names map[schema.GroupKind]string) error {
	c.definitions = &definitions{
		names: names, known: map[string]known{}, latest: map[string]incarnation{},
		get: func(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
			return c.Definitions.Get(ctx, name, metav1.GetOptions{})
		},
	}
	o := webhook.Options{Port: c.Port, CertDir: c.CertDir}
	if c.CertDir == "" {
		c.keeper = &keeper{
			secrets: c.Secrets, name: c.Service.Name + "-conversion", host: c.Service.Name + "." + c.Service.Namespace + ".svc", now: time.Now,
		}
		o.TLSOpts = []func(*tls.Config){func(t *tls.Config) { t.GetCertificate = c.keeper.certificate }}
	}
	server := webhook.NewServer(o)
	server.Register(crd.ConversionPath, Handler(c.definitions.convert, c.Logger))
	if err := m.Add(server); err != nil {
		return err
	}
	if err := m.AddReadyzCheck("conversion", server.StartedChecker()); err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, name := range names {
		ours[name] = true
	}
	announcer := &announcer{Conversions: c, reader: m.GetClient(), ours: ours, done: map[string]incarnation{}}
	if err := c.watch(m, "conversion", false, ours, announcer); err != nil {
		return err
	}
	migrator := &migrator{Conversions: c, client: m.GetClient(), live: m.GetAPIReader(), ours: ours, done: map[string]incarnation{}}
	return c.watch(m, "storedversions", true, ours, migrator)
}

// watch runs a reconciler, with one request for all kinds, when any of the definitions changes.
func (c *Conversions) watch(m ctrl.Manager, name string, leads bool, ours map[string]bool, r reconcile.Reconciler) error {
	all := []reconcile.Request{{NamespacedName: types.NamespacedName{Name: name}}}
	return ctrl.NewControllerManagedBy(m).Named(name).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{},
			handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
				if !ours[o.GetName()] {
					return nil
				}
				return all
			})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 1,
			SkipNameValidation:      ptr.To(true),
			NeedLeaderElection:      ptr.To(leads),
			NewQueue:                queue.New[reconcile.Request],
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(r)
}

// Ready reports whether the webhook of a definition is configured, if it needs one. It returns true
// if c is nil, since then another program serves the conversions.
func (c *Conversions) Ready(d *apiextensionsv1.CustomResourceDefinition) bool {
	if c == nil || !converted(d) {
		return true
	}
	if c.keeper == nil {
		w := d.Spec.Conversion.Webhook
		return w != nil && w.ClientConfig != nil && len(w.ClientConfig.CABundle) > 0
	}
	return c.announced(d)
}

// converted reports whether a definition needs the webhook.
func converted(d *apiextensionsv1.CustomResourceDefinition) bool {
	return d.Annotations[v1alpha1.AnnotationFormerVersions] != "" && d.Spec.Conversion != nil &&
		d.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// announced reports whether the webhook of a definition is this program.
func (c *Conversions) announced(d *apiextensionsv1.CustomResourceDefinition) bool {
	authorities := c.keeper.authorities()
	w := d.Spec.Conversion.Webhook
	if len(authorities) == 0 || w == nil || w.ClientConfig == nil || w.ClientConfig.Service == nil || w.ClientConfig.URL != nil {
		return false
	}
	s := w.ClientConfig.Service
	return bytes.Equal(w.ClientConfig.CABundle, authorities) && s.Namespace == c.Service.Namespace && s.Name == c.Service.Name &&
		ptr.Deref(s.Path, "") == crd.ConversionPath && ptr.Deref(s.Port, 443) == int32(c.Port) &&
		slices.Contains(w.ConversionReviewVersions, "v1")
}

// storage returns the version in which a definition's objects are stored.
func storage(d *apiextensionsv1.CustomResourceDefinition) (string, error) {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name, nil
		}
	}
	return "", fmt.Errorf("the CRD %s has no storage version", d.Name)
}
