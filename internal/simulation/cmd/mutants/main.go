package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	operations = flag.Int("ops", 200000, "number of operations in which a fault has to be found")
	seed       = flag.Uint64("seed", 1, "seed of the simulation")
	search     = flag.Bool("search", false, "do not try the schedules that are kept first")
	keep       = flag.Bool("keep", false, "shrink the schedule that finds a fault, and keep it in testdata")
	only       = flag.String("only", "", "make only the fault with this name")
)

func main() {
	flag.Parse()
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(dir)
	found, n := 0, 0
	for _, m := range mutants {
		if *only != "" && m.name != *only {
			continue
		}
		n++
		how, err := find(dir, m)
		if err != nil {
			fatal(fmt.Errorf("%s: %w", m.name, err))
		}
		if how == "" {
			fmt.Printf("NOT FOUND: %s\n", m.name)
			continue
		}
		found++
		fmt.Printf("found: %s (%s)\n", m.name, how)
	}
	fmt.Printf("mutants: %d of %d found\n", found, n)
	if found < n {
		os.RemoveAll(dir)
		os.Exit(1) //nolint:gocritic // removed above
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

var (
	operated = regexp.MustCompile(`(?m)^simulate: (\d+) operations`)
	violated = regexp.MustCompile(`(?m)^  ([a-z ]+): `)
)

// find returns how a fault was found; empty if it was not.
func find(dir string, m mutant) (string, error) {
	program, err := build(dir, m)
	if err != nil {
		return "", err
	}
	kept := filepath.Join("internal/simulation/testdata", strings.NewReplacer(" ", "-", ",", "", "'", "").Replace(m.name)+".txt")
	if _, err := os.Stat(kept); err == nil && !*search {
		var exit *exec.ExitError
		if err := exec.Command(program, "-replay", kept).Run(); errors.As(err, &exit) {
			return "by the schedule that is kept", nil
		}
	}
	if *keep && !m.approvals && !m.references && !m.brake && !m.accounts {
		if out, err := exec.Command(program, "-first", "-shrink", "-keep", kept, "-ops", fmt.Sprint(*operations), "-seed", fmt.Sprint(*seed), fmt.Sprintf("-replicas=%d", m.replicas)).CombinedOutput(); err == nil {
			return "", fmt.Errorf("nothing to keep\n%s", out)
		}
		return kept, nil
	}
	out, err := exec.Command(program, "-first", "-ops", fmt.Sprint(*operations), "-seed", fmt.Sprint(*seed), fmt.Sprintf("-approvals=%t", m.approvals), fmt.Sprintf("-references=%t", m.references), fmt.Sprintf("-brake=%t", m.brake), fmt.Sprintf("-accounts=%t", m.accounts), fmt.Sprintf("-replicas=%d", m.replicas)).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &exit) || operated.FindSubmatch(out) == nil || violated.FindSubmatch(out) == nil:
		return "", fmt.Errorf("the simulation ended with %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return fmt.Sprintf("%s, within %s operations", violated.FindSubmatch(out)[1], operated.FindSubmatch(out)[1]), nil
}

// changed returns the files that a fault changes, with their content then.
func (m mutant) changed(root string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, e := range append([]edit{m.edit}, m.also...) {
		file := filepath.Join(root, e.file)
		content, ok := out[file]
		if !ok {
			var err error
			if content, err = os.ReadFile(file); err != nil {
				return nil, err
			}
		}
		if n := bytes.Count(content, []byte(e.old)); n != 1 {
			return nil, fmt.Errorf("%s has %d places to change, and not one: %q", e.file, n, e.old)
		}
		out[file] = bytes.Replace(content, []byte(e.old), []byte(e.new), 1)
	}
	return out, nil
}

// build builds the simulation with a fault, and returns the path of the program.
func build(dir string, m mutant) (string, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	files, err := m.changed(root)
	if err != nil {
		return "", err
	}
	replace, overlay, program := map[string]string{}, filepath.Join(dir, "overlay.json"), filepath.Join(dir, "simulate")
	for file, content := range files {
		replace[file] = filepath.Join(dir, fmt.Sprintf("changed%d.go", len(replace)))
		if err := os.WriteFile(replace[file], content, 0o600); err != nil {
			return "", err
		}
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, content, 0o600); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./internal/simulation/cmd/simulate").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
