package commandline

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/landbridge-io/landbridge/internal/text"
)

// Result is the outcome of a run.
type Result struct {
	Stdout []byte
	Stderr string
	// Stray is the first line of the standard output that is not an event, of a run with events.
	Stray string
	// Status is the exit status; -1 if the program was killed.
	Status int
	// Killed is the reason why the program was killed; nil if it exited by itself.
	Killed error
}

// errHangs is the error of a program that was killed because it neither wrote anything nor waited
// for a provider.
var errHangs = errors.New("it hung")

// errInterrupted is the error of a program that was not started, because its operation was
// interrupted before.
var errInterrupted = errors.New("the operation was interrupted")

// OK reports whether the program exited by itself with status 0.
func (r Result) OK() bool { return r.Killed == nil && r.Status == 0 }

// Ending describes how the run ended, as the end of a sentence about the program.
func (r Result) Ending() string {
	switch {
	case errors.Is(r.Killed, errHangs):
		return "it hung and was killed: it had no output and was not waiting for the provider"
	case errors.Is(r.Killed, errInterrupted):
		return "it was not started, because the operation was interrupted"
	case r.Killed != nil:
		return "it was killed because the operation's time was up"
	case r.Status < 0:
		return "it was ended by a signal"
	}
	return fmt.Sprintf("it exited with status %d", r.Status)
}

// Failure describes a failed run, with the beginning of the program's output. spell changes the
// output before it is shortened; nil leaves it unchanged.
func (r Result) Failure(p *Program, spell func(string) string) string {
	out := fmt.Sprintf("%s failed: %s.", p, r.Ending())
	for _, text := range []string{r.Stderr, r.Stray} {
		if text = PlainText(text); text == "" {
			continue
		}
		if spell != nil {
			text = spell(text)
		}
		return out + " Its output: " + Shorten(text)
	}
	return out
}

// styling matches colors, and the frames around diagnostics.
var styling = regexp.MustCompile("\x1b\\[[0-9;]*m|[│╷╵]")

// PlainText returns text for a terminal as one line without styling.
func PlainText(s string) string {
	return strings.Join(strings.Fields(styling.ReplaceAllString(s, " ")), " ")
}

// Shorten returns the beginning of a text that the program wrote.
func Shorten(s string) string {
	return text.Shorten(strings.TrimSpace(s), 1000)
}
