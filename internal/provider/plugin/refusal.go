package plugin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// Settings are what users call the parts of a Sandbox.
type Settings struct{ Read, Write, Connect string }

func (s Settings) withDefaults() Settings {
	return Settings{
		Read:    cmp.Or(s.Read, "spec.sandbox.readPaths of the TerraformProvider"),
		Write:   cmp.Or(s.Write, "spec.sandbox.writePaths of the TerraformProvider"),
		Connect: cmp.Or(s.Connect, "spec.sandbox.connect of the TerraformProvider"),
	}
}

// settings returns what users call the parts of the provider's sandbox.
func (l *Launcher) settings() Settings {
	if l.Sandbox == nil {
		return Settings{}
	}
	return l.Sandbox.Settings.withDefaults()
}

// diagnostics returns those of an answer. An error that the sandbox has caused says so.
func (s *Server) diagnostics(in []*tfplugin.Diagnostic) []*tfprotov6.Diagnostic {
	out := fromDiagnostics(in)
	for _, d := range out {
		if d.Severity != tfprotov6.DiagnosticSeverityError {
			continue
		}
		if why := refusal(s.process.sandbox, s.settings, d.Summary+"\n"+d.Detail); why != "" {
			if d.Detail = strings.TrimSpace(d.Detail); d.Detail != "" && !strings.HasSuffix(d.Detail, ".") {
				d.Detail += "."
			}
			d.Detail = strings.TrimSpace(d.Detail + "\n\n" + why)
		}
	}
	return out
}

var (
	// deniedPath matches the errors of Go's package os, "mkdir /a/b: permission denied", and those
	// of C programs, "cannot create '/a/b': Permission denied". An address of a cloud that denies
	// something has no operation.
	deniedPath = regexp.MustCompile("(?i)(?:\\b(" + strings.Join(restricted, "|") +
		") (/[^:\\n]*)|(?:cannot|could not|can't|failed to) [a-z ]*[\"'`](/[^\"'`\n]*)[\"'`]): permission denied")
	deniedPort = regexp.MustCompile(`(?i)dial tcp\S* [^\n]*:(\d+): connect: permission denied`)
)

// restricted are the operations that a sandbox restricts, as Go's package os calls them.
var restricted = []string{
	"open", "openat", "create", "mkdir", "mkdirat", "remove", "unlink", "unlinkat", "rmdir", "rename", "link",
	"symlink", "truncate", "readdirent", "fork/exec",
}

// refusal returns a sentence about the refusal that an error is about, if the sandbox is the cause
// and not the file system: if this program, which runs as the same user outside of the sandbox, is
// permitted what was refused.
func refusal(sandbox *child.Sandbox, settings Settings, text string) string {
	if sandbox == nil {
		return ""
	}
	for _, m := range deniedPort.FindAllStringSubmatch(text, -1) {
		if port, err := strconv.ParseUint(m[1], 10, 16); err == nil && !sandbox.Connects(uint16(port)) {
			return fmt.Sprintf("The provider's sandbox does not permit connections to port %d: add it to %s.", port, settings.Connect)
		}
	}
	for _, m := range deniedPath.FindAllStringSubmatch(text, -1) {
		operation, path := strings.ToLower(m[1]), m[2]+m[3]
		if slices.Contains([]string{"rename", "link", "symlink"}, operation) {
			path, _, _ = strings.Cut(path, " /") // the old path; the new one follows
		}
		if why := refusedPath(sandbox, settings, operation, filepath.Clean(path)); why != "" {
			return why
		}
	}
	return ""
}

func refusedPath(sandbox *child.Sandbox, settings Settings, operation, path string) string {
	info, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing || beneath("/proc", path):
		return "" // this program is refused, too, or it is about another process
	case !missing && reads(operation) && !sandbox.Reads(path) && permitted(path, false):
		return fmt.Sprintf("The provider's sandbox does not permit reading %s: add it to %s, or to writePaths if "+
			"the provider changes it.", path, settings.Read)
	case sandbox.Writes(path) || !permitted(path, true):
		return ""
	}
	folder := path
	if missing && operation != "" && !strings.HasPrefix(operation, "mkdir") || !missing && !info.IsDir() {
		folder = filepath.Dir(path)
	}
	if within := slices.IndexFunc(sandbox.Write, func(dir string) bool { return beneath(dir, path) }); within >= 0 {
		return fmt.Sprintf("The provider's sandbox does not permit anything new in %s, since that folder also has "+
			"credentials or the provider cache: add another folder, or one in it, to %s.",
			sandbox.Write[within], settings.Write)
	}
	return fmt.Sprintf("The provider's sandbox does not permit writing %s: add %s to %s.", path, folder, settings.Write)
}

// reads reports whether an operation may have been to read what exists.
func reads(operation string) bool {
	return slices.Contains([]string{"", "open", "openat", "readdirent", "fork/exec"}, operation)
}

func beneath(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Refused is what a sandbox has refused.
type Refused struct {
	// Sentence is the sentence that says so.
	Sentence string
	// Setting is what users call the part of the sandbox that would permit it, without of what it
	// is a part.
	Setting string
	// Value is what has to be added to the setting: a path, or a port; empty if that is for the
	// user to choose.
	Value string
}

var refused = regexp.MustCompile(`The provider's sandbox does not permit (?:` +
	`connections to port (?P<port>\d+): add it|reading (?P<file>[^\n]+?): add it|writing [^\n]+?: add (?P<folder>[^\n]+?)|anything new in [^\n]+?: add another folder, or one in it,` +
	`) to (?P<setting>[\w.-]+\w)(?: of the TerraformProvider)?(?:, or to writePaths if the provider changes it)?\.`)

// RefusalIn returns what a sandbox has refused by the sentence about it in a message; false if
// there is none.
func RefusalIn(message string) (Refused, bool) {
	m := refused.FindStringSubmatch(message)
	if m == nil {
		return Refused{}, false
	}
	at := func(name string) string { return m[refused.SubexpIndex(name)] }
	return Refused{Sentence: m[0], Setting: at("setting"), Value: cmp.Or(at("port"), at("file"), at("folder"))}, true
}
