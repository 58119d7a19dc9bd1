package action

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Kind is the kind of one action, with the dependencies of its controller. Its executor is a
// terraform.ActionInvoker.
type Kind struct {
	unmanaged.Kind
	// Runs are the attempts of all kinds that this process carries out.
	Runs *Runs
	// PlanKey is the key of the hashes of plans. Without it, a hash would let sensitive arguments
	// be guessed.
	PlanKey []byte
	// Providers are the names of the TerraformProvider, for pauses.
	Providers []string
	// Recorded is called with each attempt that has ended, after that is stored, as an entry of a
	// change record. It may be nil.
	Recorded func(store.Key, history.Entry)

	looks unmanaged.Memory[look]
}

// look is what is remembered of an object between reconciles.
type look struct {
	// unsure is the record of an attempt that was not requested, because the API server did not
	// confirm that it is stored.
	unsure invocation.Record
	// uninvoked are the attempts in a row that the provider was not asked for after all, and at is
	// when the last one ended.
	uninvoked int
	at        time.Time
}

// now has the precision of a status.
func (k *Kind) now() time.Time { return k.Clock.Now().UTC().Truncate(time.Second) }

// WakePending wakes the objects whose invocation has not begun: policies or pauses have changed.
func (k *Kind) WakePending(ctx context.Context) {
	k.WakeAll(ctx, "wait", func(u *unstructured.Unstructured) bool { return recordOf(u).Phase != invocation.Succeeded })
}

// Users returns the objects of the kind that use a provider configuration: those that are not over.
func (k *Kind) Users(ctx context.Context, ref providerconfig.Reference) ([]providerconfig.User, error) {
	return k.UsersOf(ctx, ref, func(u *unstructured.Unstructured) bool { return !over(u) })
}

// Gone implements unmanaged.Looker.
func (r *Reconciler) Gone(name types.NamespacedName) { r.kind.looks.Forget(name) }
