package crashtest

import (
	"context"
	"errors"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// errCrashed is the error of the write at which a process ends.
var errCrashed = errors.New("the process has ended")

// Process is one life of a controller.
type Process struct {
	// Left is the number of writes until it ends; below 1 it does not. Stored is set if the last
	// one is stored nevertheless.
	Left   int
	Stored bool
	// Dead is set when it has ended.
	Dead bool
}

// Write carries out a write, unless the process ends before it.
func (p *Process) Write(do func() error) error {
	if p.Dead {
		return kerrors.NewNotFound(kschema.GroupResource{}, "x") // nothing tries it again
	}
	p.Left--
	if p.Left != 0 {
		return do()
	}
	p.Dead = true
	if p.Stored {
		_ = do()
	}
	return errCrashed
}

// Client returns a client whose writes are those of the process.
func (p *Process) Client(c client.WithWatch) client.WithWatch {
	return interceptor.NewClient(c, interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return p.Write(func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return p.Write(func() error { return c.Update(ctx, o, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return p.Write(func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return p.Write(func() error { return c.Delete(ctx, o, opts...) })
		},
	})
}
