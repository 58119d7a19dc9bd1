package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The flags of commands that write files. The flag --output is that of formats, with all commands.
const (
	outputDir  = "output-dir"
	outputFile = "output-file"
)

// checkFormat returns an error if the value of --output is none of a command's formats.
func checkFormat(output string, formats []string) error {
	if slices.Contains(formats, output) {
		return nil
	}
	return fmt.Errorf("unknown output %q: must be one of %s", output, strings.Join(formats, ", "))
}

// addPath adds --output-dir or --output-file to a command that writes files, and --output for the
// formats of what it prints, which may be none.
//
// Until the next minor version, a value of --output that is no format is taken as the path.
func addPath(cmd *cobra.Command, name string, path *string, usage string, formats ...string) {
	flags := cmd.Flags()
	flags.StringVar(path, name, "", usage)
	if name == outputDir {
		_ = cmd.MarkFlagDirname(name)
	}
	formatUsage := "a path, as --" + name
	if len(formats) > 0 {
		formatUsage = "output format, without --" + name + ": " + strings.Join(formats, ", ")
	}
	flags.VarP(&pathOrFormat{cmd: cmd, name: name, formats: formats}, "output", "o", formatUsage)
	if len(formats) == 0 {
		_ = flags.MarkHidden("output")
		return
	}
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// pathOrFormat is --output of a command that writes files: a format, or the path that the flag name
// is for.
type pathOrFormat struct {
	cmd     *cobra.Command
	name    string
	formats []string
	value   string
}

func (p *pathOrFormat) String() string { return p.value }
func (p *pathOrFormat) Type() string   { return "string" }

func (p *pathOrFormat) Set(value string) error {
	p.value = value
	if slices.Contains(p.formats, value) {
		return nil
	}
	p.cmd.PrintErrf("Notice: --output is for formats. Write --%s %s for a path; the next minor version does not "+
		"take one in --output any more.\n", p.name, value)
	return p.cmd.Flags().Set(p.name, value)
}
