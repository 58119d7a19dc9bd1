package differential

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/hashicorp/go-plugin"

	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// linked is our side in this program, with linked providers that tofu uses as well.
type linked struct {
	*Harness
	program *tofu.Program
	// scratch is where the state files of our side are.
	scratch string
	// served is what the providers that tofu talks to know at the moment, by their names.
	served map[string]*atomic.Pointer[cloud.Run]
}

// New makes a harness whose providers are served until the context ends. tofu runs in dir.
func New(ctx context.Context, path, dir string) (*Harness, error) {
	if err := Quiet(); err != nil {
		return nil, err
	}
	h := &Harness{Counters: NewCounters()}
	l := &linked{Harness: h, scratch: filepath.Join(dir, "states"), served: map[string]*atomic.Pointer[cloud.Run]{}}
	h.sides = l
	if err := os.Mkdir(l.scratch, 0o700); err != nil {
		return nil, err
	}
	attached := map[string]*plugin.ReattachConfig{}
	for name, make := range makers {
		current := &atomic.Pointer[cloud.Run]{}
		current.Store(&cloud.Run{})
		l.served[name] = current
		c, err := make(func() cloud.Run { return *current.Load() }).serve(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("serving provider %s: %w", name, err)
		}
		attached[name] = c
	}
	var err error
	l.program, err = tofu.New(path, dir, attached)
	if err != nil {
		return nil, err
	}
	l.program.Meta = map[string]any{}
	for name := range attached {
		if _, direct := styleOf(name); direct {
			l.program.Meta[name] = cloud.MetaLiteral
		}
	}
	return h, nil
}

func (l *linked) ours(ctx context.Context, going []*compared) error {
	runs := map[string]cloud.Run{}
	for _, x := range going {
		if runs[x.track.provider] == nil {
			runs[x.track.provider] = cloud.Run{}
		}
		runs[x.track.provider][x.track.name] = x.ours
	}
	providers := map[string]*running{}
	for name, run := range runs {
		r, err := l.launch(ctx, name, makers[name](func() cloud.Run { return run }))
		if err != nil {
			return err
		}
		providers[name] = r
	}
	for _, x := range going {
		if err := l.do(ctx, x, providers[x.track.provider]); err != nil {
			return fmt.Errorf("case %d: %w", x.track.number, err)
		}
	}
	return nil
}

func (l *linked) do(ctx context.Context, x *compared, r *running) (err error) {
	x.schema = r.schema.Resources[x.track.name]
	// Providers must not be told of the end of anything but their call.
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	if x.track.c.Direct {
		x.engine, err = l.byEngine(call, x, r)
	} else {
		x.engine, err = l.byManifest(call, x, r)
	}
	return err
}

func (l *linked) tofu(ctx context.Context, group []*compared) (tofu.Result, error) {
	runs := map[string]cloud.Run{}
	for name := range l.served {
		runs[name] = cloud.Run{}
	}
	for _, x := range group {
		runs[x.track.provider][x.track.name] = x.theirs
	}
	for name, run := range runs {
		l.served[name].Store(&run)
	}
	resources, err := resourcesOf(group)
	if err != nil {
		return tofu.Result{}, err
	}
	return l.program.Apply(ctx, resources)
}
