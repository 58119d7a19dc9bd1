package sources

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// configFile returns the configuration file of OpenTofu's or Terraform's command line; empty if
// there is none. The syntax of both is the same, and so are the blocks that say where providers
// come from: whoever has set up a mirror for them has it for Landbridge as well.
func configFile() string {
	if named := cmp.Or(os.Getenv("TF_CLI_CONFIG_FILE"), os.Getenv("TERRAFORM_CONFIG")); named != "" {
		return firstFile(named) // OpenTofu and Terraform do without a file that does not exist, too
	}
	return firstFile(inHome(".tofurc"), inConfig("opentofu", "tofurc"), inHome(".terraformrc"),
		inApplicationData("tofu.rc"), inApplicationData("terraform.rc"))
}

// loginFile returns the file in which tofu login or terraform login keeps tokens; empty if there is
// none.
func loginFile() string {
	const name = "credentials.tfrc.json"
	return firstFile(inHome(".terraform.d", name), inConfig("opentofu", name), inApplicationData("terraform.d", name))
}

// inHome, inConfig and inApplicationData return a path where the user's files are; empty if the
// system has no such place.
func inHome(name ...string) string {
	home, err := os.UserHomeDir()
	if err != nil || runtime.GOOS == "windows" {
		return ""
	}
	return filepath.Join(append([]string{home}, name...)...)
}

func inConfig(name ...string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" && runtime.GOOS != "windows" {
		return filepath.Join(append([]string{dir}, name...)...)
	}
	return ""
}

func inApplicationData(name ...string) string {
	if dir := os.Getenv("APPDATA"); dir != "" && runtime.GOOS == "windows" {
		return filepath.Join(append([]string{dir}, name...)...)
	}
	return ""
}

// firstFile returns the first path that is a file.
func firstFile(paths ...string) string {
	for _, path := range paths {
		if info, err := os.Stat(path); path != "" && err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// explain adds to an error why a configuration file is read that no flag names.
func (f *Flags) explain(err error) error {
	if f.read == "" {
		return err
	}
	return fmt.Errorf("%w. %s is read since no flag says where providers come from: correct it, or name another "+
		"file with --%s (none: --%s=)", err, f.read, installation, installation)
}
