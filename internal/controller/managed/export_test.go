package managed

import (
	"context"
	"errors"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// ResourceClient is the client of a kind's resources.
type ResourceClient = resourceClient

// NewResourceClient returns the client of a kind over a given one.
func NewResourceClient(c client.Client, gvk schema.GroupVersionKind) *ResourceClient {
	return &resourceClient{cached: c, live: c, gvk: gvk, tracked: newResources()}
}

// Client returns the client of a kind over a given one, and begins the kind's memory anew.
func Client(k *Kind, c client.Client) *ResourceClient {
	k.tracked, k.live = newResources(), c
	return k.client(c, c)
}

// Read is read.
func (c *resourceClient) Read(ctx context.Context, name types.NamespacedName) (*CustomResource, error) {
	return c.read(ctx, name)
}

// Update is update.
func (c *resourceClient) Update(ctx context.Context, r *CustomResource) error {
	return c.update(ctx, r)
}

// UpdateStatus is updateStatus.
func (c *resourceClient) UpdateStatus(ctx context.Context, r *CustomResource) error {
	return c.updateStatus(ctx, r)
}

// SameStatus is sameStatus.
var SameStatus = sameStatus

// NeverSettles is the condition NeverSettles.
var NeverSettles = neverSettles

// Readers sets where a kind reads its resources: the cache and the API server.
func Readers(k *Kind, cached, live client.Reader) { k.reader, k.live = cached, live }

// MayWrite returns when something may be written for the resource of a request, as far as others
// are concerned.
func MayWrite(ctx context.Context, k *Kind, r scheduler.Request) error {
	return (&external{connector: &connector{kind: k}, request: r}).mayWrite(ctx)
}

// RemoveFinalizer releases a resource.
func RemoveFinalizer(ctx context.Context, k *Kind, c client.Client, r *CustomResource) error {
	of := Client(k, c)
	return (&finalizer{kind: k, client: of, connector: &connector{kind: k, client: of}}).remove(ctx, r)
}

// Describe describes an operation for the change record, as those of a resource with secrets are.
func Describe(k *Kind, secrets []string, before, after instance.Instance, diags diagnostic.Diagnostics) ([]history.Change, string) {
	return (&connector{kind: k}).describer(&CustomResource{secrets: secrets})(before, after, diags)
}

// FailToResolve tells, as the loop does, that references cannot be resolved.
func FailToResolve(k *Kind, r *CustomResource, err error) {
	(&Reconciler{kind: k}).tell(r, event.Warning(resolving.reason, err))
	r.setFailed(resolving.message + err.Error())
}

// FailToObserve tells, as the loop does, that an object cannot be observed.
func FailToObserve(k *Kind, r *CustomResource, err error) {
	(&Reconciler{kind: k}).tell(r, event.Warning(observing.reason, err))
}

// Fail sets the condition Synced after a failure.
func Fail(r *CustomResource, message string) { r.setFailed(message) }

// Succeed sets the condition Synced when nothing has failed.
func Succeed(r *CustomResource) { r.setSynced() }

// Configure translates the configuration of a resource.
func Configure(ctx context.Context, k *Kind, r *CustomResource) error {
	spec, _ := k.read(r)
	_, diags := k.translated(ctx, r, spec)
	if diags.HasErrors() {
		return errors.New(diags.String())
	}
	return nil
}

// Observed sets the observation that the status of a resource is made from.
func Observed(r *CustomResource, o *scheduler.Observation) { r.observation = o }

// Sizes returns of how many resources a kind remembers something, and of how many of them the
// configuration, the status and failures.
func Sizes(k *Kind) (out [4]int) {
	k.tracked.each(func(x tracked) {
		for i, known := range []bool{true, x.configuration != nil, x.status != writtenStatus{}, x.trouble != nil} {
			if known {
				out[i]++
			}
		}
	})
	return out
}

// Forget forgets a resource of a client's kind.
func Forget(c *ResourceClient, name types.NamespacedName) { c.tracked.forget(name) }

// Apart is a kind as previews of a resource have it.
func Apart(k *Kind, r *CustomResource) *Kind { return k.preview(r).kind }

// Received passes an object of the cache to a client of a kind.
func Received(c *ResourceClient, u *unstructured.Unstructured) { c.tracked.received(u, false) }

// Kept are the resources that a client of a kind keeps because the cache may lag behind.
func Kept(c *ResourceClient) (out []*unstructured.Unstructured) {
	c.tracked.each(func(x tracked) {
		if x.written != nil {
			out = append(out, x.written)
		}
	})
	return out
}

// TurnsOf returns the turns of a kind.
func TurnsOf(k *Kind) *turns.Turns { return k.turns }

// BeginClaims has the resources kept that are received, as when a kind starts.
func BeginClaims(k *Kind) { k.tracked.start() }

// ClaimAll is claimAll.
func ClaimAll(ctx context.Context, r *Reconciler, listed func(context.Context) error) {
	r.claimAll(ctx, listed)
}

// What is made of a kind.
var (
	SpellImport     = spellImport
	IdentityHistory = identityHistory
	Awaited         = awaited
)

// FailFor has a failed Synced condition show a reason.
func FailFor(r *CustomResource, reason xpv2.ConditionReason) { r.reason = reason }

// Request returns what the scheduler is asked for a resource. secrets reads Secrets.
func Request(ctx context.Context, k *Kind, r *CustomResource, secrets client.Reader) (scheduler.Request, diagnostic.Diagnostics) {
	k.tracked, k.live = newResources(), secrets
	spec, invalid := k.read(r)
	req, diags := (&connector{kind: k}).request(ctx, r, spec)
	return req, append(invalid, diags...)
}

// RequestUnchanged is Request after the resource was found unchanged.
func RequestUnchanged(ctx context.Context, k *Kind, r *CustomResource) (scheduler.Request, diagnostic.Diagnostics) {
	k.tracked.shrink(subjectOf(&r.Unstructured))
	spec, _ := k.read(r)
	return (&connector{kind: k}).request(ctx, r, spec)
}

// Lent is a custom resource as it was read, which must not be changed.
func Lent(u *unstructured.Unstructured) *CustomResource {
	r := &CustomResource{}
	r.lend(u)
	return r
}

// ResourceOf is a custom resource as it was read.
func ResourceOf(u *unstructured.Unstructured) *CustomResource {
	r := &CustomResource{}
	r.assign(u)
	return r
}

// SetStatus sets the status of a resource from an observation.
func SetStatus(k *Kind, r *CustomResource, o *scheduler.Observation) {
	k.tracked = newResources()
	(&external{connector: &connector{kind: k}}).setStatus(context.Background(), r, o)
}

// SetUnobserved sets what is known of a resource that could not be observed.
func SetUnobserved(k *Kind, r *CustomResource) {
	(&external{connector: &connector{kind: k}}).setUnobserved(r)
}

// EncodeConditions is EncodeConditions.
func EncodeConditions(r *CustomResource) error { return r.EncodeConditions() }

// SetProgress sets Reconciling and Stalled from the other conditions. requested is set when an
// operation was requested, and secretMissing when a Secret cannot be read.
func SetProgress(r *CustomResource, o *scheduler.Observation, requested, secretMissing bool) {
	r.observation, r.requested, r.secretMissing = o, requested, secretMissing
	r.setProgress()
}

// Poll returns the interval until a resource is reconciled again, with jitter.
func Poll(k *Kind, o metav1.Object) time.Duration { return k.poll(o) }

// Explain sets the conditions of a resource that cannot be observed, and returns the user's
// message.
func Explain(k *Kind, r *CustomResource, err error) error {
	k.tracked, k.Options.Recorder, k.Options.Poll = newResources(), event.NewNopRecorder(), time.Minute
	return (&connector{kind: k}).explain(context.Background(), r, err)
}

// MoveFrom returns the resource whose object another one takes over.
func MoveFrom(ctx context.Context, k *Kind, r *CustomResource) *scheduler.MoveFrom {
	return k.moveFrom(ctx, r)
}

// Differs sets what is told of fields that do not follow their references, and reports whether the
// status has to change.
func Differs(r *CustomResource, what ...string) bool {
	r.differs = what
	return r.differsOtherwise()
}

// ListRefresh returns how an unchanged object of a resource is looked at by listing, and what
// changes when a look is asked for.
func ListRefresh(k *Kind, u *unstructured.Unstructured) (*scheduler.ListRefresh, string) {
	r := &CustomResource{}
	r.assign(u)
	return k.listRefresh(r), lookRequested(r)
}

// Claim makes a kind as if the objects of all its resources were claimed.
func Claim(k *Kind) { close(k.claimed) }

// ConfigSum is the hash of a configuration with values of Secrets.
func ConfigSum(secrets map[translate.SecretKeySelector]string) string {
	return (&configuration{secrets: secrets}).sum("")
}

// Use is use.
func Use(k *Kind, u *unstructured.Unstructured) shard.Use { return k.use(u) }

// Active is active.
func Active(k *Kind, configurations []string) bool { return k.active(configurations) }

// SetRetryAt sets when a failed operation is tried again.
func SetRetryAt(r *CustomResource, at time.Time) { r.retryAt = at }

// AfterChanges is afterChanges.
var AfterChanges = afterChanges

// ReplacesDependentsOf is replacesDependents.
func (k *Kind) ReplacesDependentsOf(u *unstructured.Unstructured) bool {
	return k.replacesDependents(u)
}

// Decide is wanted.decide, of a replacement that is for an id. It returns what the replacement
// becomes, and why the step waits.
func Decide(
	id string, step scheduler.ReplacementStep, action terraform.Action, stored managed.Replacement, answers Answers,
) (*managed.Replacement, error) {
	v := verdict{waiting: answers.Waiting, refused: answers.Refused, replaced: answers.Replaced, destroys: len(answers.Replaced) > 0}
	return wanted{id, step, action}.decide(&stored, v, "new")
}

// Answers are what dependents answer to a replacement.
type Answers struct {
	Waiting, Refused []string
	Replaced         []managed.ReplacedDependent
}

// TaintedMessage is taintedMessage.
var TaintedMessage = taintedMessage

// ChangesField is changesField.
var ChangesField = changesField

// Changing returns which targets of a resource an operation changes.
func Changing(ctx context.Context, k *Kind, u *unstructured.Unstructured, targets ...store.Key) ([]store.Key, error) {
	r := &CustomResource{}
	r.assign(u)
	before := r.unresolved()
	if _, err := (references.Resolver{Reader: k.reader, Served: k.Neighbours.Served}).ResolveAll(ctx, &r.Unstructured, k.Model); err != nil {
		return nil, err
	}
	return referrer{kind: k}.changing(ctx, r, before, targets)
}
