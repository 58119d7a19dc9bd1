//go:build !unix

package commandline

import (
	"errors"
	"os"
)

// lock returns an error: the directories of other processes cannot be told from those of dead ones.
func lock(string) (*os.File, error) {
	return nil, errors.New("the command line of OpenTofu or Terraform is run on Linux and macOS only")
}
