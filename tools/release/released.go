package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// installing are the pages that say how to install a release.
var installing = []string{"README.md", filepath.Join("docs", "install.md")}

// unreleased is how these pages introduce what needs a release as long as there is none, and
// released how they do since.
const unreleased, released = "From the first release on", "With a release"

// announce makes the pages say that there is a release. It returns an error if one of them did not
// say so yet: what is released has to be what was committed.
func announce(root, version string) error {
	if strings.Contains(version, "-") {
		return nil // a prerelease, or no release at all
	}
	var changed []string
	for _, page := range installing {
		file := filepath.Join(root, page)
		before, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		after := bytes.ReplaceAll(before, []byte(unreleased), []byte(released))
		if bytes.Equal(before, after) {
			continue
		}
		if err := os.WriteFile(file, after, 0o644); err != nil {
			return err
		}
		changed = append(changed, page)
	}
	if changed != nil {
		return fmt.Errorf("now that there is a release, %s tells how to install it: commit the change, tag that "+
			"commit, and run this again", strings.Join(changed, " and "))
	}
	return nil
}
