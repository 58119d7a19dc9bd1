package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// vectors are the numbers of the contract's vectors: those of resources, actions and ephemeral
// resources.
var vectors = slices.Concat(numbers(1, 131), numbers(201, 226), numbers(301, 324))

func numbers(first, last int) []int {
	out := make([]int, 0, last-first+1)
	for n := first; n <= last; n++ {
		out = append(out, n)
	}
	return out
}

// notApplicable are vectors that no test can be made of, with the reason.
var notApplicable = map[int]string{}

// runs are the packages that hold vectors, by module.
var runs = map[string][]string{
	"github.com/landbridge-io/landbridge":               {"./internal/terraform/engine/...", "./internal/provider/..."},
	"github.com/landbridge-io/landbridge/test/contract": {"./vectors/..."},
}

var number = regexp.MustCompile(`(?:^|/|Test|_|\()V(\d{2,3})(?:\D|$)`)

// event is one line of go test -json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

func main() {
	verbose := flag.Bool("v", false, "list every vector")
	from := flag.String("results", "", "file with the output of go test -json, to report instead of running the tests")
	flag.Parse()
	results := &results{passed: map[int][]string{}, failed: map[int][]string{}, output: map[string][]string{}}
	broken := false
	for module, packages := range runs {
		var err error
		if *from != "" {
			err = results.readFile(*from, module, packages)
		} else {
			err = results.run(module, packages)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s\n", module, err)
			broken = true
		}
	}
	if !results.report(*verbose) || broken {
		os.Exit(1)
	}
}

type results struct {
	// passed and failed are the tests of each vector.
	passed, failed map[int][]string
	output         map[string][]string
}

// run tests one module's packages. Tests that fail are no error, but a module that cannot be tested
// is.
func (r *results) run(module string, packages []string) error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, packages...)...)
	cmd.Dir = strings.TrimSpace(string(dir))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	failures, err := r.read(stdout, func(string) bool { return true })
	if err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil && failures == 0 {
		return fmt.Errorf("%w: %s", err, &stderr)
	}
	if stderr.Len() > 0 {
		fmt.Fprint(os.Stderr, &stderr)
	}
	return nil
}

// readFile reads the results of one module's packages from a file.
func (r *results) readFile(name, module string, packages []string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = r.read(f, func(pkg string) bool {
		return slices.ContainsFunc(packages, func(pattern string) bool {
			tree := path.Join(module, strings.TrimSuffix(pattern, "/..."))
			return pkg == tree || strings.HasPrefix(pkg, tree+"/")
		})
	})
	return err
}

// read reads the events of packages for which of returns true, and returns how many packages
// failed. Lines that are not events are ignored.
func (r *results) read(in io.Reader, of func(pkg string) bool) (failures int, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || !of(e.Package) {
			continue
		}
		if e.Action == "fail" && e.Test == "" {
			failures++
		}
		r.add(e)
	}
	return failures, lines.Err()
}

func (r *results) add(e event) {
	name := e.Package + "." + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Action == "build-output" {
			fmt.Print(e.Output)
		}
		r.output[name] = append(r.output[name], e.Output)
	case "pass", "fail", "skip":
		match := number.FindStringSubmatch(e.Test)
		if match == nil {
			if e.Action == "fail" && e.Test != "" {
				fmt.Printf("--- FAIL: %s (no vector)\n%s", name, strings.Join(r.output[name], ""))
			}
			return
		}
		n, _ := strconv.Atoi(match[1])
		if e.Action == "pass" {
			r.passed[n] = append(r.passed[n], name)
			return
		}
		r.failed[n] = append(r.failed[n], name)
		fmt.Print(strings.Join(r.output[name], ""))
	}
}

// report prints the outcome, and reports whether all vectors passed.
func (r *results) report(verbose bool) bool {
	passed, failed, not := 0, 0, 0
	for _, n := range vectors {
		reason, no := notApplicable[n]
		switch {
		case len(r.failed[n]) > 0:
			failed++
			fmt.Printf("V%02d failed: %s\n", n, strings.Join(r.failed[n], ", "))
		case no && len(r.passed[n]) > 0:
			failed++
			fmt.Printf("V%02d failed: it is listed as not applicable, but there is a test of it: %s\n", n, r.passed[n][0])
		case no:
			not++
			fmt.Printf("V%02d not applicable: %s\n", n, reason)
		case len(r.passed[n]) == 0:
			failed++
			fmt.Printf("V%02d failed: there is no test of it\n", n)
		default:
			passed++
			if verbose {
				fmt.Printf("V%02d passed: %d tests\n", n, len(r.passed[n]))
			}
		}
	}
	fmt.Printf("vectors: %d passed, %d not applicable, %d failed\n", passed, not, failed)
	return failed == 0
}
