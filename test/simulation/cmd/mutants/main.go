package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	operations = flag.Int("ops", 200000, "number of operations in which a fault has to be found")
	seed       = flag.Uint64("seed", 1, "seed of the simulation")
	search     = flag.Bool("search", false, "do not try the schedules that are kept first")
	keep       = flag.Bool("keep", false, "shrink the schedule that finds a fault, and keep it in testdata")
	only       = flag.String("only", "", "make only the faults with these names, separated by semicolons")
)

func main() {
	flag.Parse()
	chosen, err := choose(*only)
	if err != nil {
		fatal(err)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(dir)
	found, n := 0, len(chosen)
	for _, m := range chosen {
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

// choose returns the faults with some names, which are separated by semicolons; all of them without
// any.
func choose(names string) ([]mutant, error) {
	if names == "" {
		return mutants, nil
	}
	var out []mutant
	for name := range strings.SplitSeq(names, ";") {
		i := slices.IndexFunc(mutants, func(m mutant) bool { return m.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("there is no fault %q in test/simulation/cmd/mutants/list.go", strings.TrimSpace(name))
		}
		out = append(out, mutants[i])
	}
	return out, nil
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
	kept := filepath.Join("test/simulation/testdata", strings.NewReplacer(" ", "-", ",", "", "'", "").Replace(m.name)+".txt")
	if _, err := os.Stat(kept); err == nil && !*search {
		var exit *exec.ExitError
		if err := exec.Command(program, "-replay", kept).Run(); errors.As(err, &exit) {
			return "by the schedule that is kept", nil
		}
	}
	if *keep && !m.approvals && !m.references && !m.brake && !m.accounts && !m.triggers && !m.versions && !m.unmanaged {
		if out, err := exec.Command(program, "-first", "-shrink", "-keep", kept, "-ops", fmt.Sprint(*operations),
			"-seed", fmt.Sprint(*seed), fmt.Sprintf("-replicas=%d", m.replicas)).CombinedOutput(); err == nil {
			return "", fmt.Errorf("nothing to keep\n%s", out)
		}
		return kept, nil
	}
	out, err := exec.Command(program, "-first", "-ops", fmt.Sprint(*operations), "-seed", fmt.Sprint(*seed),
		fmt.Sprintf("-approvals=%t", m.approvals), fmt.Sprintf("-references=%t", m.references),
		fmt.Sprintf("-brake=%t", m.brake), fmt.Sprintf("-accounts=%t", m.accounts),
		fmt.Sprintf("-triggers=%t", m.triggers), fmt.Sprintf("-versions=%t", m.versions),
		fmt.Sprintf("-unmanaged=%t", m.unmanaged),
		fmt.Sprintf("-replicas=%d", m.replicas)).CombinedOutput()
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
func (m mutant) changed(root string) (sources, error) {
	before, after := sources{}, sources{}
	for _, e := range m.edits {
		if err := after.apply(root, e); err != nil {
			return nil, err
		}
	}
	for _, e := range m.edits {
		if err := before.read(filepath.Join(root, e.in)); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(after, func(file string, content []byte) bool { return bytes.Equal(content, before[file]) })
	return after, nil
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
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./test/simulation/cmd/simulate").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
