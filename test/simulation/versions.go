package simulation

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// In schedules with versions, an administrator switches between two versions of the provider, also
// while objects are being changed. The later one upgrades states and identities, and the earlier
// one cannot read what was upgraded. From the outside, the earlier one goes on with each object
// that it has known and that nothing was begun to change since. Others are held as they are until
// the later one runs again: they are neither lost, nor made or destroyed again. Modules have their
// own copy of the earlier version.

// NotRolledBack is the kind of a resource that the earlier version of a provider cannot go on with,
// although nothing was begun to change its object since it did.
const NotRolledBack ViolationKind = "not rolled back"

// grade is an attribute that only the later version has.
const grade = "grade"

// versions is what is known of the provider's versions.
type versions struct {
	// later is set while the later version is wanted.
	later bool
	// known are the ids of the objects that the earlier version has known, and that nothing was
	// begun to change since, by the tags of their resources.
	known map[string]string
}

// upgradeSchema makes a resource type that of the later version.
func upgradeSchema(r *schema.Resource) {
	r.Version = 1
	r.Block.Attributes[grade] = &schema.Attribute{Type: cty.String, Computed: true}
	if r.Identity != nil {
		r.Identity.Version = 1
	}
}

// wanted is the version of the provider that is wanted.
func (w *world) wanted() *shared {
	if w.versions != nil && w.versions.later {
		return w.later
	}
	return w.shared
}

// switchVersion has another version take over.
func (w *world) switchVersion(later bool) {
	if w.versions.later != later {
		w.versions.later = later
		w.note("an administrator sets the provider's version: later %t", later)
	}
}

// outdatedProcess returns a process that runs another version than the one that is wanted, and
// whose reconciles have ended; nil if there is none.
func (w *world) outdatedProcess() *process {
	i := slices.IndexFunc(w.processes, func(p *process) bool {
		return p.active() && p.provider != w.wanted() && len(p.working) == 0
	})
	if i < 0 {
		return nil
	}
	return w.processes[i]
}

// adopt has a process run the version that is wanted. Operations that it has begun go on.
func (p *process) adopt() {
	p.w.note("%s runs another version of the provider", p)
	p.serve()
	p.noneToClaim()
}

// recordVersions takes note of what is stored of a resource.
func (w *world) recordVersions(s *corev1.Secret) {
	i := w.users.owner(s)
	if w.versions == nil || i == nil || !isHead(s) || w.users.isPair(i.key) {
		return
	}
	var in struct {
		SchemaVersion int64                  `json:"schemaVersion"`
		State         struct{ ID string }    `json:"state"`
		Operation     *struct{ ID string }   `json:"operation"`
		Deposed       []struct{ Key string } `json:"deposed"`
	}
	if json.Unmarshal(w.api.content(s), &in) != nil {
		return
	}
	switch known := w.versions.known[i.tag]; {
	case in.Operation != nil, in.State.ID == "", len(in.Deposed) > 0:
		delete(w.versions.known, i.tag)
	case in.SchemaVersion == 0:
		w.versions.known[i.tag] = in.State.ID
	case known != in.State.ID:
		delete(w.versions.known, i.tag)
	}
}

// fits returns the resources that are as they are wanted, and in order.
func (w *world) fits() (out []store.Key) {
	for _, k := range w.keys {
		r := w.api.resources[k]
		if r == nil || r.GetDeletionTimestamp() != nil {
			continue
		}
		ready, _ := condition(r, "Ready")
		if synced, _ := condition(r, "Synced"); ready == "True" && synced == "True" {
			out = append(out, k)
		}
	}
	return out
}

// goBack has the later version run until everything has settled, then the earlier one for a while,
// and the later one again.
func (w *world) goBack() {
	w.switchVersion(true)
	w.settle()
	known, before := maps.Clone(w.versions.known), w.fits()
	w.switchVersion(false)
	w.doNothing()
	after := w.fits()
	for _, k := range before {
		i := w.users.current[k]
		if known[i.tag] != "" && !i.excused() && !i.meddled && !slices.Contains(after, k) {
			_, message := condition(w.api.resources[k], "Synced")
			w.check.violated(NotRolledBack, i.tag, "the earlier version cannot go on with %s %s: %s", k.Kind, k.Name, message)
		}
	}
	w.switchVersion(true)
	w.calmed = w.now()
}

// later reports whether the server is the later version.
func (s *server) later(resourceType string) bool {
	return s.schema.Resources[resourceType].Block.Attributes[grade] != nil
}

// UpgradeResourceIdentity implements tfprotov6.ProviderServer. Identities are the same in both
// versions.
func (s *server) UpgradeResourceIdentity(_ context.Context,
	r *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	var stored map[string]string
	if err := json.Unmarshal(r.RawIdentity.JSON, &stored); err != nil {
		return nil, err
	}
	of := state{}
	for name, v := range stored {
		of[name] = cty.StringVal(v)
	}
	out, err := s.identity(r.TypeName, of)
	return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: out}, err
}

// upgraded returns a state of the earlier version as the later one has it.
func (s *server) upgraded(resourceType string, v tftypes.Value) (tftypes.Value, error) {
	var attributes map[string]tftypes.Value
	if err := v.As(&attributes); err != nil {
		return v, err
	}
	attributes[grade] = tftypes.NewValue(tftypes.String, standard)
	return tftypes.NewValue(s.schemaType(resourceType), attributes), nil
}

// standard is the grade of all objects.
const standard = "standard"
