package client_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is a command, as go-getter runs it. URL, PART and DIR stand for the address of web.git and
// of part.git, and for the directory of the clone; {one} for the hash of a commit, and {two:8} for
// its beginning.
type step struct {
	args   string
	inside bool // the directory of the clone is the working directory
}

// TestInvocations runs every command of go-getter with this git and with the system's, and compares
// what they print, their status, and the repositories.
func TestInvocations(t *testing.T) {
	t.Parallel()
	git := system(t)
	e := newEstate(t)
	server := httptest.NewServer(backend(t, e.dir))
	t.Cleanup(server.Close)
	const modules = "submodule update --init --recursive"
	for name, steps := range map[string][]step{
		"the default branch":              {{"ls-remote --symref -- URL HEAD", false}},
		"the default branch, without --":  {{"ls-remote --symref URL HEAD", false}},
		"all references":                  {{"ls-remote URL", false}},
		"some references":                 {{"ls-remote URL main v1*", false}},
		"a clone":                         {{"clone -- URL DIR", false}, {modules, true}},
		"a clone, without --":             {{"clone URL DIR", false}, {modules, true}},
		"a clone of no repository":        {{"clone -- URLx DIR", false}},
		"a clone into a directory in use": {{"clone -- URL DIR", false}, {"clone -- URL DIR", false}},
		"a shallow clone of a branch":     {{"clone --depth 1 --branch side -- URL DIR", false}, {modules + " --depth 1", true}},
		"a shallow clone of a tag":        {{"clone --depth 1 --branch v1.1.0 -- URL DIR", false}, {modules + " --depth 1", true}},
		"a shallow clone of a plain tag":  {{"clone --depth 1 --branch v1.0.0 -- URL DIR", false}},
		"a shallow clone, two deep":       {{"clone --depth 2 --branch main -- URL DIR", false}, {modules + " --depth 2", true}},
		"a shallow clone of the default":  {{"clone --depth 1 URL DIR", false}, {modules + " --depth 1", true}},
		"a shallow clone of no branch":    {{"clone --depth 1 --branch none -- URL DIR", false}},
		"a shallow clone of a commit":     {{"clone --depth 1 --branch {one} -- URL DIR", false}},
		"a tag": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options v1.0.0^{commit}", true},
			{"checkout {one}", true}, {modules, true},
		},
		"an annotated tag": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options v1.1.0^{commit}", true},
			{"checkout {two}", true}, {modules, true},
		},
		"a tag's object":             {{"clone -- URL DIR", false}, {"rev-parse --verify v1.1.0", true}},
		"a tag, checked out by name": {{"clone URL DIR", false}, {"checkout v1.1.0", true}, {modules, true}},
		"a remote branch": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options side^{commit}", true},
			{"rev-parse --verify --quiet --end-of-options refs/remotes/origin/side^{commit}", true},
			{"checkout side", true},
		},
		"a remote branch, by its name": {{"clone URL DIR", false}, {"checkout feature/x", true}},
		"a commit": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options {one}^{commit}", true},
			{"checkout {one}", true},
		},
		"no commit": {
			{"clone -- URL DIR", false},
			{"rev-parse --verify --quiet --end-of-options 0123456789012345678901234567890123456789^{commit}", true},
			{"checkout 0123456789", true},
		},
		"the beginning of a commit": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options {two:8}^{commit}", true},
			{"checkout {two:8}", true},
		},
		"as git describe says": {
			{"clone -- URL DIR", false}, {
				"rev-parse --verify --quiet --end-of-options v1.0.0-1-g{two:8}^{commit}", true,
			},
		},
		"the commit before": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options main~1^{commit}", true},
			{"rev-parse --verify --quiet --end-of-options v1.1.0^^{commit}", true},
		},
		"an option as a revision": {
			{"clone -- URL DIR", false},
			{"rev-parse --verify --quiet --end-of-options --upload-pack=touch^{commit}", true},
		},
		"a file of the repository": {
			{"clone -- URL DIR", false}, {"rev-parse --verify --quiet --end-of-options config^{commit}", true},
			{"rev-parse --verify --quiet --end-of-options ../x^{commit}", true},
		},
		"a branch that exists": {
			{"clone URL DIR", false}, {"show-ref -q --verify refs/heads/main", true}, {"checkout main", true},
			{"pull --ff-only", true},
		},
		"a branch that does not exist": {
			{"clone URL DIR", false}, {"show-ref -q --verify refs/heads/side", true}, {
				"branch -r --points-at refs/remotes/origin/HEAD", true,
			}, {"checkout main", true}, {"pull --ff-only", true}, {"checkout side", true}, {modules, true},
		},
		"a reference, shown": {{"clone URL DIR", false}, {"show-ref --verify refs/heads/main", true}},
		"an update": {
			{"init", true}, {"remote add origin -- URL", true}, {"fetch --tags", true},
			{"fetch origin -- main", true}, {"reset --hard FETCH_HEAD", true},
			{"rev-parse --verify --quiet --end-of-options refs/remotes/origin/main^{commit}", true},
			{"checkout {three}", true}, {"pull origin --ff-only -- main", true}, {modules, true},
		},
		"an update to a tag": {
			{"init", true}, {"remote add origin -- URL", true}, {"fetch --tags", true}, {
				"fetch origin -- v1.1.0", true,
			}, {"reset --hard FETCH_HEAD", true}, {"checkout {two}", true}, {"pull origin --ff-only -- v1.1.0", true},
		},
		"a shallow update": {
			{"init", true}, {"remote add origin -- URL", true}, {"fetch --tags", true},
			{"fetch origin -- side", true}, {"reset --hard FETCH_HEAD", true}, {"checkout side", true}, {
				"pull origin --depth 1 --ff-only -- side", true,
			},
		},
		"an update to no reference": {{"init", true}, {"remote add origin -- URL", true}, {"fetch origin -- none", true}},
		"an update to the default": {
			{"init", true}, {"remote add origin -- URL", true}, {"fetch origin -- ", true}, {
				"reset --hard FETCH_HEAD", true,
			},
		},
		"a remote repository, twice": {{"init", true}, {"remote add origin -- URL", true}, {"remote add origin -- URL", true}},
		"no fast-forward":            {{"clone URL DIR", false}, {"checkout {side}", true}, {"pull origin --ff-only -- main", true}},
		"a fast-forward":             {{"clone URL DIR", false}, {"checkout {one}", true}, {"pull origin --ff-only -- side", true}},
		"in no repository":           {{"rev-parse --verify --quiet HEAD", true}},
		"a submodule by itself":      {{"clone PART DIR", false}, {modules, true}},
		"a submodule, again":         {{"clone URL DIR", false}, {modules, true}, {modules, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := t.TempDir(), t.TempDir()
			program := filepath.Join(called(t, "git"), "git")
			var got, want []result
			for _, s := range steps {
				got = append(got, runStep(t, e, server.URL, program, ours, s))
				want = append(want, runStep(t, e, server.URL, git, theirs, s))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the commands differ (-git +this):\n%s", diff)
			}
			if t.Failed() {
				for i, s := range got {
					t.Logf("%s: %s%s", steps[i].args, s.Stdout, s.Stderr)
				}
			}
			if diff := cmp.Diff(state(t, git, theirs), state(t, git, ours)); diff != "" {
				t.Errorf("the repositories differ (-git +this):\n%s", diff)
			}
		})
	}
}

// runStep runs a command. What it prints has the names of commits and directories in it again.
func runStep(t *testing.T, e estate, url, git, dir string, s step) result {
	t.Helper()
	clone := filepath.Join(dir, "clone")
	if s.inside {
		if err := os.MkdirAll(clone, 0o777); err != nil {
			t.Fatal(err)
		}
		dir = clone
	}
	values := []string{"URL", url + "/web.git", "PART", url + "/part.git", "DIR", clone}
	for name, commit := range e.commits {
		values = append(values, "{"+name+"}", commit, "{"+name+":8}", commit[:8])
	}
	line := strings.NewReplacer(values...).Replace(s.args)
	out := run(t, git, dir, nil, strings.Split(line, " ")...)
	out.Stdout = strings.ReplaceAll(out.Stdout, clone, "DIR")
	// The messages of a success are git's own matter; those of a failure are compared by their last
	// words.
	if out.Stderr = failures(out.Stderr, clone); out.Status == 0 {
		out.Stderr = ""
	}
	if strings.HasPrefix(line, "pull") || strings.HasPrefix(line, "reset") || strings.HasPrefix(line, "checkout") {
		out.Stdout = "" // a summary of changes
	}
	return out
}

var failureLine = regexp.MustCompile(`(?m)^(?:fatal|error): .*$`)

// failures returns the lines of a message that say what failed.
func failures(stderr, clone string) string {
	return strings.ReplaceAll(strings.Join(failureLine.FindAllString(stderr, -1), "\n"), clone, "DIR")
}

// state returns all that one can see of the repository in the directory clone, as the system's git
// sees it.
func state(t *testing.T, git, dir string) map[string]string {
	t.Helper()
	clone := filepath.Join(dir, "clone")
	out := contents(t, dir)
	if _, err := os.Stat(filepath.Join(clone, ".git")); err != nil {
		return out
	}
	for _, args := range []string{
		"status --porcelain", "symbolic-ref -q HEAD", "for-each-ref --format=%(refname)%(objectname)%(symref)", "fsck --no-dangling",
		"config --get-regexp ^(remote|branch)", "rev-list --count HEAD", "-C parts/part status --porcelain -b",
		"-C parts/part config remote.origin.url",
		"-C parts/part/leaf status --porcelain -b", "-C parts/part rev-list --count HEAD", "-C parts/part rev-parse HEAD", "rev-parse HEAD",
	} {
		if _, err := os.Stat(filepath.Join(clone, "parts/part/leaf/.git")); err != nil && strings.HasPrefix(args, "-C") {
			continue
		}
		r := run(t, git, clone, nil, strings.Fields(args)...)
		out[args] = r.Stdout
		if args == "fsck --no-dangling" {
			out[args] += strings.ReplaceAll(r.Stderr, clone, "DIR")
		}
	}
	if content, err := os.ReadFile(filepath.Join(clone, ".git", "FETCH_HEAD")); err == nil && len(content) > 0 {
		out["FETCH_HEAD"], _, _ = strings.Cut(string(content), "\t")
	}
	return out
}
