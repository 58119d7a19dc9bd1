package providerconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// DefaultName is the name of the provider configuration for resources without a providerConfigRef.
const DefaultName = "default"

// noConfiguration is the UID that stands for a configuration that does not exist and is not needed.
const noConfiguration types.UID = "none"

const (
	// credentialsTTL is the time after which the Secrets of a configuration are read again.
	credentialsTTL = 30 * time.Second
	// unusedTTL is the time after which a name is forgotten that has no configuration.
	unusedTTL = 10 * time.Minute
	// failureTTL is the same after a failure.
	failureTTL = 2 * time.Second
)

// Resolver resolves the provider configurations of one provider.
type Resolver struct {
	// Client reads provider configurations; it may be cached.
	Client client.Reader
	// Live reads Secrets; it must not be cached.
	Live     client.Reader
	Provider *model.Provider
	Launcher provider.Launcher
	Pool     *pool.Pool
	// Admission decides which namespaces may use a ClusterProviderConfig.
	Admission *Admission
	// RequestToken requests tokens of ServiceAccounts; nil if there are none.
	RequestToken TokenRequester
	// AccountKey is the key of the hashes of accounts. Defaults to one of this process.
	AccountKey AccountKey
	// Limits of each configuration. Those that are not set default to the pool's.
	Limits pool.Limits
	// Uses records which Secrets a configuration refers to; none if it is gone. Reread is called
	// when one changes. It may be nil: then changes are noticed within credentialsTTL.
	Uses func(of Reference, secrets []types.NamespacedName)
	// Approval returns the least approval policy of all resources of the provider. It may be nil.
	Approval func() desired.Approval

	mu sync.Mutex
	// resolved has each configuration as it was when it could last be used, failed its failures
	// since.
	resolved, failed map[Reference]*resolved
	// forgot is when names without a configuration were forgotten last.
	forgot time.Time
	// tokens has those of configurations with spec.serviceAccountTokens.
	tokens map[Reference]*tokens
}

type resolved struct {
	uid     types.UID
	version string
	read    time.Time
	// config is what was read.
	config *unstructured.Unstructured
	handle Handle[provider.Server]
	// tokens are those of the configuration, or nil. renewed is how often they had been renewed.
	tokens  *tokens
	renewed int64
	// key is the key of the configuration in the pool.
	key pool.Key
}

// Name returns the name of a configuration, as in its Handle.
func (r *Resolver) Name(of Reference) string {
	return r.Provider.Group + "/" + of.Kind + "/" + of.Namespace + "/" + of.Name
}

// Access returns how a configuration is used, whoever uses it. If it cannot be used, its account is
// empty.
func (r *Resolver) Access(ctx context.Context, of Reference) ownership.Access {
	namespace := of.Namespace
	if namespace == "" {
		namespace = anyNamespace
	}
	h := r.resolve(ctx, &xpv2.ProviderConfigReference{Kind: of.Kind, Name: of.Name}, namespace)
	return ownership.Access{Configuration: r.Name(of), Account: h.Account}
}

// Resolve returns the configuration that ref refers to from a namespace.
func (r *Resolver) Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) Handle[provider.Server] {
	out := r.resolve(ctx, ref, namespace)
	if r.Approval == nil {
		return out
	}
	return out.AtLeast(r.Approval())
}

// resolve is Resolve without the approval policy of the provider. A provider whose configuration
// schema is empty needs no configuration object.
func (r *Resolver) resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) Handle[provider.Server] {
	key := ReferenceOf(ref, namespace)
	if key.Kind != model.ClusterProviderConfigKind && key.Kind != model.ProviderConfigKind {
		out := Refuse[provider.Server](key.Name, diagnostic.Errorf("Invalid provider configuration reference",
			"spec.providerConfigRef.kind is %q. It must be %s or %s.",
			key.Kind, model.ProviderConfigKind, model.ClusterProviderConfigKind))
		out.Missing = true
		return out
	}
	name := r.Name(key)

	u := &unstructured.Unstructured{}
	u.SetAPIVersion(r.Provider.Group + "/" + r.Provider.Version)
	u.SetKind(key.Kind)
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, u, client.UnsafeDisableDeepCopy)
	r.mu.Lock()
	known, failed := r.resolved[key], r.failed[key]
	r.mu.Unlock()
	admit := u
	if err != nil && known != nil {
		admit = known.config // it was admitted or refused by what it was
	}
	if namespace != anyNamespace {
		if refusal, ok := r.refuse(ctx, name, admit, namespace); ok {
			return refusal
		}
	}
	switch {
	case kerrors.IsNotFound(err) && r.nothingToConfigure():
		u.SetUID(noConfiguration)
		u.SetNamespace(key.Namespace)
		u.SetName(key.Name)
	case kerrors.IsNotFound(err):
		out := Refuse[provider.Server](name,
			diagnostic.Errorf("Provider configuration not found", "There is no %s %q in group %s. Create it, or "+
				"name another one in spec.providerConfigRef.", key.Kind, key.Name, r.Provider.Group))
		out.Missing = true
		return known.after(out)
	case err != nil:
		return known.after(Refuse[provider.Server](name, diagnostic.Errorf("Provider configuration not readable", "%s.", err)))
	}
	if known.holds(u, credentialsTTL) {
		return known.handle
	}
	if failed.holds(u, failureTTL) {
		return known.after(failed.handle)
	}
	out := &resolved{uid: u.GetUID(), version: u.GetResourceVersion(), read: time.Now(), config: u}
	out.handle, out.tokens, out.key = r.handle(ctx, name, key, u)
	if out.tokens != nil {
		out.renewed = out.tokens.renewed.Load()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resolved == nil {
		r.resolved, r.failed = map[Reference]*resolved{}, map[Reference]*resolved{}
	}
	if out.handle.Diagnostics.HasErrors() {
		r.failed[key] = out
		return known.after(out.handle)
	}
	delete(r.failed, key)
	r.resolved[key] = out
	r.forgetUnused(out.read)
	return out.handle
}

// forgetUnused drops names without a configuration: users choose them, and nothing tells that one
// is not used any more. The mutex is locked.
func (r *Resolver) forgetUnused(now time.Time) {
	if now.Sub(r.forgot) < unusedTTL {
		return
	}
	r.forgot = now
	maps.DeleteFunc(r.resolved, func(_ Reference, x *resolved) bool {
		return x.uid == noConfiguration && now.Sub(x.read) > unusedTTL
	})
}

// refuse returns a handle that cannot be used if a configuration is not for a namespace. Nothing
// else of the configuration is told, and nothing of it can be used to destroy objects either. A
// configuration that was not found is never refused.
func (r *Resolver) refuse(
	ctx context.Context, name string, config *unstructured.Unstructured, namespace string,
) (Handle[provider.Server], bool) {
	if config.GetUID() == "" || config.GetUID() == noConfiguration {
		return Handle[provider.Server]{}, false
	}
	allowed, err := r.Admission.allows(ctx, config, namespace)
	switch {
	case err != nil:
		return Refuse[provider.Server](name,
			diagnostic.Errorf("Provider configuration not usable", "It cannot be determined whether namespace %s "+
				"may use %s %q: %s.", namespace, config.GetKind(), config.GetName(), err)), true
	case !allowed:
		out := Refuse[provider.Server](name,
			diagnostic.Errorf("Provider configuration not allowed",
				"Resources of namespace %s may not use the %s %q. Have the namespace added to its spec.%s, or name "+
					"another configuration in spec.providerConfigRef.",
				namespace, config.GetKind(), config.GetName(), model.AllowedNamespaces))
		out.Denied = true
		return out, true
	}
	return Handle[provider.Server]{}, false
}

// Admitted returns those users of a configuration that may use it.
func (r *Resolver) Admitted(ctx context.Context, of Reference, users []User) ([]User, error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(r.Provider.Group + "/" + r.Provider.Version)
	u.SetKind(of.Kind)
	if err := r.Client.Get(ctx, types.NamespacedName{Namespace: of.Namespace, Name: of.Name}, u, client.UnsafeDisableDeepCopy); err != nil {
		return users, client.IgnoreNotFound(err)
	}
	return r.Admission.admitted(ctx, u, users), nil
}

// Forget drops a configuration from memory, with its secrets.
func (r *Resolver) Forget(key Reference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.resolved, key)
	delete(r.failed, key)
	delete(r.tokens, key)
	if r.Uses != nil {
		r.Uses(key, nil)
	}
}

// Reread has the Secrets of a configuration read again when it is resolved next.
func (r *Resolver) Reread(key Reference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failed, key)
	if known := r.resolved[key]; known != nil {
		old := *known
		old.read = time.Time{}
		r.resolved[key] = &old
	}
}

// holds reports whether r is a reading of u that is not older than ttl, nor than its tokens.
func (r *resolved) holds(u *unstructured.Unstructured, ttl time.Duration) bool {
	return r != nil && r.uid == u.GetUID() && r.version == u.GetResourceVersion() && time.Since(r.read) < ttl &&
		(r.tokens == nil || r.tokens.renewed.Load() == r.renewed)
}

// after returns the failure of a configuration that r is the last usable reading of; r may be nil.
func (r *resolved) after(failure Handle[provider.Server]) Handle[provider.Server] {
	if r == nil {
		return failure
	}
	return failure.WithLast(r.handle)
}

func (r *Resolver) nothingToConfigure() bool {
	return len(r.Provider.Schema.Config.Attributes) == 0 && len(r.Provider.Schema.Config.Blocks) == 0
}

func (r *Resolver) handle(
	ctx context.Context, name string, of Reference, u *unstructured.Unstructured,
) (Handle[provider.Server], *tokens, pool.Key) {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	var secrets []string
	var names []types.NamespacedName
	configured, diags := translate.ProviderConfiguration(r.Provider, spec, func(ref translate.SecretKeySelector) ([]byte, error) {
		if of.Namespace != "" {
			ref.Namespace = of.Namespace // a namespaced configuration reads its own namespace only
		}
		if name := (types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}); !slices.Contains(names, name) {
			names = append(names, name)
		}
		b, err := ReadSecret(ctx, r.Live, ref)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, string(b))
		return b, nil
	})
	config := configured.Value
	if r.Uses != nil {
		r.Uses(of, names)
	}
	if diags.HasErrors() {
		out := Refuse[provider.Server](name, r.spell(diags))
		out.Secrets = secrets
		return out, nil, pool.Key{}
	}
	specs, err := tokenSpecs(of, spec, r.Launcher)
	common := account(u, config, r.Launcher, specs, cmp.Or(r.AccountKey, ownAccountKey))
	c := pool.Configuration{Launcher: r.Launcher, Config: config, Namespace: of.Namespace, Name: name, Limits: r.Limits}
	var t *tokens
	if err == nil && len(specs) > 0 {
		t, err = r.withTokens(ctx, of, specs, &c)
	}
	if err != nil {
		out := Refuse[provider.Server](name,
			diagnostic.Errorf("Provider configuration not usable", "spec.%s of the provider configuration: %s.",
				model.ServiceAccountTokens, err))
		out.Secrets = secrets
		return out, nil, pool.Key{}
	}
	if t != nil {
		secrets = append(secrets, t.values()...)
	}
	c.Secrets = secrets
	key := pool.Prepare(c)
	stored := storedAccount(name, u, configured, r.Provider, r.AccountKey)
	if common.Content != "" {
		common.Arguments = stored.Configurations()[""].Arguments
	}
	return Handle[provider.Server]{
		Name: name, Objects: []policy.Configuration{policy.ConfigurationOf(of.Kind, u)}, Account: common,
		Stored:  stored,
		Secrets: secrets, Acquire: r.acquire(key), With: r.with(c),
		Paused:   func() bool { return r.Pool.Paused(key) },
		Approval: desired.ParseApproval(u.GetAnnotations()[v1alpha1.AnnotationApprovalPolicy]),
	}, t, key
}

// withTokens requests the tokens of a configuration, and adds them to it.
func (r *Resolver) withTokens(ctx context.Context, of Reference, specs []tokenSpec, c *pool.Configuration) (*tokens, error) {
	if r.RequestToken == nil {
		return nil, errors.New("only the controller requests tokens of ServiceAccounts")
	}
	r.mu.Lock()
	t := r.tokens[of]
	if t == nil || !equality.Semantic.DeepEqual(t.specs, specs) {
		t = newTokens(specs, r.RequestToken)
		if r.tokens == nil {
			r.tokens = map[Reference]*tokens{}
		}
		r.tokens[of] = t
	}
	r.mu.Unlock()
	config, err := withFiles(c.Config, t.paths())
	if err != nil {
		return nil, err
	}
	c.Config, c.Launcher = config, tokenLauncher{c.Launcher, t}
	if r.Pool.Paused(pool.Prepare(*c)) {
		t.renewRefused()
	}
	return t, t.refresh(ctx)
}

// spell moves attribute paths into the text, since they are not paths of the resource that reports
// the diagnostics.
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

func (r *Resolver) acquire(key pool.Key) func(context.Context) (provider.Server, func(), diagnostic.Diagnostics) {
	return func(ctx context.Context) (provider.Server, func(), diagnostic.Diagnostics) {
		lease, diags := lease(ctx, r.Pool, key)
		if diags.HasErrors() {
			return nil, nil, r.spell(diags)
		}
		return lease.Server(), lease.Release, diags
	}
}

// with returns a function that leases servers with further settings.
func (r *Resolver) with(c pool.Configuration) func(context.Context, cty.Value) (provider.Server, func(), diagnostic.Diagnostics) {
	return func(ctx context.Context, settings cty.Value) (provider.Server, func(), diagnostic.Diagnostics) {
		arguments := c.Config.AsValueMap()
		for name := range arguments {
			if !settings.Type().HasAttribute(name) {
				continue
			}
			v := settings.GetAttr(name)
			if b := r.Provider.Schema.Config.Blocks[name]; !v.IsNull() && (b == nil || !v.RawEquals(b.EmptyValue())) {
				arguments[name] = v
			}
		}
		with := c
		with.Config = cty.ObjectVal(arguments)
		return r.acquire(pool.Prepare(with))(ctx)
	}
}

// lease waits for a server, unless the context has a Visit.
func lease(ctx context.Context, p *pool.Pool, key pool.Key) (*pool.Lease, diagnostic.Diagnostics) {
	v := visitFrom(ctx)
	if v == nil {
		return p.Acquire(ctx, key)
	}
	v.pool, v.key, v.user = p, key, provider.UserOf(ctx)
	l, f := p.TryAcquire(ctx, key)
	if v.failure = f; f != nil {
		return nil, f.Diagnostics
	}
	return l, nil
}
