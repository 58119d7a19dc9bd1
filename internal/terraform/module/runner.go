package module

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// Runner runs a program, as commandline.Runner does.
type Runner interface {
	// Program returns the program.
	Program() *commandline.Program
	// Open returns a new, empty directory.
	Open() (Directory, error)
	// Turn waits until a run of the given use may start.
	Turn(ctx context.Context, use commandline.Use) (*commandline.Turn, error)
}

// Directory is a directory in which commands run, as commandline.Directory is.
type Directory interface {
	// Write writes a file. Read returns the content of one; nil if there is no such file.
	Write(name string, content []byte) error
	Read(name string) ([]byte, error)
	// Attach makes the program use a server for a provider, until Detach.
	Attach(address string, server tfprotov6.ProviderServer) error
	Detach()
	// Run runs the program until it ends. An error means that it did not start.
	Run(ctx context.Context, t *commandline.Turn, c commandline.Command) (commandline.Result, error)
	// Close removes the directory.
	Close()
}

// runner is a Runner of real programs.
type runner struct{ *commandline.Runner }

// Open implements Runner.
func (r runner) Open() (Directory, error) {
	d, err := r.Runner.Open()
	if err != nil {
		return nil, err
	}
	return d, nil
}
