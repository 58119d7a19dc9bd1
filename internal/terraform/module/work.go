package module

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

var (
	common     = []string{"-json", "-input=false", "-lock=false"}
	refreshing = slices.Concat([]string{"apply", "-refresh-only", "-auto-approve", "-backup=-"}, common)
	planning   = slices.Concat([]string{"plan", "-out=" + planFile}, common)
	applying   = slices.Concat([]string{"apply", "-backup=-"}, common)
)

// job describes the runs in one directory.
type job struct {
	given     values
	sensitive []cty.Path
	// state is the state file; nil if there is none.
	state []byte
	// unchecked is set when objects are created without looking for existing ones.
	unchecked bool
	// recent are earlier changes, and keeps the addresses of objects that are not updated.
	recent recent
	keeps  []string
	// journal records changes; nil if the runs make none.
	journal *journal
	// imports is set when import blocks are carried out.
	imports bool
}

// work is a directory with a configuration, and the program's diagnostics of the runs in it.
type work struct {
	*Executor
	dir           Directory
	session       *session
	configuration []byte
	// imports has where the lines of the import blocks are from.
	imports  []place
	diags    diagnostic.Diagnostics
	progress func(string)
}

// open makes a directory with a configuration, a state, and attached providers.
func (e *Executor) open(ctx context.Context, j job) (*work, diagnostic.Diagnostics) {
	config, err := e.module.configuration(j.given, func(name string) bool {
		return slices.ContainsFunc(j.sensitive, func(p cty.Path) bool { return len(p) > 0 && p[:1].Equals(cty.GetAttrPath(name)) })
	})
	if err != nil {
		return nil, e.cannotRun(err)
	}
	variables, err := j.given.encode()
	if err != nil {
		return nil, diagnostic.Errorf("Configuration cannot be written", "%s.", err)
	}
	dir, err := e.runner.Open()
	if err != nil {
		return nil, e.cannotRun(err)
	}
	w := &work{
		Executor: e, dir: dir, session: newSession(ctx, j.journal, e.secrets(ctx, j.given, j.sensitive, j.state)),
		configuration: config, progress: provider.Progress(ctx),
	}
	w.session.before, w.session.unchecked, w.session.appearing = j.state, j.unchecked, j.recent.Appearing
	w.session.visibility = newVisibility(j.recent, e.grace)
	w.session.kept = e.keptIn(ctx, j.state, j.keeps)
	files := map[string][]byte{configFile: config, variablesFile: variables}
	if j.state != nil {
		files[stateFile] = j.state
	}
	if text, from := e.module.importsText(); text != nil && j.imports {
		files[importsFile], w.imports = text, from
	}
	diags := w.fill(ctx, files)
	if diags.HasErrors() {
		dir.Close()
		return nil, diags
	}
	return w, nil
}

func (e *Executor) cannotRun(err error) diagnostic.Diagnostics {
	return diagnostic.Errorf("The command line cannot be run", "Cannot create a workspace for %s: %s.", e.runner.Program(), err)
}

// fill writes files and attaches the providers.
func (w *work) fill(ctx context.Context, files map[string][]byte) diagnostic.Diagnostics {
	for name, content := range files {
		if err := w.dir.Write(name, content); err != nil {
			return w.cannotRun(err)
		}
	}
	for source, server := range w.servers {
		if !slices.Contains(w.module.Sources, source) {
			continue // of a named configuration
		}
		s, diags := server.Schema(ctx)
		if diags.HasErrors() {
			return diags
		}
		p, err := newAttached(ctx, w.session, source, server, s)
		if err != nil {
			return provider.CallError(err)
		}
		if err := w.chooses(ctx, p); err != nil {
			return provider.CallError(err)
		}
		if err := w.dir.Attach(source, p); err != nil {
			return w.cannotRun(err)
		}
	}
	return nil
}

// chooses makes an attached provider tell its configurations apart, if it has several.
func (w *work) chooses(ctx context.Context, p *attached) error {
	settings := false
	for _, s := range w.module.Settings {
		settings = settings || s.Source == p.source
	}
	p.named = map[string]provider.Server{}
	for _, name := range w.module.Configurations {
		if w.module.SourceOf(name) == p.source && w.servers[name] != nil {
			p.named[name] = w.servers[name]
		}
	}
	if !settings && len(p.named) == 0 {
		return nil
	}
	all, err := p.Server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	p.serveSettings(all.Provider, settings)
	p.restricted = !slices.Contains(w.module.source.Allow, ProviderSettings)
	p.key = w.Executor.key
	p.configure = func(ctx context.Context, name string, settings cty.Value) (provider.Server, diagnostic.Diagnostics) {
		if w.Executor.configure == nil {
			return nil, diagnostic.Errorf("Provider settings cannot be used", "The provider cannot be configured here.")
		}
		of := p.source
		if w.servers[name] != nil {
			of = name
		}
		server, release, diags := w.Executor.configure(ctx, of, settings)
		if !diags.HasErrors() {
			w.session.mu.Lock()
			defer w.session.mu.Unlock()
			w.session.releases = append(w.session.releases, release)
		}
		return server, diags
	}
	return nil
}

func (w *work) close() {
	w.dir.Detach()
	w.session.end()
	for _, release := range w.session.releases {
		release()
	}
	w.dir.Close()
}

// use returns what a run counts as.
func (w *work) use() commandline.Use {
	if w.session.journal != nil {
		return commandline.Changing
	}
	return commandline.Working
}

// command runs the program.
func (w *work) command(ctx context.Context, use commandline.Use, c commandline.Command) (commandline.Result, error) {
	turn, err := w.runner.Turn(ctx, use)
	if err != nil {
		return commandline.Result{}, err
	}
	defer turn.Release()
	c.Env, c.Waiting, c.ResourceType = w.module.environment(), w.session.calls.Busy, w.module.Resource.Type
	c.Folders, c.Unrestricted = []string{w.module.dir}, w.module.unrestricted()
	return w.dir.Run(ctx, turn, c)
}

// run runs the program with -json and reports whether it succeeded. Its diagnostics, and the reason
// of a failure, are in diags.
func (w *work) run(ctx context.Context, args []string) bool {
	out, err := w.command(ctx, w.use(), commandline.Command{Args: args, Event: w.event})
	if err != nil {
		w.diags = append(w.diags, w.cannotStart(err)...)
		return false
	}
	if !out.OK() && !w.diags.HasErrors() {
		w.diags = append(w.diags, diagnostic.Errorf("The command line failed", "%s", out.Failure(w.runner.Program(), w.module.spell))...)
	}
	w.diags = redacted(w.diags, w.session.secrets)
	return out.OK() && !w.diags.HasErrors()
}

func (w *work) cannotStart(err error) diagnostic.Diagnostics {
	return diagnostic.Errorf("The command line cannot be run", "Cannot start %s: %s.", w.runner.Program(), err)
}

// event handles an event of the program.
func (w *work) event(e commandline.Event) {
	switch {
	case e.Diagnostic != nil:
		w.diags = append(w.diags, w.module.diagnostic(*e.Diagnostic, w.configuration, w.imports))
	case e.Hook == nil:
	case e.Type == "apply_start" && e.Hook.Action != "read": // of a data source
		w.session.announce(resource(e.Hook.Resource))
	case e.Progress() != "" && w.progress != nil:
		w.progress(strings.TrimPrefix(e.Hook.Resource.Address, callAddress) + ": " + e.Progress())
	}
}

// plan runs plan, and returns the plan.
func (w *work) plan(ctx context.Context, more ...string) (planned, diagnostic.Diagnostics) {
	var out planned
	if !w.run(ctx, slices.Concat(planning, more)) {
		return out, w.diags
	}
	shown, err := w.command(ctx, commandline.Working, commandline.Command{Args: []string{"show", "-json", planFile}})
	if err != nil {
		return out, w.cannotStart(err)
	}
	if !shown.OK() || json.Unmarshal(shown.Stdout, &out) != nil {
		return out,
			redacted(diagnostic.Errorf("The command line failed", "The plan cannot be read. %s",
				shown.Failure(w.runner.Program(), w.module.spell)), w.session.secrets)
	}
	return out, w.diags.Warnings()
}
