package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Cluster reads a cluster.
type Cluster struct {
	config *rest.Config
	client client.Client
	// system is the namespace of Landbridge's own objects.
	system string
}

// Connect returns a reader of a cluster. It connects to it later.
func Connect(config *rest.Config, system string) (*Cluster, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		v1alpha1.AddToScheme, coordinationv1.AddToScheme, authorizationv1.AddToScheme, admissionv1.AddToScheme, discoveryv1.AddToScheme,
		rbacv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	c, err := client.New(config, client.Options{Scheme: scheme})
	return &Cluster{config, c, system}, err
}

// Kubernetes returns the version of Kubernetes, and the time of the API server, which is zero if it
// does not tell.
func (c *Cluster) Kubernetes(ctx context.Context) (version string, now time.Time, _ error) {
	base, _, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return "", now, err
	}
	h, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return "", now, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("/version").String(), nil)
	if err != nil {
		return "", now, err
	}
	answer, err := h.Do(request)
	if err != nil {
		return "", now, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return "", now, err
	}
	if answer.StatusCode != http.StatusOK {
		return "", now, fmt.Errorf("%s answers %s", base, answer.Status)
	}
	var out struct{ GitVersion string }
	if err := json.Unmarshal(raw, &out); err != nil || out.GitVersion == "" {
		return "", now, fmt.Errorf("%s is no API server of Kubernetes", base)
	}
	now, _ = http.ParseTime(answer.Header.Get("Date"))
	return out.GitVersion, now, nil
}

// Leases returns the leases of controllers.
func (c *Cluster) Leases(ctx context.Context) ([]coordinationv1.Lease, error) {
	list := &coordinationv1.LeaseList{}
	if err := c.client.List(ctx, list, client.InNamespace(c.system)); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(l coordinationv1.Lease) bool { return !strings.HasSuffix(l.Name, "."+v1alpha1.Group) }), nil
}

// Permission is what commands need to be allowed.
type Permission struct {
	Verb, Group, Resource string
	// System is set if it is about the namespace of Landbridge's own objects alone.
	System bool
	// For are the commands that need it.
	For string
}

// permissions are those that commands need besides the permissions for the kinds of providers.
var permissions = []Permission{
	{Verb: "list", Group: v1alpha1.Group, Resource: "terraformproviders", For: "commands that work with the cluster's providers"},
	{Verb: "get", Resource: "secrets", System: true, For: "landbridge diff, export and state, which read what is stored of remote objects"},
	{Verb: "list", Resource: "secrets", System: true, For: "landbridge state list and export, which list what is stored of remote objects"},
	{
		Verb: "get", Resource: "secrets",
		For: "landbridge diff, discover, import and export, which read the credentials of provider configurations",
	},
}

// Facts are what was read. An error beside a fact is why it could not be read.
type Facts struct {
	// Now is the time of this machine, and ServerTime that of the API server, as far as it is
	// known.
	Now, ServerTime time.Time
	// Connection is why there is no connection to a cluster. Nothing else of a cluster is known
	// then.
	Connection error
	// Host is the address of the API server, and Kubernetes its version.
	Host, Kubernetes string
	// System is the namespace of Landbridge's own objects.
	System      string
	Leases      []coordinationv1.Lease
	LeasesError error

	Providers      []v1alpha1.TerraformProvider
	ProvidersError error

	// Denied are the permissions that the user does not have.
	Denied           []Permission
	PermissionsError error

	// MissingRoles are the ClusterRoles for ProviderConfigs that are missing beside those for
	// resources.
	MissingRoles []string
	RolesError   error

	// Webhooks are those of the TerraformProviders that show plans at admission, by their names.
	Webhooks map[string]Webhook

	// Sources are why providers cannot be found on this machine, and SourcesError why none of them
	// can be searched. Described are the sources that were searched.
	Sources      map[string]error
	SourcesError error
	Described    string

	// Sandbox reports whether this machine can restrict providers, and Limitation what it cannot
	// restrict.
	Sandbox    bool
	Limitation string
}

// Webhook is the webhook of one TerraformProvider.
type Webhook struct {
	// Missing is set if it is not configured.
	Missing bool
	// Service is the Service that it is called by, as NAMESPACE/NAME; empty if it is called by an
	// address.
	Service string
	// Ready is set if the Service has an endpoint that is ready.
	Ready bool
	Error error
}

// Read adds to facts what can be read of the cluster.
func (c *Cluster) Read(ctx context.Context, f *Facts) {
	f.Host, f.System = c.config.Host, c.system
	if f.Kubernetes, f.ServerTime, f.Connection = c.Kubernetes(ctx); f.Connection != nil {
		return
	}
	f.Leases, f.LeasesError = c.Leases(ctx)
	list := &v1alpha1.TerraformProviderList{}
	f.ProvidersError = c.client.List(ctx, list)
	f.Providers = list.Items
	f.Denied, f.PermissionsError = c.denied(ctx)
	f.MissingRoles, f.RolesError = c.missingRoles(ctx, f.Providers)
	f.Webhooks = map[string]Webhook{}
	for _, p := range f.Providers {
		if p.Spec.Admission.Enabled() {
			f.Webhooks[p.Name] = c.webhook(ctx, p.Name)
		}
	}
}

// denied returns the permissions that the user does not have.
func (c *Cluster) denied(ctx context.Context) (out []Permission, _ error) {
	for _, p := range permissions {
		attributes := &authorizationv1.ResourceAttributes{Verb: p.Verb, Group: p.Group, Resource: p.Resource}
		if p.System {
			attributes.Namespace = c.system
		}
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}
		if err := c.client.Create(ctx, review); err != nil {
			return nil, err
		}
		if !review.Status.Allowed {
			out = append(out, p)
		}
	}
	return out, nil
}

// missingRoles returns the ClusterRoles for ProviderConfigs that are missing, though those for
// resources exist: releases before the two were separate have made these.
func (c *Cluster) missingRoles(ctx context.Context, providers []v1alpha1.TerraformProvider) (out []string, _ error) {
	exists := func(name string) (bool, error) {
		err := c.client.Get(ctx, client.ObjectKey{Name: name}, &rbacv1.ClusterRole{})
		if kerrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	}
	pairs := [][2]string{{"landbridge-edit", "landbridge-configure"}}
	for _, p := range providers {
		pairs = append(pairs, [2]string{"landbridge:" + p.Name + ":edit", "landbridge:" + p.Name + ":configure"})
	}
	for _, pair := range pairs {
		there, err := exists(pair[0])
		if err == nil && there {
			there, err = exists(pair[1])
			if err == nil && !there {
				out = append(out, pair[1])
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// webhook returns the webhook of a TerraformProvider.
func (c *Cluster) webhook(ctx context.Context, provider string) Webhook {
	configuration := &admissionv1.ValidatingWebhookConfiguration{}
	err := c.client.Get(ctx, client.ObjectKey{Name: "plan." + provider + "." + v1alpha1.Group}, configuration)
	switch {
	case kerrors.IsNotFound(err):
		return Webhook{Missing: true}
	case err != nil:
		return Webhook{Error: err}
	}
	for _, w := range configuration.Webhooks {
		service := w.ClientConfig.Service
		if service == nil {
			continue
		}
		out := Webhook{Service: service.Namespace + "/" + service.Name}
		endpoints := &discoveryv1.EndpointSliceList{}
		if out.Error = c.client.List(ctx, endpoints, client.InNamespace(service.Namespace),
			client.MatchingLabels{discoveryv1.LabelServiceName: service.Name}); out.Error != nil {
			return out
		}
		for _, slice := range endpoints.Items {
			for _, e := range slice.Endpoints {
				out.Ready = out.Ready || e.Conditions.Ready == nil || *e.Conditions.Ready
			}
		}
		return out
	}
	return Webhook{Ready: true}
}
