package provider

import "context"

type plannedPrivateKey struct{}

// WithPlannedPrivate returns a context for PlanResourceChange, which sends the private bytes of an
// earlier plan of the same change, as Terraform does when it applies a plan (protocol 6.11). A
// provider can then plan a value again that it has generated. Protocol 5 does not have them.
func WithPlannedPrivate(ctx context.Context, private []byte) context.Context {
	if len(private) == 0 {
		return ctx
	}
	return context.WithValue(ctx, plannedPrivateKey{}, private)
}

// PlannedPrivate returns the bytes of WithPlannedPrivate; nil if there are none.
func PlannedPrivate(ctx context.Context) []byte {
	private, _ := ctx.Value(plannedPrivateKey{}).([]byte)
	return private
}
