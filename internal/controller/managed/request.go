package managed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// configurations remembers the translated configuration of each resource, for as long as
// neither its generation nor the Secrets it refers to have changed.
type configurations struct {
	mu     sync.Mutex
	byUID  map[types.UID]*configuration
	reader client.Reader
}

type configuration struct {
	generation int64
	// externalName is what the object is called, where that is part of the configuration.
	externalName string
	secrets      map[translate.SecretKeySelector]string
	config       *terraform.Config
	hash         string
}

func newConfigurations(reader client.Reader) *configurations {
	return &configurations{byUID: map[types.UID]*configuration{}, reader: reader}
}

func (c *configurations) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byUID, uid)
}

// get translates the resource's spec, unless that was done before.
func (c *configurations) get(ctx context.Context, k *Kind, r *CustomResource) (*configuration, diagnostic.Diagnostics) {
	about, name := k.about(r), ""
	if k.namedBySpec() {
		name = about.ExternalName
	}
	c.mu.Lock()
	known := c.byUID[r.GetUID()]
	c.mu.Unlock()
	if known != nil && known.generation == r.GetGeneration() && known.externalName == name && c.sameSecrets(ctx, known.secrets) {
		for _, value := range known.secrets {
			r.secrets = append(r.secrets, value)
		}
		return known, nil
	}
	out := &configuration{generation: r.GetGeneration(), externalName: name, secrets: map[translate.SecretKeySelector]string{}}
	read := func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = r.GetNamespace() // a resource reads its own namespace only
		b, err := providerconfig.ReadSecret(ctx, c.reader, ref)
		if err == nil {
			out.secrets[ref] = string(b)
			r.secrets = append(r.secrets, string(b))
		}
		return b, err
	}
	translated, diags := translate.Desired(k.Model, about, read)
	if diags.HasErrors() {
		return nil, diags
	}
	lifecycle := r.object("spec", "lifecycle")
	out.config = &terraform.Config{
		Value:          translated.Value,
		SensitivePaths: translated.SensitivePaths,
		// What only initProvider says holds at creation; afterwards it is left to others.
		IgnoreChanges: terraform.IgnoreChanges{Paths: translate.InitOnly(k.Model, about.ForProvider, about.InitProvider)},
	}
	out.config.CreateBeforeDestroy, _ = lifecycle["createBeforeDestroy"].(bool)
	ignored, _, _ := unstructured.NestedStringSlice(lifecycle, "ignoreChanges")
	all, paths, diags := translate.IgnoreChanges(k.Model, ignored)
	if diags.HasErrors() {
		return nil, diags
	}
	out.config.IgnoreChanges.All = all
	out.config.IgnoreChanges.Paths = append(out.config.IgnoreChanges.Paths, paths...)
	if f := k.Model.Settings.Argument; f != nil {
		// It is the same whether or not it is written down yet.
		if v := translated.Value.GetAttr(f.Name); !v.IsNull() {
			name = v.AsString()
		}
	}
	out.hash = out.sum(name)
	c.mu.Lock()
	c.byUID[r.GetUID()] = out
	c.mu.Unlock()
	return out, nil
}

// sum changes with the generation, with what the object is called, where that is part of the
// configuration, and with the referred Secrets.
func (c *configuration) sum(name string) string {
	if len(c.secrets) == 0 && name == "" {
		return fmt.Sprint(c.generation)
	}
	h := sha256.New()
	h.Write([]byte(name))
	for ref, value := range c.secrets {
		one := sha256.Sum256([]byte(ref.Name + "\x00" + ref.Key + "\x00" + value))
		h.Write(one[:])
	}
	return fmt.Sprintf("%d-%s", c.generation, hex.EncodeToString(h.Sum(nil)))
}

func (c *configurations) sameSecrets(ctx context.Context, secrets map[translate.SecretKeySelector]string) bool {
	for ref, value := range secrets {
		b, err := providerconfig.ReadSecret(ctx, c.reader, ref)
		if err != nil || string(b) != value {
			return false
		}
	}
	return true
}

// request is what the scheduler needs to know of the resource.
func (c *connector) request(ctx context.Context, r *CustomResource) (scheduler.Request, diagnostic.Diagnostics) {
	k := c.kind
	req, diags := c.subject(ctx, r)
	if diags.HasErrors() || req.Deleted {
		return req, diags
	}
	if !r.allows(xpv2.ManagementActionCreate) && !r.allows(xpv2.ManagementActionUpdate) && !complete(k, r) {
		return req, nil // what is only observed need not be described, and then there is nothing to compare
	}
	config, diags := k.configurations.get(ctx, k, r)
	if diags.HasErrors() {
		return req, diags
	}
	req.Config, req.ConfigHash = config.config, config.hash
	return req, nil
}

// subject is the request without what the object is to be. With errors it still says which
// resource it is, and what that is about.
func (c *connector) subject(ctx context.Context, r *CustomResource) (scheduler.Request, diagnostic.Diagnostics) {
	k := c.kind
	req := scheduler.Request{
		Key: k.key(&r.Unstructured),
		UID: r.GetUID(), Generation: r.GetGeneration(), Created: r.GetCreationTimestamp().Time,
		Resource:      terraform.ResourceType{Schema: k.Model.Schema},
		New:           untouched(r),
		Deleted:       meta.WasDeleted(r),
		ConfirmCreate: r.GetAnnotations()[v1alpha1.AnnotationConfirmCreate],
		Asked:         asked(r),
		SpellImport:   spellImport(k),
	}
	lifecycle := r.object("spec", "lifecycle")
	req.Policies = policies(r, lifecycle)
	var diags diagnostic.Diagnostics
	req.Timeouts, diags = timeouts(lifecycle)
	req.DefaultTimeouts = defaultTimeouts(k.Model.Settings.Timeouts)

	handle := k.ProviderConfigs.Resolve(ctx, r.GetProviderConfigReference(), r.GetNamespace())
	if req.Deleted {
		handle = handle.Last()
	}
	req.Acquire, req.ProviderConfiguration = handle.Acquire, handle.Name
	r.secrets = slices.Clone(handle.Secrets)

	known, unknown := knownTarget(k, r)
	diags = append(diags, unknown...)
	if known != nil {
		req.Known = &desired.KnownObject{
			Target: *known, Recognize: recognize(k, known, meta.GetExternalName(r)), Observed: r.object("status", "atProvider") != nil,
		}
	}
	if req.Deleted {
		return req, diags // there is nothing to import any more
	}
	req.Import.Target, req.Import.Invalid = importTarget(k, r)
	if handle.Diagnostics.HasErrors() {
		r.reason = v1alpha1.ReasonProviderConfig
		return req, handle.Diagnostics
	}
	return req, diags
}

// policies returns what spec.managementPolicies and spec.lifecycle permit.
func policies(r *CustomResource, lifecycle map[string]any) desired.Policies {
	create, update, del := r.allows(xpv2.ManagementActionCreate), r.allows(xpv2.ManagementActionUpdate), r.allows(xpv2.ManagementActionDelete)
	return desired.Policies{
		Manage: create || update || del, Create: create, Delete: del,
		Replace:        create && del && lifecycle["replacePolicy"] != "Never",
		ReplaceTainted: lifecycle["taintPolicy"] != "Keep",
	}
}

// defaultTimeouts are those of the kind's configuration.
func defaultTimeouts(t config.Timeouts) desired.Timeouts {
	return desired.Timeouts{
		Create: ptr.Deref(t.Create, metav1.Duration{}).Duration,
		Update: ptr.Deref(t.Update, metav1.Duration{}).Duration,
		Delete: ptr.Deref(t.Delete, metav1.Duration{}).Duration,
	}
}

// timeouts are those of spec.lifecycle. The CRD lets through nothing but Go durations.
func timeouts(lifecycle map[string]any) (desired.Timeouts, diagnostic.Diagnostics) {
	var out desired.Timeouts
	values, _ := lifecycle["timeouts"].(map[string]any)
	for name, t := range map[string]*time.Duration{"create": &out.Create, "update": &out.Update, "delete": &out.Delete} {
		text, ok := values[name].(string)
		if !ok {
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return out, diagnostic.Errorf("Invalid timeout", "spec.lifecycle.timeouts.%s is %q. Give a duration such as 30m or 1h30m.", name, text)
		}
		*t = d
	}
	return out, nil
}

// asked are the tokens of what is asked for by annotation.
func asked(r *CustomResource) store.Tokens {
	a := r.GetAnnotations()
	return store.Tokens{Taint: a[v1alpha1.AnnotationTaint], Untaint: a[v1alpha1.AnnotationUntaint], Retry: a[v1alpha1.AnnotationRetry]}
}

// fresh is how long a resource is taken for one that nothing was begun for yet.
const fresh = 30 * time.Second

// untouched says whether nothing was begun for the resource, as far as it shows: no finalizer
// of ours, or just the one that the API server put on by itself, and no status. A process that
// died at the wrong moment makes this wrong, which the scheduler finds out.
func untouched(r *CustomResource) bool {
	if !held(r) {
		return true
	}
	_, told := r.Object["status"]
	return !told && !meta.FinalizerExists(r, xpmanaged.FinalizerName) && !meta.WasDeleted(r) && time.Since(r.GetCreationTimestamp().Time) < fresh
}

// complete says whether the spec has all the fields that the schema requires.
func complete(k *Kind, r *CustomResource) bool {
	forProvider, initProvider := r.object("spec", "forProvider"), r.object("spec", "initProvider")
	for _, f := range k.Model.Root().Object.Settable() {
		if !f.Required || !f.Input {
			continue
		}
		_, always := forProvider[f.InputName()]
		_, initially := initProvider[f.InputName()]
		if !always && !initially {
			return false
		}
	}
	return true
}

// importTarget is what spec.import asks for.
func importTarget(k *Kind, r *CustomResource) (*terraform.ImportTarget, diagnostic.Diagnostics) {
	imp := r.object("spec", "import")
	if imp == nil {
		return nil, nil
	}
	if id, ok := imp["id"].(string); ok && id != "" {
		return &terraform.ImportTarget{ID: id, Identity: cty.NilVal}, nil
	}
	identity, ok := imp["identity"].(map[string]any)
	if !ok {
		return nil, diagnostic.Errorf("Invalid spec.import", "Give exactly one of spec.import.id and spec.import.identity.")
	}
	v, diags := translate.ImportIdentity(k.Model, identity)
	if diags.HasErrors() {
		var spelled diagnostic.Diagnostics
		for _, d := range diags.Errors() {
			spelled = append(spelled, diagnostic.Errorf(d.Summary, "%s: %s", translate.IdentityPath(k.Model, d.Attribute), d.Detail)...)
		}
		return nil, spelled
	}
	return &terraform.ImportTarget{Identity: v}, nil
}

// knownTarget is where the resource's annotations say that its object is. Used only when
// nothing is stored of it: its state was lost, or the annotation was set to adopt the object.
func knownTarget(k *Kind, r *CustomResource) (*terraform.ImportTarget, diagnostic.Diagnostics) {
	annotations := r.GetAnnotations()
	if raw := annotations[v1alpha1.AnnotationIdentity]; raw != "" && k.Model.Schema.Identity != nil {
		var identity map[string]any
		if utiljson.Unmarshal([]byte(raw), &identity) == nil {
			if v, diags := translate.ImportIdentity(k.Model, identity); !diags.HasErrors() {
				return &terraform.ImportTarget{Identity: v}, nil
			}
		}
	}
	name := meta.GetExternalName(r)
	if name == "" {
		return nil, nil
	}
	if s := k.Model.Schema.Identity; s != nil && len(s.Required()) > 1 {
		if v := translate.ParseIdentity(k.Model, name); v != cty.NilVal {
			return &terraform.ImportTarget{Identity: v}, nil
		}
	}
	id, diags := k.importID(r)
	if diags.HasErrors() {
		return nil, diags
	}
	return &terraform.ImportTarget{ID: id, Identity: cty.NilVal}, nil
}
