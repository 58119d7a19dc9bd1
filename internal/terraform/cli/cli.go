package cli

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Runner runs the program for any number of providers. Make one with New, and Close it.
type Runner struct {
	*commandline.Runner
	schemas schemas
}

// New returns a runner, and removes the directories that killed processes left behind.
func New(o commandline.Options) (*Runner, error) {
	r, err := commandline.New(o)
	if err != nil {
		return nil, err
	}
	return &Runner{Runner: r}, nil
}

// Executor returns an executor over a configured server. It is cheap to make.
func (r *Runner) Executor(server provider.Server) *Executor {
	return &Executor{runner: r, server: server}
}

// Executor is a terraform.Executor. Use Runner.Executor to make one.
type Executor struct {
	runner *Runner
	server provider.Server
}

var (
	_ terraform.Executor       = (*Executor)(nil)
	_ terraform.FunctionCaller = (*Executor)(nil)
)

// CallFunction implements terraform.FunctionCaller: it asks the provider, since functions change
// nothing.
func (e *Executor) CallFunction(ctx context.Context, name string, arguments []cty.Value) (cty.Value, diagnostic.Diagnostics) {
	return engine.CallFunction(ctx, e.server, name, arguments)
}

// job describes a run.
type job struct {
	args          []string
	configuration configuration
	state         instance.Instance
	session       *session
	// allOptional makes an empty configuration valid.
	allOptional bool
}

func (j job) validates() bool { return j.args[0] == validating[0] }

// outcome is the outcome of a run: what the program wrote, and what the provider answered.
type outcome struct {
	commandline.Result
	log
	diagnostics diagnostic.Diagnostics
	changes     []commandline.Change
	// state is the state file after the run; nil if there is none.
	state []byte
}

// ok reports whether the run succeeded.
func (o outcome) ok() bool { return o.OK() && !o.diagnostics.HasErrors() }

var (
	validating = []string{"validate", "-json"}
	common     = []string{"-json", "-input=false", "-lock=false"}
	planning   = slices.Concat([]string{"plan", "-refresh=false"}, common)
	applying   = slices.Concat([]string{"apply", "-auto-approve", "-refresh=false", "-backup=-"}, common)
	refreshing = slices.Concat([]string{"apply", "-auto-approve", "-refresh-only", "-backup=-"}, common)
)

// run runs the program. Errors mean that it did not run, and that the provider was asked nothing
// about the object.
func (e *Executor) run(ctx context.Context, j job) (outcome, diagnostic.Diagnostics) {
	use := commandline.Working
	if j.session.apply != nil {
		use |= commandline.Changing
	}
	turn, err := e.runner.Turn(ctx, use)
	if err != nil {
		return outcome{}, provider.CallError(provider.NotSent(err))
	}
	defer turn.Release()
	j.session.meanwhile = turn.Suspend
	served, diags := e.served(ctx, &j)
	if diags.HasErrors() {
		return outcome{}, diags
	}
	d, diags := e.prepare(j)
	if diags.HasErrors() {
		return outcome{}, diags
	}
	defer d.Close()
	j.session.open(ctx, e.server, served, !e.runner.Program().Identity)
	if j.session.supplies {
		j.session.supply(ctx, j.configuration.resource.Schema, j.state)
	}
	if err := d.Attach(providerAddress, j.session); err != nil {
		return outcome{}, e.cannotRun(err)
	}
	out, err := e.execute(ctx, d, turn, j)
	d.Detach()
	// The change that the provider is making may take longer than the program.
	j.session.end()
	if err != nil {
		return outcome{}, diagnostic.Errorf("The command line cannot be run", "Cannot start %s: %s.", e.runner.Program(), err)
	}
	out.log = j.session.recorded()
	if out.state, err = d.Read(stateFile); err != nil {
		out.state = nil
	}
	return out, nil
}

// served returns the schemas for the session, and completes the configuration.
func (e *Executor) served(ctx context.Context, j *job) (*served, diagnostic.Diagnostics) {
	resourceType := j.configuration.resource.Schema.Type
	known, diags := e.runner.schemas.get(ctx, e.server, resourceType)
	if diags.HasErrors() {
		return nil, diags
	}
	if j.allOptional {
		known = allOptional(known, resourceType)
	}
	p, diags := e.server.Schema(ctx)
	if diags.HasErrors() {
		return nil, diags
	}
	j.configuration.meta = p.Meta
	return known, nil
}

func (e *Executor) cannotRun(err error) diagnostic.Diagnostics {
	return diagnostic.Errorf("The command line cannot be run", "Cannot create a workspace for %s: %s.", e.runner.Program(), err)
}

// prepare makes a directory with the configuration and the state.
func (e *Executor) prepare(j job) (*commandline.Directory, diagnostic.Diagnostics) {
	r := j.configuration.resource.Schema
	config, err := j.configuration.encode()
	if err != nil {
		return nil, diagnostic.Errorf("Configuration cannot be written",
			"The configuration of %s cannot be expressed in the language of %s: %s.", r.Type,
			e.runner.Program().Product, err)
	}
	state, err := writeState(e.runner.Program(), r, j.state)
	if err != nil {
		return nil, e.cannotRun(err)
	}
	d, err := e.runner.Open()
	if err != nil {
		return nil, e.cannotRun(err)
	}
	if err = d.Write(configFile, config); err == nil {
		err = d.Write(stateFile, state)
	}
	if err != nil {
		d.Close()
		return nil, e.cannotRun(err)
	}
	return d, nil
}

// execute runs the program in a directory that is prepared, and reads its output.
func (e *Executor) execute(ctx context.Context, d *commandline.Directory, t *commandline.Turn, j job) (outcome, error) {
	var out outcome
	command := commandline.Command{Args: j.args, Waiting: j.session.calls.Busy, ResourceType: j.configuration.resource.Schema.Type}
	if !j.validates() {
		progress := provider.Progress(ctx)
		command.Event = func(event commandline.Event) {
			switch {
			case event.Type == "diagnostic" && event.Diagnostic != nil:
				out.diagnostics = append(out.diagnostics, event.Diagnostic.Diagnostic())
			case event.Type == "planned_change" && event.Change != nil:
				out.changes = append(out.changes, *event.Change)
			}
			if text := event.Progress(); text != "" && progress != nil {
				progress(string(e.runner.Program().Product) + ": " + text)
			}
		}
	}
	var err error
	if out.Result, err = d.Run(ctx, t, command); err != nil {
		return outcome{}, err
	}
	if j.validates() {
		if v, ok := commandline.ParseValidation(out.Stdout); ok {
			for _, x := range v.Diagnostics {
				out.diagnostics = append(out.diagnostics, x.Diagnostic())
			}
		} else {
			out.Stray = commandline.PlainText(commandline.Shorten(string(out.Stdout)))
		}
	}
	out.Stdout = nil
	return out, nil
}

// replay returns the provider as it answered during a run.
func (e *Executor) replay(l log) *replay { return &replay{Server: e.server, log: l} }
