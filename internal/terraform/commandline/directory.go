package commandline

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/tracing"
)

// Directory is a directory in which commands run. Close removes it, or else the next process does.
type Directory struct {
	runner      *Runner
	workspace   *workspace
	attachments map[string]*attachment
}

// Open returns a new, empty directory.
func (r *Runner) Open() (*Directory, error) {
	w, err := r.workspaces.open()
	if err != nil {
		return nil, err
	}
	return &Directory{runner: r, workspace: w, attachments: map[string]*attachment{}}, nil
}

// MakeDir makes a directory that is removed with the runner, or by the next process.
func (r *Runner) MakeDir() (string, error) {
	w, err := r.workspaces.open()
	if err != nil {
		return "", err
	}
	return w.dir, nil
}

// Path returns the path of a file in the directory.
func (d *Directory) Path(name string) string { return d.workspace.path(name) }

// Write writes a file that only this user can read.
func (d *Directory) Write(name string, content []byte) error { return d.workspace.write(name, content) }

// Read returns the content of a file; nil if there is no such file.
func (d *Directory) Read(name string) ([]byte, error) { return d.workspace.read(name) }

// Attach makes the program use a server for the provider with the given source address. The program
// does not start or stop it.
func (d *Directory) Attach(address string, server tfprotov6.ProviderServer) error {
	a, err := attach(d.Path(socketName+string(rune('a'+len(d.attachments)))), server)
	if err != nil {
		return err
	}
	d.attachments[address] = a
	return nil
}

// Detach stops the servers of the attached providers. Calls that are in flight at the providers go
// on.
func (d *Directory) Detach() {
	for _, a := range d.attachments {
		a.close()
	}
	clear(d.attachments)
}

// Close removes the directory.
func (d *Directory) Close() {
	d.Detach()
	d.workspace.close()
}

// Command is one run of the program in a Directory.
type Command struct {
	Args []string
	// Env is set besides the environment of every run.
	Env map[string]string
	// Event is called for each event; nil if the output is not a stream of events.
	Event func(Event)
	// Waiting reports whether the program waits for a provider, so that it is not killed for its
	// silence; nil is never.
	Waiting func() bool
	// Downloads is set when the program downloads something: it may use proxies, and is not killed
	// for its silence.
	Downloads bool
	// Folders are folders besides the Directory that the program may use. Unrestricted lets it read
	// and write whatever this process can; otherwise it runs in a sandbox where the kernel supports
	// one.
	Folders      []string
	Unrestricted bool
	// ResourceType is for the log.
	ResourceType string
}

// errNoTurn is returned when a command is run without the permission to do so.
var errNoTurn = errors.New("the turn was released")

// Run runs the program until it ends. An error means that it did not start.
func (d *Directory) Run(ctx context.Context, t *Turn, c Command) (Result, error) {
	if t.use == 0 {
		return Result{}, errNoTurn
	}
	r := d.runner
	program := process{
		path: r.options.Program.Path, args: c.Args, dir: d.workspace.dir, env: d.environment(c),
		waiting: c.Waiting, patience: r.options.Patience,
	}
	if !c.Unrestricted {
		program.sandbox = r.sandbox(append(slices.Clone(c.Folders), d.workspace.dir), c.Downloads)
	}
	if c.Downloads {
		program.patience = 0
	}
	stray := ""
	if c.Event != nil {
		program.line = func(line []byte) {
			switch e, ok := parseEvent(line); {
			case ok:
				c.Event(e)
			case stray == "":
				stray = PlainText(Shorten(string(line)))
			}
		}
	}
	begun := time.Now()
	ctx, span := tracing.Child(ctx, "command line "+c.Args[0])
	out, err := program.run(ctx)
	span.End(err != nil || out.Status != 0)
	if err != nil {
		return Result{}, err
	}
	out.Stray = stray
	r.options.Logger.V(1).Info("ran", "command", c.Args[0], "type", c.ResourceType, "took", time.Since(begun).String(), "status", out.Status)
	return out, nil
}

// environment returns the environment of a command.
func (d *Directory) environment(c Command) []string {
	env := map[string]string{"HOME": d.workspace.dir, "TMPDIR": d.workspace.dir, "TF_CLI_CONFIG_FILE": os.DevNull}
	if len(d.attachments) > 0 {
		env["TF_REATTACH_PROVIDERS"] = reattachProviders(d.attachments)
	}
	if c.Downloads {
		env["GIT_TERMINAL_PROMPT"] = "0"
		for _, name := range inheritedForDownloads {
			if value, ok := os.LookupEnv(name); ok {
				env[name] = value
			}
		}
	}
	maps.Copy(env, c.Env)
	return environment(env)
}
