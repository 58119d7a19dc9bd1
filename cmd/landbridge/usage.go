package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

// explainUsage gives a command and all below it their usage: unknown commands are errors, errors of
// the usage name what is missing, and help shows the flags for provider sources as a group of their
// own.
func explainUsage(root *cobra.Command) {
	addTemplateFunctions()
	root.InitDefaultHelpCmd()
	root.SetOut(outputOf{root}) // cobra keeps the output that the command has now
	root.InitDefaultCompletionCmd()
	root.SetOut(nil)
	root.SetUsageTemplate(withFlagGroups(root.UsageTemplate()))
	root.SetFlagErrorFunc(flagError)
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error { return helpFor(root, args) }
		}
	}
	eachCommand(root, func(c *cobra.Command) {
		if c.HasSubCommands() && !c.Runnable() {
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				if len(args) > 0 {
					return unknownCommand(c, args[0])
				}
				return c.Help()
			}
			return
		}
		check := c.Args
		if check == nil {
			check = cobra.ArbitraryArgs
		}
		c.Args = func(c *cobra.Command, args []string) error { return usageError(c, args, check) }
	})
}

// addTemplateFunctions adds the functions of withFlagGroups to those of all templates of cobra.
var addTemplateFunctions = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("ownFlags", func(c *cobra.Command) string { return flagUsages(c, false) })
	cobra.AddTemplateFunc("sourceFlags", func(c *cobra.Command) string { return flagUsages(c, true) })
})

// outputOf writes to the output that a command has by then.
type outputOf struct{ command *cobra.Command }

func (o outputOf) Write(b []byte) (int, error) { return o.command.OutOrStdout().Write(b) }

// eachCommand calls do with a command and all below it.
func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		eachCommand(below, do)
	}
}

// unknownCommand is the error of a command that does not exist below c.
func unknownCommand(c *cobra.Command, name string) error {
	meant := ""
	c.SuggestionsMinimumDistance = max(c.SuggestionsMinimumDistance, 2)
	if all := c.SuggestionsFor(name); len(all) > 0 {
		slices.Sort(all)
		meant = fmt.Sprintf(" Did you mean %s?", strings.Join(all, " or "))
	}
	return fmt.Errorf("unknown command %q for %q.%s %s --help lists the commands", name, c.CommandPath(), meant, c.CommandPath())
}

// helpFor shows the help of a command.
func helpFor(root *cobra.Command, args []string) error {
	at := root
	for _, name := range args {
		i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
		if i < 0 {
			return unknownCommand(at, name)
		}
		at = at.Commands()[i]
	}
	at.InitDefaultHelpFlag()
	return at.Help()
}

// flagError is the error of a flag that cannot be parsed. Flags of a command that does not exist
// are unknown, too.
func flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath())
}

// usageError returns an error if the arguments or flags of a command are not as its usage says.
// Cobra checks the same, but says only how many arguments it wants.
func usageError(c *cobra.Command, args []string, check cobra.PositionalArgs) error {
	usage := c.CommandPath() + strings.TrimPrefix(c.Use, c.Name())
	if err := check(c, args); err != nil {
		required := positional(c.Use)
		if len(args) < len(required) {
			return missing(required[len(args):], usage)
		}
		if strings.HasPrefix(err.Error(), "accepts ") || strings.HasPrefix(err.Error(), "unknown command ") {
			last := len(args)
			for last > 1 && check(c, args[:last-1]) != nil {
				last--
			}
			return fmt.Errorf("unexpected argument %q; the usage is: %s", args[last-1], usage)
		}
		return err
	}
	if flags := missingFlags(c); len(flags) > 0 {
		return missing(flags, usage)
	}
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	if m := exclusive.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s cannot be given together", flagNames(c, m[1], " and "))
	}
	if m := oneOf.FindStringSubmatch(err.Error()); m != nil {
		return missing([]string{flagNames(c, m[1], " or ")}, usage)
	}
	return err
}

// missing is the error of arguments or flags that are missing.
func missing(what []string, usage string) error {
	is := "is"
	if len(what) > 1 {
		is = "are"
	}
	return fmt.Errorf("%s %s missing; the usage is: %s", strings.Join(what, " and "), is, usage)
}

// Errors of cobra's groups of flags.
var (
	exclusive = regexp.MustCompile(`none of the others can be; \[(.*)\] were all set`)
	oneOf     = regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required`)
)

// positional returns the arguments that a usage line requires, such as BINARY|PATH.
func positional(use string) (out []string) {
	for _, word := range strings.Fields(use)[1:] {
		if strings.ContainsAny(word[:1], "[({-") {
			break
		}
		out = append(out, word)
	}
	return out
}

// missingFlags returns the required flags that are not given.
func missingFlags(c *cobra.Command) (out []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if required := f.Annotations[cobra.BashCompOneRequiredFlag]; len(required) > 0 && required[0] == "true" && !f.Changed {
			out = append(out, flagName(f))
		}
	})
	return out
}

// flagNames returns flags as a user writes them, from their names with spaces between.
func flagNames(c *cobra.Command, names, between string) string {
	var out []string
	for _, name := range strings.Fields(names) {
		out = append(out, flagName(c.Flags().Lookup(name)))
	}
	return strings.Join(out, between)
}

func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return fmt.Sprintf("--%s (-%s)", f.Name, f.Shorthand)
	}
	return "--" + f.Name
}

// failures are the exit statuses of errors, of the commands for which 1 has another meaning.
var failures = map[string]int{
	"landbridge diff":             2,
	"landbridge provider compare": 2,
}

// exitStatus returns the exit status of a command that ended with an error, and whether the error
// must still be printed.
func exitStatus(c *cobra.Command, err error) (code int, tell bool) {
	if code, tell = exitCode(err); tell && c != nil {
		if other, ok := failures[c.CommandPath()]; ok {
			code = other
		}
	}
	return code, tell
}

// flagUsages describes the flags of a command: those for provider sources, or all others.
func flagUsages(c *cobra.Command, forSources bool) string {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SortFlags = c.Flags().SortFlags
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[sources.Group]; ok == forSources {
			out.AddFlag(f)
		}
	})
	return strings.TrimRight(out.FlagUsages(), " \n")
}

// withFlagGroups returns cobra's template of the usage, with the flags for provider sources apart
// from the others.
func withFlagGroups(template string) string {
	const all = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	if !strings.Contains(template, all) {
		panic(errors.New("cobra's template of the usage has changed"))
	}
	template = strings.ReplaceAll(template, all, "{{ownFlags .}}{{with sourceFlags .}}\n\nWhere providers come from:\n{{.}}{{end}}")
	// A command that only has others is not run itself.
	return strings.Replace(template, "{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}", 1)
}
