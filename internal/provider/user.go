package provider

import "context"

// User is the resource that a call is made for.
type User struct {
	// Namespace is empty for a cluster-scoped resource.
	Namespace string
	// Resource identifies it within the namespace, such as Bucket.example.org/logs.
	Resource string
}

type userKey struct{}

// WithUser returns a context for the calls that are made for a resource.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserOf returns the resource that the calls of a context are made for; the zero value if they are the program's own.
func UserOf(ctx context.Context) User {
	u, _ := ctx.Value(userKey{}).(User)
	return u
}
