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
	original, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(original, []byte(m.old)); n != 1 {
		return "", fmt.Errorf("%s has %d places to change, and not one: %q", m.file, n, m.old)
	}
	changed, overlay, program := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "simulate")
	if err := os.WriteFile(changed, bytes.Replace(original, []byte(m.old), []byte(m.new), 1), 0o600); err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, content, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./internal/simulation/cmd/simulate").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	out, err := exec.Command(program, "-first", "-ops", fmt.Sprint(*operations), "-seed", fmt.Sprint(*seed)).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &exit) || operated.FindSubmatch(out) == nil || violated.FindSubmatch(out) == nil:
		return "", fmt.Errorf("the simulation ended with %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return fmt.Sprintf("%s, within %s operations", violated.FindSubmatch(out)[1], operated.FindSubmatch(out)[1]), nil
}
