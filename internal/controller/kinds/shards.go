package kinds

import (
	"context"
	"fmt"
	"strings"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/model"
)

// endInterval is the interval at which the table of shards is cleared of what nothing needs. All
// resources are read for that.
const endInterval = 5 * time.Minute

// Ending clears the table of shards of what nothing needs any more. It is a manager.Runnable of one
// replica.
type Ending struct {
	Runtime   *Runtime
	Placement Placement
}

// Placement is the table of shards as it is stored, see sharding.Placement.
type Placement interface {
	Now() shard.Table
	End(ctx context.Context, uses []shard.Use) error
	RemoveAbandoned(ctx context.Context) error
}

// Start implements manager.Runnable.
func (e *Ending) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(endInterval):
		}
		if err := e.once(ctx); err != nil && ctx.Err() == nil {
			e.Runtime.Logger.Error(err, "The table of shards keeps what nothing needs any more")
		}
	}
}

func (e *Ending) once(ctx context.Context) error {
	uses, complete, err := e.uses(ctx)
	if err != nil || !complete {
		return err
	}
	if err := e.Placement.End(ctx, uses); err != nil {
		return err
	}
	return e.Placement.RemoveAbandoned(ctx)
}

// uses returns what resources use, and the configurations in the table that exist. It is not
// complete as long as the controllers of some kinds do not run.
func (e *Ending) uses(ctx context.Context) (uses []shard.Use, complete bool, _ error) {
	select {
	case <-e.Runtime.Registry.Settled():
	default:
		return nil, false, nil
	}
	running, used := map[string]bool{}, map[string]bool{}
	for _, k := range e.Runtime.Registry.running() {
		of, err := k.Uses(ctx)
		if err != nil {
			return nil, false, fmt.Errorf("cannot list the resources of kind %s: %w", k.Model.Kind, err)
		}
		uses, running[k.Model.CRDName()] = append(uses, of...), true
	}
	for _, k := range e.Runtime.Registry.runningResults() {
		of, err := k.Uses(ctx)
		if err != nil {
			return nil, false, fmt.Errorf("cannot list the objects of kind %s: %w", k.Model.Kind, err)
		}
		uses, running[k.Model.CRDName()] = append(uses, of...), true
	}
	defined, err := ListCRDs(ctx, e.Runtime.Manager.GetClient(), client.HasLabels{v1alpha1.LabelProvider})
	if err != nil {
		return nil, false, fmt.Errorf("cannot list the CRDs of kinds: %w", err)
	}
	for _, d := range defined {
		plural, _, _ := strings.Cut(d.Name, ".")
		own := d.Labels[v1alpha1.LabelProvider] == OwnCRDs || plural == configs || plural == clusterConfigs
		if !own && !running[d.Name] {
			return nil, false, nil
		}
	}
	for _, u := range uses {
		for _, name := range u.Configurations {
			used[name] = true
		}
	}
	for name := range e.Placement.Now().Configurations {
		if used[name] {
			continue
		}
		exists, err := e.exists(ctx, name)
		if err != nil {
			return nil, false, fmt.Errorf("cannot tell whether the provider configuration %s exists: %w", name, err)
		}
		if exists {
			uses = append(uses, shard.Use{Configurations: []string{name}})
		}
	}
	return uses, true, nil
}

// exists reports whether a provider configuration exists, by its name in the table:
// GROUP/KIND/NAMESPACE/NAME.
func (e *Ending) exists(ctx context.Context, name string) (bool, error) {
	parts := strings.Split(name, "/")
	if len(parts) != 4 || parts[1] != model.ProviderConfigKind && parts[1] != model.ClusterProviderConfigKind {
		return false, nil
	}
	mapping, err := e.Runtime.Manager.GetRESTMapper().RESTMapping(schema.GroupKind{Group: parts[0], Kind: parts[1]})
	if meta.IsNoMatchError(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(mapping.GroupVersionKind)
	err = e.Runtime.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: parts[2], Name: parts[3]}, o)
	switch {
	case kerrors.IsNotFound(err), kerrors.IsInvalid(err), kerrors.IsBadRequest(err):
		return false, nil
	}
	return err == nil, err
}
