package cli

import (
	"bytes"
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Programs that know no identities tell the provider none, and store none. Providers rely on them all the
// same: one that has told an object's identity is told it again. So it is put into the program's
// requests, as the program would do it if it knew.

// supply has the session do so, with the identity of an instance, brought to the current version.
func (s *session) supply(ctx context.Context, r *schema.Resource, in instance.Instance) {
	if r.Identity == nil || !in.HasIdentity() {
		return
	}
	v := in.Identity
	if raw := in.RawIdentity; len(raw) > 0 {
		switch {
		case in.IdentityVersion < r.Identity.Version:
			// What is wrong with the answer is found out by who reads the log.
			a, _ := ask(s, ctx, &tfprotov6.UpgradeResourceIdentityRequest{
				TypeName: r.Type, Version: in.IdentityVersion, RawIdentity: &tfprotov6.RawState{JSON: raw},
			}, s.Server.UpgradeResourceIdentity, func(l *log) *[]answer[*tfprotov6.UpgradeResourceIdentityResponse] { return &l.identityUpgrade })
			if a != nil {
				s.met(a.UpgradedIdentity)
			}
			return
		case in.IdentityVersion > r.Identity.Version:
			return
		}
		var err error
		if v, err = wire.UnmarshalJSON(raw, r.IdentityType()); err != nil {
			return
		}
	}
	if v == cty.NilVal || v.IsNull() {
		return
	}
	if b, err := wire.Marshal(v, r.IdentityType()); err == nil {
		s.met(&tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: b}})
	}
}

// met takes note of the identity of the object that the run is about.
func (s *session) met(identity *tfprotov6.ResourceIdentityData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.supplies && identity != nil {
		s.identity = identity
	}
}

// identified is the identity for a request of the program.
func (s *session) identified(told *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	s.mu.Lock()
	defer s.mu.Unlock()
	if told == nil {
		return s.identity
	}
	return told
}

// completed is an answer to an import by identity that leaves the state to the read that follows. Programs
// would take it for an object that is not there, so it is read before they are told.
func (s *session) completed(ctx context.Context, a *tfprotov6.ImportResourceStateResponse) *tfprotov6.ImportResourceStateResponse {
	object := *a.ImportedResources[0]
	if object.Identity == nil || !isNull(object.State) {
		return a
	}
	read, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: object.TypeName, CurrentState: object.State, CurrentIdentity: object.Identity, Private: object.Private,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if err != nil || read.NewState == nil || read.NewIdentity == nil {
		return a
	}
	object.State, object.Identity, object.Private = read.NewState, read.NewIdentity, read.Private
	out := *a
	out.ImportedResources = []*tfprotov6.ImportedResource{&object}
	return &out
}

// isNull says whether a value is null as it was sent.
func isNull(v *tfprotov6.DynamicValue) bool {
	return v == nil || len(v.JSON) == 0 && (len(v.MsgPack) == 0 || bytes.Equal(v.MsgPack, []byte{0xc0}))
}
