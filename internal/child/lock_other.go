//go:build !unix

package child

import (
	"errors"
	"os"
)

// lock returns an error: the folders of running processes cannot be told from those of dead ones.
func lock(string) (*os.File, error) { return nil, errors.ErrUnsupported }
