package providerconfig

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/diagnostic"
	"github.com/landbridge-io/landbridge/model"
	"github.com/landbridge-io/landbridge/provider"
	"github.com/landbridge-io/landbridge/provider/pool"
	"github.com/landbridge-io/landbridge/scheduler"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/terraform/engine"
	"github.com/landbridge-io/landbridge/translate"
)

// DefaultName is the name of the provider configuration that is used where none is named.
const DefaultName = "default"

// credentialsTTL is how long Secrets that a configuration refers to are believed unread.
const credentialsTTL = 30 * time.Second

// Resolver finds the configured servers of one provider.
type Resolver struct {
	// Client reads provider configurations; it may be cached.
	Client client.Reader
	// Live reads Secrets; it must not be cached.
	Live     client.Reader
	Provider *model.Provider
	Launcher provider.Launcher
	Pool     *pool.Pool

	mu       sync.Mutex
	resolved map[configKey]*resolved
}

type configKey struct{ kind, namespace, name string }

type resolved struct {
	uid     types.UID
	version string
	read    time.Time
	handle  Handle
}

// Handle gets at a provider configured as one provider configuration says.
type Handle struct {
	// Name tells the configuration from all others.
	Name    string
	Acquire scheduler.Acquire
	// Secrets are the values that came from Secrets, to be kept out of messages.
	Secrets []string
	// Diagnostics say why there is none; Acquire says the same.
	Diagnostics diagnostic.Diagnostics
}

func refused(name string, diags diagnostic.Diagnostics) Handle {
	return Handle{Name: name, Diagnostics: diags, Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
		return nil, nil, diags
	}}
}

// Resolve finds the configuration that ref means for a resource of the namespace. A provider
// that has nothing to configure needs no configuration object.
func (r *Resolver) Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) Handle {
	key := configKey{kind: model.ClusterProviderConfigKind, name: DefaultName}
	if ref != nil {
		key = configKey{kind: ref.Kind, name: ref.Name}
	}
	switch key.kind {
	case model.ClusterProviderConfigKind:
	case model.ProviderConfigKind:
		key.namespace = namespace
	default:
		return refused(key.name, diagnostic.Errorf("Invalid provider configuration reference", "spec.providerConfigRef.kind is %q, where %s or %s is meant.",
			key.kind, model.ProviderConfigKind, model.ClusterProviderConfigKind))
	}
	name := r.Provider.Group + "/" + key.kind + "/" + key.namespace + "/" + key.name

	u := &unstructured.Unstructured{}
	u.SetAPIVersion(r.Provider.Group + "/" + r.Provider.Version)
	u.SetKind(key.kind)
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: key.namespace, Name: key.name}, u, client.UnsafeDisableDeepCopy)
	switch {
	case kerrors.IsNotFound(err) && r.nothingToConfigure():
		u.SetUID("none")
	case kerrors.IsNotFound(err):
		return refused(name, diagnostic.Errorf("Provider configuration not found", "There is no %s %q in group %s. Create it, or name another in spec.providerConfigRef.", key.kind, key.name, r.Provider.Group))
	case err != nil:
		return refused(name, diagnostic.Errorf("Provider configuration not readable", "%s.", err))
	}

	r.mu.Lock()
	known := r.resolved[key]
	r.mu.Unlock()
	if known != nil && known.uid == u.GetUID() && known.version == u.GetResourceVersion() && time.Since(known.read) < credentialsTTL {
		return known.handle
	}
	out := &resolved{uid: u.GetUID(), version: u.GetResourceVersion(), read: time.Now(), handle: r.handle(ctx, name, key, u)}
	if !out.handle.Diagnostics.HasErrors() {
		r.mu.Lock()
		if r.resolved == nil {
			r.resolved = map[configKey]*resolved{}
		}
		r.resolved[key] = out
		r.mu.Unlock()
	}
	return out.handle
}

func (r *Resolver) nothingToConfigure() bool {
	return len(r.Provider.Schema.Config.Attributes) == 0 && len(r.Provider.Schema.Config.Blocks) == 0
}

func (r *Resolver) handle(ctx context.Context, name string, key configKey, u *unstructured.Unstructured) Handle {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	var secrets []string
	config, diags := translate.ProviderConfig(r.Provider, spec, func(ref translate.SecretKeySelector) ([]byte, error) {
		if key.namespace != "" {
			ref.Namespace = key.namespace // a namespaced configuration reads its own namespace only
		}
		b, err := ReadSecret(ctx, r.Live, ref)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, string(b))
		return b, nil
	})
	if diags.HasErrors() {
		out := refused(name, r.spell(diags))
		out.Secrets = secrets
		return out
	}
	return Handle{Name: name, Secrets: secrets, Acquire: r.acquire(config)}
}

// spell puts the attribute paths into the text: they are not those of the resource that is
// going to report them.
func (r *Resolver) spell(diags diagnostic.Diagnostics) diagnostic.Diagnostics {
	out := make(diagnostic.Diagnostics, len(diags))
	for i, d := range diags {
		if len(d.Attribute) > 0 {
			d.Detail = fmt.Sprintf("%s (%s of the provider configuration)", d.Detail, r.Provider.UserPath(d.Attribute))
			d.Attribute = nil
		}
		out[i] = d
	}
	return out
}

func (r *Resolver) acquire(config cty.Value) scheduler.Acquire {
	key := pool.Prepare(pool.Configuration{Launcher: r.Launcher, Config: config})
	// An engine remembers what it worked out about schemas: one per server, not per call.
	var current atomic.Pointer[serving]
	return func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
		lease, diags := r.Pool.Acquire(ctx, key)
		if diags.HasErrors() {
			return nil, nil, r.spell(diags)
		}
		s := current.Load()
		if s == nil || s.server != lease.Server() {
			s = &serving{server: lease.Server(), engine: engine.New(lease.Server())}
			current.Store(s)
		}
		return s.engine, lease.Release, diags
	}
}

type serving struct {
	server provider.Server
	engine *engine.Engine
}
