package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// randomPool is a pool with the random provider, and the key of its configuration.
func randomPool(ctx context.Context, bin string) (*pool.Pool, pool.Key, error) {
	installer := &install.Installer{Mirrors: []string{filepath.Join(bin, "providers")}, CacheDir: os.TempDir()}
	b, err := installer.Install(ctx, "hashicorp/random", "")
	if err != nil {
		return nil, pool.Key{}, err
	}
	launcher := &plugin.Launcher{Path: b.Path, SHA256: b.SHA256}
	return pool.New(pool.Options{}), pool.Prepare(pool.Configuration{Launcher: launcher, Config: cty.EmptyObjectVal}), nil
}

// created is a random_string with the request that reads it.
func created(ctx context.Context, server provider.Server) (*tfprotov6.ReadResourceRequest, error) {
	s, diags := server.Schema(ctx)
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	res := terraform.ResourceType{Schema: s.Resources["random_string"]}
	values := map[string]cty.Value{}
	for name, t := range res.Schema.ImpliedType().AttributeTypes() {
		values[name] = cty.NullVal(t)
	}
	values["length"] = cty.NumberIntVal(16)
	e := engine.New(server)
	plan, diags := e.Plan(ctx, res, instance.Instance{}, terraform.Config{Value: cty.ObjectVal(values)})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	in, diags := e.Apply(ctx, plan)
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	if in.Wire == nil {
		return nil, errors.New("the engine does not keep what the provider sent")
	}
	null := &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	return &tfprotov6.ReadResourceRequest{
		TypeName: "random_string", CurrentState: &tfprotov6.DynamicValue{MsgPack: in.Wire.State}, Private: in.Private, ProviderMeta: null,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	}, nil
}

// direct calls a provider directly.
type direct struct {
	pool  *pool.Pool
	lease *pool.Lease
	read  *tfprotov6.ReadResourceRequest
}

// newDirect starts a provider, with an object to read. The caller closes it.
func newDirect(ctx context.Context, bin string) (_ *direct, err error) {
	p, key, err := randomPool(ctx, bin)
	if err != nil {
		return nil, err
	}
	lease, diags := p.Acquire(ctx, key)
	if diags.HasErrors() {
		return nil, errors.Join(diags.Err(), p.Close(ctx))
	}
	d := &direct{pool: p, lease: lease}
	if d.read, err = created(ctx, lease.Server()); err != nil {
		d.close(ctx)
		return nil, err
	}
	return d, nil
}

func (d *direct) close(ctx context.Context) {
	d.lease.Release()
	_ = d.pool.Close(context.WithoutCancel(ctx))
}

// readTime is the processor time of one Read over gRPC: of its client, which is this process, and
// of the provider.
type readTime struct{ client, provider time.Duration }

func (t readTime) total() time.Duration { return t.client + t.provider }

// floor measures the processor time of one Read.
func (d *direct) floor(ctx context.Context) (readTime, error) {
	const calls = 1000
	server := d.lease.Server()
	used := func() (readTime, error) {
		here, err := cpu(os.Getpid())
		return readTime{here, server.(provider.UsageReporter).Usage().CPU}, err
	}
	before, err := used()
	if err != nil {
		return readTime{}, err
	}
	for range calls {
		if _, err := server.ReadResource(ctx, d.read); err != nil {
			return readTime{}, err
		}
	}
	after, err := used()
	return readTime{(after.client - before.client) / calls, (after.provider - before.provider) / calls}, err
}

// longLife calls a provider 100,000 times through the pool.
func longLife(ctx context.Context, r *figure.Report, bin string) error {
	p, key, err := randomPool(ctx, bin)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close(context.WithoutCancel(ctx)) }()
	var req *tfprotov6.ReadResourceRequest
	memory := map[int]float64{}
	peak := 0.0
	const few, many = 1000, 100_000
	began := time.Now()
	for i := 1; i <= many; i++ {
		lease, diags := p.Acquire(ctx, key)
		if diags.HasErrors() {
			return diags.Err()
		}
		if req == nil {
			if req, err = created(ctx, lease.Server()); err != nil {
				return err
			}
		}
		if _, err := lease.Server().ReadResource(ctx, req); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
		if i%100 == 0 {
			m := float64(lease.Server().(provider.UsageReporter).Usage().ResidentBytes) / (1 << 20)
			if i <= few {
				memory[few] = max(memory[few], m)
			}
			peak = max(peak, m)
		}
		lease.Release()
	}
	took := time.Since(began)
	const name = "long life: largest memory of a provider in its first 1,000 calls"
	r.Add(figure.Figure{Name: name, Value: memory[few], Unit: "MiB"})
	r.Ratio(figure.Figure{
		Name: "long life: largest memory of a provider in 100,000 calls", Value: peak, Unit: "MiB",
		Bound: 2 * memory[few],
	}, name)
	r.Add(figure.Figure{Name: "long life: servers started for 100,000 calls", Value: float64(p.Stats().Starts), Unit: "servers"})
	r.Add(figure.Figure{Name: "long life: time per call, replacements included", Value: took.Seconds() * 1000 / many, Unit: "ms"})
	return nil
}
