package install

import "os"

// For the fuzzers.
var ParseArchiveName = parseArchiveName

// UnpackProgram extracts the program of an archive.
func UnpackProgram(archive, typ, dir, path string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = unpackPackage(f, typ, dir, path, true)
	return err
}

// ParseConstraints reports whether a text is a version constraint.
func ParseConstraints(s string) bool {
	_, err := parseConstraints(s)
	return err == nil
}
