package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// playgroundNames are the names of the playground's program: as it is released, and as a checkout
// builds it.
var playgroundNames = []string{"landbridge-playground", "playground"}

func newPlaygroundCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "playground [up|demo|serve] [flags]",
		Short: "Run a Kubernetes control plane with Landbridge on this machine, without containers",
		Long: `Run a Kubernetes control plane with Landbridge on this machine, without containers.

The program landbridge-playground is needed: a release of its own, since it is a whole
API server. It is searched beside this program and in PATH.`,
		Example: `  # A cluster with Landbridge and example providers, until Ctrl-C
  landbridge playground up

  # The whole story in one command
  landbridge playground demo`,
		// All flags are the other program's.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
				return cmd.Help()
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			program, err := playgroundProgram(self)
			if err != nil {
				return err
			}
			// It takes the place of this process, so that it gets its signals.
			if err := syscall.Exec(program, append([]string{program}, playgroundArgs(self, args)...), os.Environ()); err != nil {
				return fmt.Errorf("%s cannot be run: %w", program, err)
			}
			return nil
		},
	}
}

// playgroundProgram returns the path of the playground's program, beside this one or in PATH.
func playgroundProgram(self string) (string, error) {
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	for _, name := range playgroundNames {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	if found, err := exec.LookPath(playgroundNames[0]); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("the program %s is neither beside %s nor in PATH; it is released as "+
		"%s_VERSION_OS_ARCH.tar.gz", playgroundNames[0], self, playgroundNames[0])
}

// playgroundArgs adds which program is Landbridge's controller.
func playgroundArgs(self string, args []string) []string {
	takes := len(args) > 0 && (args[0] == "up" || args[0] == "demo")
	given := slices.ContainsFunc(args, func(a string) bool { return a == "--landbridge" || strings.HasPrefix(a, "--landbridge=") })
	if !takes || given {
		return args
	}
	return append([]string{args[0], "--landbridge", self}, args[1:]...)
}
