package cli

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Directory is a directory in which the program is run more than once, for what is not one resource.
// It is removed when it is closed, or by the next process.
type Directory struct {
	runner      *Runner
	workspace   *workspace
	attachments map[string]*attachment
}

// Open makes an empty directory.
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

// Path is the path of a file in the directory.
func (d *Directory) Path(name string) string { return d.workspace.path(name) }

// Write writes a file that nobody else can read.
func (d *Directory) Write(name string, content []byte) error { return d.workspace.write(name, content) }

// Read reads a file; nil is that it is not there.
func (d *Directory) Read(name string) ([]byte, error) { return d.workspace.read(name) }

// Attach has the program use a server for the provider of an address. It is not started, configured nor stopped by the program.
func (d *Directory) Attach(address string, server tfprotov6.ProviderServer) error {
	a, err := attach(d.Path(socketName+string(rune('a'+len(d.attachments)))), server)
	if err != nil {
		return err
	}
	d.attachments[address] = a
	return nil
}

// Command is one run of the program in a Directory.
type Command struct {
	Args []string
	Env  map[string]string
	// Line is told each line of its standard output as it comes; nil is nobody.
	Line func([]byte)
	// Busy says whether it waits for an answer of ours; nil is never.
	Busy func() bool
	// Changes says that it waits for providers most of the time: it does not count as one that is at work.
	Changes bool
	// Fetches says that it speaks to others, and may take its time.
	Fetches bool
}

// Ended is how a Command ended.
type Ended struct {
	Stdout []byte
	Stderr string
	// OK says that it exited by itself with status 0.
	OK bool
	// How it ended, for a person.
	How string
}

// fetching are the variables that a program gets which fetches something, besides the inherited ones.
var fetching = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// Run runs the program to its end. It is an error if it does not start.
func (d *Directory) Run(ctx context.Context, c Command) (Ended, error) {
	r := d.runner
	turn := r.turns
	if c.Changes {
		turn = r.changes
	}
	if err := turn.Acquire(ctx, 1); err != nil {
		return Ended{}, err
	}
	defer turn.Release(1)
	env := map[string]string{"HOME": d.workspace.dir, "TMPDIR": d.workspace.dir, "TF_CLI_CONFIG_FILE": os.DevNull}
	if len(d.attachments) > 0 {
		env["TF_REATTACH_PROVIDERS"] = attached(d.attachments)
	}
	patience := r.options.Patience
	if c.Fetches {
		patience = 0
		env["GIT_TERMINAL_PROMPT"] = "0"
		for _, name := range fetching {
			if value, ok := os.LookupEnv(name); ok {
				env[name] = value
			}
		}
	}
	for name, value := range c.Env {
		env[name] = value
	}
	program := run{path: r.options.Program.Path, args: c.Args, dir: d.workspace.dir, env: environment(env), line: c.Line, busy: c.Busy, patience: patience}
	out, err := program.do(ctx)
	if err != nil {
		return Ended{}, err
	}
	return Ended{Stdout: out.stdout, Stderr: out.stderr, OK: out.killed == nil && out.code == 0, How: out.ended()}, nil
}

// Detach ends the servers of the attached providers. What they were asked goes on.
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
