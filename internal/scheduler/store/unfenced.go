package store

import "context"

type (
	unreferencedKey struct{}
	concludingKey   struct{}
)

// unreferenced marks the requests that create or delete a part of the caller's own, which no head
// points to.
func unreferenced(ctx context.Context) context.Context {
	return context.WithValue(ctx, unreferencedKey{}, true)
}

// Unreferenced reports whether a request with this context creates or deletes a part that no head
// points to. Such a request needs no lease: only the update of the head, whose version is checked,
// makes a part count.
func Unreferenced(ctx context.Context) bool {
	marked, _ := ctx.Value(unreferencedKey{}).(bool)
	return marked
}

// Concluding marks the requests that store the outcome of an operation over its intent.
func Concluding(ctx context.Context) context.Context {
	return context.WithValue(ctx, concludingKey{}, true)
}

// Concludes reports whether a request with this context stores the outcome of an operation over its
// intent. Such an update needs no lease: the version is checked, and only this process knows the
// outcome. Any other update of a record needs one, since a successor may have read that there is
// nothing, and be about to release the resource.
func Concludes(ctx context.Context) bool {
	marked, _ := ctx.Value(concludingKey{}).(bool)
	return marked
}
