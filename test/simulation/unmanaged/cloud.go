package unmanaged

import (
	"context"
	"fmt"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/test/simulation"
)

// cloud is the simulated cloud.
type cloud struct {
	w           *world
	invocations []*invocation
	tokens      []*token
	// values are those of data sources, by name. Each is larger than the one before.
	values map[string]int
	// outage is until when it cannot be reached.
	outage time.Time
}

// invocation is an action that the cloud was asked for.
type invocation struct {
	label string
	by    *process
	// told is what the process was told; empty until then.
	told terraform.ActionOutcome
}

// token is what was opened.
type token struct {
	id, secret, name string
	lifetime         time.Duration
	opened           time.Time
	// expires is when it ends by itself; zero for never.
	expires time.Time
	closed  bool
	// revoked is set when the cloud has ended it before it said.
	revoked bool
	// by is the process that has opened it. excused is set if its answer was lost.
	by      *process
	excused bool
	// told is when it must be renewed, as the process was told, and until as its Secret has told
	// others. A process that cannot store a renewal goes on as before it.
	told, until time.Time
	// stored is set when a record of it was stored, and shown when it was in a Secret of its
	// object. replaced is when the one was opened that replaced it there.
	stored, shown bool
	replaced      time.Time
}

// secretPrefix is what all secrets begin with.
const secretPrefix = "planted-"

func (t *token) live() bool {
	return !t.closed && (t.expires.IsZero() || time.Now().Before(t.expires))
}

// renewAt is a fifth of its lifetime before it ends.
func (t *token) renewAt() time.Time {
	if t.expires.IsZero() {
		return time.Time{}
	}
	return t.expires.Add(-t.lifetime / 5)
}

func (t *token) extend() {
	if t.lifetime > 0 {
		t.expires = time.Now().Add(t.lifetime)
	}
}

// token returns the one of private bytes.
func (c *cloud) token(private []byte) *token {
	for _, t := range c.tokens {
		if secretPrefix+"private-"+t.id == string(private) {
			return t
		}
	}
	panic("the private bytes are not those of a token: " + string(private))
}

// configurations are the provider configurations of a process: there is one.
type configurations struct{ p *process }

// Resolve implements managed.ProviderConfigs.
func (c configurations) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Handle[terraform.Executor]{
		Name: "default", Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			if time.Now().Before(c.p.w.cloud.outage) {
				return nil, nil, unreachable
			}
			return executor{p: c.p, c: &c.p.w.cloud}, func() {}, nil
		},
	}
}

// Names implements managed.NamingConfigs.
func (c configurations) Names(*xpv2.ProviderConfigReference, map[string]*xpv2.ProviderConfigReference, string) []string {
	return []string{"default"}
}

var unreachable = diagnostic.Errorf("Not reachable", "The cloud cannot be reached.")

// executor is the provider as a process has it.
type executor struct {
	terraform.Executor
	p *process
	c *cloud
}

// wait waits for the verdict on a call. reached is set if the cloud gets it.
func (e executor) wait(ctx context.Context, what string, verdicts ...verdict) (v verdict, reached bool) {
	v = e.p.wait(what, verdicts...)
	sent := (v == final || ctx.Err() == nil) && provider.Fence(ctx) == nil // as the engine does, right before
	return v, sent && v != refuse && !time.Now().Before(e.c.outage)
}

// answer returns the diagnostics of a call that was carried out.
func (e executor) answer(v verdict) diagnostic.Diagnostics {
	e.p.after(v)
	if v == lose {
		return diagnostic.Errorf("No answer", "The answer is lost.")
	}
	return nil
}

// text returns an attribute of a configuration.
func text(config cty.Value, name string) string { return config.GetAttr(name).AsString() }

// ValidateAction implements terraform.ActionInvoker.
func (e executor) ValidateAction(context.Context, string, cty.Value) diagnostic.Diagnostics {
	return nil
}

// PlanAction implements terraform.ActionInvoker.
func (e executor) PlanAction(ctx context.Context, _ string, config cty.Value) diagnostic.Diagnostics {
	if _, ok := e.wait(ctx, "plan "+text(config, "label"), refuse); !ok {
		return unreachable
	}
	return nil
}

// InvokeAction implements terraform.ActionInvoker.
func (e executor) InvokeAction(
	ctx context.Context, _ string, config cty.Value, progress func(string),
) (terraform.ActionOutcome, diagnostic.Diagnostics) {
	label := text(config, "label")
	v, ok := e.wait(ctx, "invoke "+label, refuse, lose, fail, slow)
	if !ok {
		return terraform.ActionNotInvoked, unreachable
	}
	i := &invocation{label: label, by: e.p}
	e.p.w.invokes(i)
	e.c.invocations = append(e.c.invocations, i)
	if v == slow {
		progress("half of it is done")
		select {
		case <-time.After(pick(e.p.w, 2*time.Second, time.Minute, 10*time.Minute)):
		case <-provider.Interrupted(ctx).Done():
			i.told = terraform.ActionFailed
		}
		v = e.p.wait("answer of "+label, lose)
	}
	e.p.after(v)
	switch {
	case v == lose:
		i.told = terraform.ActionOutcomeUnknown
	case v == fail:
		i.told = terraform.ActionFailed
	case i.told == "":
		i.told = terraform.ActionSucceeded
	}
	if i.told == terraform.ActionSucceeded {
		return i.told, nil
	}
	return i.told, diagnostic.Errorf("Not made", "The snapshot is not known to be made.")
}

// ValidateEphemeral implements terraform.EphemeralOpener.
func (e executor) ValidateEphemeral(context.Context, string, cty.Value) diagnostic.Diagnostics {
	return nil
}

// OpenEphemeral implements terraform.EphemeralOpener.
func (e executor) OpenEphemeral(ctx context.Context, _ string, config cty.Value) (terraform.Opened, diagnostic.Diagnostics) {
	time.Sleep(time.Millisecond) // no two are opened by a process at the same instant
	v, ok := e.wait(ctx, "open "+text(config, "name"), refuse, lose)
	if !ok {
		return terraform.Opened{}, unreachable
	}
	n := len(e.c.tokens)
	t := &token{
		id: fmt.Sprint(n), secret: fmt.Sprintf("%ssecret-%d", secretPrefix, n), name: text(config, "name"), by: e.p,
		opened: time.Now(), excused: v == lose,
	}
	t.lifetime, _ = time.ParseDuration(text(config, "lifetime"))
	t.extend()
	e.c.tokens = append(e.c.tokens, t)
	if diags := e.answer(v); diags.HasErrors() {
		return terraform.Opened{}, diags
	}
	t.told = t.renewAt()
	result := config.AsValueMap()
	result["secret"] = cty.StringVal(t.secret)
	return terraform.Opened{
		Open:   terraform.Open{Private: []byte(secretPrefix + "private-" + t.id), RenewAt: t.renewAt()},
		Result: cty.ObjectVal(result),
	}, nil
}

// RenewEphemeral implements terraform.EphemeralOpener.
func (e executor) RenewEphemeral(ctx context.Context, _ string, o terraform.Open) (terraform.Open, diagnostic.Diagnostics) {
	t := e.c.token(o.Private)
	v, ok := e.wait(ctx, "renew "+t.id, refuse, lose, fail)
	switch {
	case !ok:
		return o, unreachable
	case v == fail || !t.live():
		e.p.after(v)
		return o, diagnostic.Errorf("Not renewed", "It is refused.")
	}
	t.extend()
	if diags := e.answer(v); diags.HasErrors() {
		return o, diags
	}
	t.told = t.renewAt()
	return terraform.Open{Private: o.Private, RenewAt: t.told}, nil
}

// CloseEphemeral implements terraform.EphemeralOpener.
func (e executor) CloseEphemeral(ctx context.Context, _ string, o terraform.Open) diagnostic.Diagnostics {
	t := e.c.token(o.Private)
	v, ok := e.wait(ctx, "close "+t.id, refuse, lose)
	if !ok {
		return unreachable
	}
	if t.live() {
		e.p.w.closes(e.p, t)
		t.closed = true
	}
	return e.answer(v)
}

// ReadData implements terraform.DataReader.
func (e executor) ReadData(ctx context.Context, _ terraform.ResourceType, config cty.Value) (terraform.Data, diagnostic.Diagnostics) {
	name := text(config, "name")
	v, ok := e.wait(ctx, "read "+name, refuse)
	if !ok {
		return terraform.Data{}, unreachable
	}
	n := e.c.values[name]
	e.p.after(v)
	return terraform.Data{Value: cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal(name), "value": cty.NumberIntVal(int64(n)),
		"password": cty.StringVal(fmt.Sprintf("%spassword-%d", secretPrefix, n)),
	})}, nil
}

// secretIn checks that a text has no secret.
func (w *world) secretIn(what, s string) {
	if i := strings.Index(s, secretPrefix); i >= 0 {
		w.violated(simulation.SecretShown, what, "%s has a secret: %.40s", what, s[i:])
	}
}
