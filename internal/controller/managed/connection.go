package managed

import (
	"context"
	"fmt"
	"maps"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// connectionDetails returns the content of the connection Secret; nil if there is none, or no
// object.
func (e *external) connectionDetails(r *CustomResource, o *scheduler.Observation) (xpmanaged.ConnectionDetails, error) {
	if !published(r) || !o.Exists() {
		return nil, nil
	}
	subject := e.spec.Subject
	subject.ExternalName = translate.ExternalName(e.kind.Model, o.Instance.State, o.Instance.Identity)
	extra, err := translate.ExtraConnectionDetails(e.kind.Model, subject, o.Instance.State)
	if err != nil {
		return nil, fmt.Errorf("cannot make the connection details of the kind's configuration: %w", err)
	}
	out := xpmanaged.ConnectionDetails{}
	maps.Copy(out, extra)
	maps.Copy(out, translate.ConnectionDetails(e.kind.Model, o.Instance.State)) // the object's own details win
	return out, nil
}

// publish writes the connection Secret, if there is anything to write.
func (r *Reconciler) publish(ctx context.Context, mg *CustomResource, details xpmanaged.ConnectionDetails) error {
	if details == nil {
		return nil
	}
	_, err := r.secrets.PublishConnection(ctx, mg, details)
	return err
}
