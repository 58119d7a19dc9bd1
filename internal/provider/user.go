package provider

import "context"

// User is the resource that a call is made for.
type User struct {
	// Namespace is empty for a cluster-scoped resource.
	Namespace string
	// Resource identifies it within the namespace, such as Bucket.example.org/logs.
	Resource string
}

type (
	userKey     struct{}
	revisionKey struct{}
)

// WithUser returns a context for the calls that are made for a resource.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// WithRevision returns a context for the calls that are made for a revision of a resource. It
// changes with what is desired of the resource, and when another attempt is requested.
func WithRevision(ctx context.Context, revision string) context.Context {
	return context.WithValue(ctx, revisionKey{}, revision)
}

// RevisionOf returns the revision that the calls of a context are made for; "" if there is none.
func RevisionOf(ctx context.Context) string {
	revision, _ := ctx.Value(revisionKey{}).(string)
	return revision
}

// UserOf returns the resource that the calls of a context are made for; the zero value if they are
// the program's own.
func UserOf(ctx context.Context) User {
	u, _ := ctx.Value(userKey{}).(User)
	return u
}
