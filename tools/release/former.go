package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// formerFile names the release before the next one, by which make downgrade tries upgrades and
// downgrades: its version, and its commit or tag.
var formerFile = filepath.Join("test", "downgrade", "former")

// succeed makes a release the former one of the next. It reports whether the file has changed and
// is to be committed.
func succeed(root, version string) (changed bool, err error) {
	semantic, ok := strings.CutPrefix(version, "v")
	if !ok || strings.Contains(version, "-") {
		return false, nil // a prerelease, or no release at all
	}
	file := filepath.Join(root, formerFile)
	before, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	after := []byte(semantic + " " + version + "\n")
	if bytes.Equal(before, after) {
		return false, nil
	}
	return true, os.WriteFile(file, after, 0o644)
}

// lastReleased returns the version of the newest release in a changelog that is not the checkout's
// own: as long as nothing is listed as unreleased, the checkout is the newest one.
func lastReleased(changelog string) (string, error) {
	var versions []string
	own := true
	for section := range strings.SplitSeq("\n"+changelog, "\n## ") {
		title, entries, _ := strings.Cut(section, "\n")
		title = strings.Trim(title, "[]v ")
		switch {
		case title == "Unreleased":
			own = strings.TrimSpace(entries) == ""
		case title != "" && title[0] >= '0' && title[0] <= '9':
			versions = append(versions, title)
		}
	}
	if own && len(versions) > 0 {
		versions = versions[1:]
	}
	if len(versions) == 0 {
		return "", errors.New("CHANGELOG.md has no former release")
	}
	return versions[0], nil
}

// checkFormer returns an error unless formerFile names the former release.
func checkFormer(root string) error {
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	want, err := lastReleased(string(changelog))
	if err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(root, formerFile))
	if err != nil {
		return err
	}
	if have, _, _ := strings.Cut(string(content), " "); have != want {
		return fmt.Errorf("the former release is %s by CHANGELOG.md, and %s by %s: write its version and "+
			"tag into that file", want, have, formerFile)
	}
	return nil
}
