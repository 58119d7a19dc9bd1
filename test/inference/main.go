package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
)

var (
	landbridge = flag.String("landbridge", "bin/landbridge", "the program to measure")
	provider   = flag.String("provider", "bin/inference/terraform-provider-azurerm", "program of the provider; it is built unless it exists")
	list       = flag.Bool("list", false, "list arguments that are not found, or found with another target")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := download(azurerm)
	if err != nil {
		return err
	}
	if err := build(dir, *provider); err != nil {
		return fmt.Errorf("build the provider: %w", err)
	}
	truth, err := readSource(dir)
	if err != nil {
		return err
	}
	cmd := exec.Command(*landbridge, "provider", "references", *provider, "--documentation", dir)
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return err
	}
	inferred := config.Provider{}
	if err := yaml.UnmarshalStrict(raw, &inferred); err != nil {
		return err
	}
	f := judge(truth, inferred)
	if *list {
		slices.Sort(f.lines)
		fmt.Println(strings.Join(f.lines, "\n"))
	}
	if f.expected == 0 || f.right == 0 {
		return fmt.Errorf("the source of the provider in %s has no reference that was found", dir)
	}
	fmt.Printf("inference: %d references, %d of them to ids that the source knows: %d right, %d wrong; %d arguments "+
		"take such ids: %.0f %% found\n",
		f.inferred, f.right+f.wrong, f.right, f.wrong, f.expected, 100*float64(f.right)/float64(f.expected))
	return nil
}

// figures compare what was inferred with what the source says.
type figures struct {
	// inferred are all references, right and wrong those to ids about which the source says
	// something.
	inferred, right, wrong int
	// expected is the number of arguments that take the id of an object of a resource type.
	expected int
	lines    []string
}

func judge(truth *facts, inferred config.Provider) (f figures) {
	owned := map[idKind]bool{}
	for _, kind := range truth.owners {
		owned[kind] = true
	}
	found := map[argument][]config.Target{}
	for resourceType, r := range inferred.Resources {
		for path, ref := range r.References {
			f.inferred++
			at := argument{resourceType, path[strings.LastIndex(path, ".")+1:]}
			found[at] = append(found[at], ref.Targets...)
		}
	}
	for at, kind := range truth.arguments {
		if kind == "" || !owned[kind] {
			continue
		}
		f.expected++
		targets := found[at]
		right := slices.ContainsFunc(targets, func(t config.Target) bool {
			return (t.Attribute == "" || t.Attribute == "id") && truth.owners[t.Type] == kind
		})
		switch {
		case len(targets) == 0:
			f.lines = append(f.lines, fmt.Sprintf("missing: %s.%s takes %s", at.resourceType, at.name, kind))
		case right:
			f.right++
		default:
			f.wrong++
			f.lines = append(f.lines, fmt.Sprintf("wrong: %s.%s takes %s, not %v", at.resourceType, at.name, kind, targets))
		}
	}
	return f
}
