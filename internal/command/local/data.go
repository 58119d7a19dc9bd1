package local

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Data sources of the manifest are read as by Terraform: while the plan is made, if all of their
// arguments are known and nothing that they refer to is going to change, and otherwise when that
// was applied. They are no changes, and are not in the state.

// isData reports whether a resource of the manifest is a data source.
func (r *ManifestResource) isData() bool { return r.Model.Mode == model.Data }

// readData reads a data source of the manifest, unless that was done or arguments are not known
// yet.
func (s *Session) readData(ctx context.Context, r *ManifestResource) Messages {
	x := s.resolver()
	if x.read[r] {
		return nil
	}
	read, messages := s.ReadData(ctx, r, r.object)
	if read {
		x.read[r] = true
		x.settled(r)
	}
	return messages
}

// ReadData reads a data source, unless arguments are not known yet, and sets in its object what
// others may refer to. It reports whether it has read it.
func (s *Session) ReadData(ctx context.Context, r *ManifestResource, object *unstructured.Unstructured) (bool, Messages) {
	unstructured.RemoveNestedField(object.Object, "status", "atProvider")
	if r.Config == nil || !r.Config.Value.IsWhollyKnown() {
		return false, nil
	}
	ex, release, messages := s.acquire(ctx, r)
	if messages.HasErrors() {
		return false, messages
	}
	defer release()
	reader, ok := ex.(terraform.DataReader)
	if !ok {
		return false,
			append(
				messages,
				s.say(r, diagnostic.Errorf("Data source not read",
					"Data sources cannot be read with this way of execution."))...,
			)
	}
	data, diags := reader.ReadData(ctx, r.terraform(), r.Config.Value)
	if messages = append(messages, s.say(r, diags)...); diags.HasErrors() {
		return false, messages
	}
	r.Model.Root().Secrets(data.Value, s.Manifest.secrets.AddValue)
	foresee(object, r.Model, instance.Instance{State: data.Value, SensitivePaths: r.Config.SensitivePaths})
	return true, messages
}

// planData reads a data source while the plan is made, unless it has to wait.
func (s *Session) planData(ctx context.Context, r *ManifestResource) Messages {
	if s.waits(r) {
		s.resolver().pending = append(s.resolver().pending, r)
		return nil
	}
	return s.readData(ctx, r)
}

// waits reports whether something that a data source refers to is going to change.
func (s *Session) waits(r *ManifestResource) bool {
	return slices.ContainsFunc(s.resolver().pending, func(to *ManifestResource) bool { return to != r && refersTo(r, to) })
}

// settled notes that nothing waits for a resource any more.
func (x *resolver) settled(r *ManifestResource) {
	x.pending = slices.DeleteFunc(x.pending, func(p *ManifestResource) bool { return p == r })
}

// readAwaited reads the data sources that had to wait while the plan was made, as far as their
// arguments are known now.
func (s *Session) readAwaited(ctx context.Context) Messages {
	var out Messages
	for _, level := range Levels(s.Manifest.Data) {
		for _, r := range level {
			if s.resolver().read[r] || s.waits(r) || s.resolve(ctx, r, false).HasErrors() {
				continue // whoever refers to it reports what is missing
			}
			out = append(out, s.readData(ctx, r)...)
		}
	}
	return out
}
