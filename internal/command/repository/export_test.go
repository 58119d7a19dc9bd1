package repository

// Replacements returns the replacements of a go.mod as old and new module, with their versions.
func Replacements(goMod, checkout string) ([][2]string, error) {
	all, err := replacements(goMod, checkout)
	var out [][2]string
	for _, r := range all {
		out = append(out, [2]string{r.Old.String(), r.New.String()})
	}
	return out, err
}
