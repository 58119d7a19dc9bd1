package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
)

// openBinary opens a binary that can be run and has a checksum, unless that is empty.
func openBinary(path, sum string) (_ *os.File, problem *StartError) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may not be a file
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &StartError{Reason: NotFound, Detail: "there is no such file", Err: err}
	case err != nil:
		return nil, &StartError{Reason: NotFound, Detail: "the file cannot be read: " + err.Error(), Err: err}
	}
	defer func() {
		if problem != nil {
			_ = f.Close()
		}
	}()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, &StartError{Reason: NotFound, Detail: "the file cannot be read: " + err.Error(), Err: err}
	case !info.Mode().IsRegular():
		return nil, &StartError{Reason: NotExecutable, Detail: "it is not a file"}
	case info.Mode()&0o111 == 0:
		return nil, &StartError{Reason: NotExecutable, Detail: "the file is not marked as executable; chmod +x it"}
	case sum == "":
		return f, nil
	}
	switch is, err := checksum.Sum(f); {
	case err != nil:
		return nil, &StartError{Reason: NotFound, Detail: "the file cannot be read: " + err.Error(), Err: err}
	case is != sum:
		return nil, &StartError{
			Reason: ChecksumMismatch,
			Detail: fmt.Sprintf("the file has changed: its checksum is %s, and %s was checked", is, sum),
		}
	}
	return f, nil
}

// command returns the command that runs an open binary.
func command(binary *os.File, args []string) *exec.Cmd {
	cmd := exec.Command(binary.Name(), args...)
	if descriptors() && !isScript(binary) {
		// The descriptor, and not what has the path by now. A script is read by its interpreter, by
		// path.
		cmd.Path, cmd.ExtraFiles = "/proc/self/fd/3", []*os.File{binary}
	}
	return cmd
}

// isScript reports whether a binary is run by an interpreter, or cannot be read.
func isScript(binary *os.File) bool {
	start := make([]byte, 2)
	_, err := binary.ReadAt(start, 0)
	return err != nil || string(start) == "#!"
}
