package client

import (
	"fmt"
	"strconv"
	"strings"
)

// arguments are those of a command.
type arguments struct {
	command command
	flags   map[string]string // the options that were given, with their values
	rest    []string          // all others
}

// parse reads the arguments of a command. Options may come after other arguments, but not after --
// or --end-of-options.
func parse(c command, args []string) (arguments, error) {
	out := arguments{command: c, flags: map[string]string{}}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" || arg == "--end-of-options" {
			out.rest = append(out.rest, args...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			out.rest = append(out.rest, arg)
			continue
		}
		name, value, given := strings.Cut(arg, "=")
		hasValue, known := c.flags[name]
		switch {
		case !known || given && !hasValue:
			return out, out.wrong("the option '" + name + "' is not known")
		case hasValue && !given && len(args) == 0:
			return out, out.wrong("the option '" + name + "' needs a value")
		case hasValue && !given:
			value, args = args[0], args[1:]
		}
		out.flags[name] = value
	}
	return out, nil
}

// wrong is the error for arguments that the command does not have.
func (a arguments) wrong(what string) error {
	const text = "error: %s. The git of Landbridge's image has:\n    git %s"
	return failure{Usage, fmt.Sprintf(text, what, a.command.usage)}
}

// has reports whether one of the options was given.
func (a arguments) has(names ...string) bool {
	for _, name := range names {
		if _, ok := a.flags[name]; ok {
			return true
		}
	}
	return false
}

// needs returns an error unless all the options were given, and as many other arguments as allowed.
func (a arguments) needs(least, most int, options ...string) error {
	for _, name := range options {
		if !a.has(name) {
			return a.wrong("the option '" + name + "' is missing")
		}
	}
	if n := len(a.rest); n < least || n > most {
		return a.wrong(fmt.Sprintf("there are %d arguments", n))
	}
	return nil
}

// depth returns the value of --depth; 0 is all of the history.
func (a arguments) depth() (int, error) {
	text, ok := a.flags["--depth"]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fatalf("depth %s is not a positive number", text)
	}
	return n, nil
}
