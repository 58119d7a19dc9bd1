package differential

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// Fixtures reads the cases saved in a directory, in the order of their names.
func Fixtures(dir string) (names []string, all []*cases.Case, err error) {
	names, err = filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("no cases in %s", dir)
	}
	slices.Sort(names)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		c, err := cases.Decode(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, c)
	}
	return names, all, nil
}

// Save saves a case.
func Save(path string, c *cases.Case) error {
	raw, err := c.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
