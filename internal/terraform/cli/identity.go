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

// Programs that do not support identities leave them out of requests and states. Providers rely on
// getting the identities that they returned. So a session adds them to the program's requests, as a
// program that supports them does.

// supply sets the identity of the session to that of an instance, upgraded to the current version.
func (s *session) supply(ctx context.Context, r *schema.Resource, in instance.Instance) {
	if r.Identity == nil || !in.HasIdentity() {
		return
	}
	v := in.Identity
	if raw := in.RawIdentity; len(raw) > 0 {
		switch {
		case in.IdentityVersion < r.Identity.Version:
			// An error is in the log, and found by its readers.
			a, _ := ask(s, ctx, &tfprotov6.UpgradeResourceIdentityRequest{
				TypeName: r.Type, Version: in.IdentityVersion, RawIdentity: &tfprotov6.RawState{JSON: raw},
			}, s.Server.UpgradeResourceIdentity, func(l *log) *[]answer[*tfprotov6.UpgradeResourceIdentityResponse] { return &l.identityUpgrade })
			if a != nil {
				s.learn(a.UpgradedIdentity)
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
		s.learn(&tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: b}})
	}
}

// learn records the identity of the run's object.
func (s *session) learn(identity *tfprotov6.ResourceIdentityData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.supplies && identity != nil {
		s.supplied = identity
	}
}

// identityFor returns the identity for a request in which the program put the given one.
func (s *session) identityFor(given *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	s.mu.Lock()
	defer s.mu.Unlock()
	if given == nil {
		return s.supplied
	}
	return given
}

// complete reads an imported object if the provider left its state to the read that follows an
// import by identity. The program would take an answer without a state for an object that does not
// exist.
func (s *session) complete(ctx context.Context, a *tfprotov6.ImportResourceStateResponse) *tfprotov6.ImportResourceStateResponse {
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

// isNull reports whether a value is null on the wire.
func isNull(v *tfprotov6.DynamicValue) bool {
	return v == nil || len(v.JSON) == 0 && (len(v.MsgPack) == 0 || bytes.Equal(v.MsgPack, []byte{0xc0}))
}
