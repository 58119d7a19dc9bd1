package install

// For the fuzzers.
var (
	ParseArchiveName = parseArchiveName
	ParseBinaryName  = parseBinaryName
	UnpackProgram    = unpackProgram
)

// ParseConstraints reports whether a text is a version constraint.
func ParseConstraints(s string) bool {
	_, err := parseConstraints(s)
	return err == nil
}
