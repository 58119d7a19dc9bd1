package plugin_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// TestRefusals has what a provider's sandbox refuses, and what the file system refuses, which the
// message tells apart.
func TestRefusals(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plant(t, dir, "token", "readable/file", "writable/file", "above/file", "above/secret/token")
	open, closed := listen(t, "tcp", "127.0.0.1:0"), listen(t, "tcp", "127.0.0.1:0")
	l := sandboxed(t, plugin.Sandbox{
		Read:    []string{filepath.Join(dir, "readable")},
		Write:   []string{filepath.Join(dir, "writable"), filepath.Join(dir, "above")},
		Hidden:  []string{filepath.Join(dir, "above/secret")},
		Connect: []uint16{port(t, open)},
	})
	s, ok := launch(t, l).(*plugin.Server)
	if !ok {
		t.Fatal("the server is none of a process")
	}
	const read, write = "spec.sandbox.readPaths of the TerraformProvider", "spec.sandbox.writePaths of the TerraformProvider"
	closedPort := strconv.Itoa(int(port(t, closed)))
	for name, test := range map[string]struct{ try, want, value, setting string }{
		"read a file": {
			"read " + dir + "/token", "The provider's sandbox does not permit reading " + dir + "/token: add it to " +
				read + ", or to writePaths if the provider changes it.",
			dir + "/token", "spec.sandbox.readPaths",
		},
		"list a folder": {
			"list " + dir, "The provider's sandbox does not permit reading " + dir + ": add it to " + read +
				", or to writePaths if the provider changes it.",
			dir, "spec.sandbox.readPaths",
		},
		"make a file": {
			"write " + dir + "/new", "The provider's sandbox does not permit writing " + dir + "/new: add " + dir + " to " + write + ".",
			dir, "spec.sandbox.writePaths",
		},
		"change a file": {
			"write " + dir + "/readable/file",
			"The provider's sandbox does not permit writing " + dir + "/readable/file: add " + dir +
				"/readable to " + write + ".",
			dir + "/readable", "spec.sandbox.writePaths",
		},
		"remove a file": {
			"remove " + dir + "/readable/file",
			"The provider's sandbox does not permit writing " + dir + "/readable/file: add " + dir +
				"/readable to " + write + ".",
			dir + "/readable", "spec.sandbox.writePaths",
		},
		"new among others": {
			"write " + dir + "/above/new",
			"The provider's sandbox does not permit anything new in " + dir + "/above, since that folder also has " +
				"credentials or the provider cache: add another folder, or one in it, to " + write + ".",
			"", "spec.sandbox.writePaths",
		},
		"connect": {
			"connect " + closed.Addr().String(),
			"The provider's sandbox does not permit connections to port " + closedPort +
				": add it to spec.sandbox.connect of the TerraformProvider.",
			closedPort, "spec.sandbox.connect",
		},
	} {
		t.Run(name, func(t *testing.T) {
			said := try(t, s, test.try)
			got := plugin.Refusal(s, said)
			if got != test.want {
				t.Errorf("of %q it says %q, want %q", said, got, test.want)
			}
			want := plugin.Refused{Sentence: test.want, Setting: test.setting, Value: test.value}
			if r, ok := plugin.RefusalIn("create failed: " + said + ".\n\n" + got + "\nThe next attempt is within seconds."); !ok || r != want {
				t.Errorf("in %q there is %+v, want %+v", got, r, want)
			}
		})
	}
	if r, ok := plugin.RefusalIn("The provider's sandbox is on."); ok {
		t.Errorf("without a refusal there is %+v", r)
	}
	own := filepath.Join(dir, "own")
	plant(t, own, "file")
	if os.Geteuid() != 0 { // whom the file system refuses nothing
		if err := os.Chmod(own, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(own, 0o700) })
		if got := plugin.Refusal(s, "open "+own+"/file: permission denied"); got != "" {
			t.Errorf("of a refusal by the file system it says %q", got)
		}
	}
	for name, text := range map[string]string{
		"in a permitted folder": "mkdir " + dir + "/writable/new: permission denied",
		"not restricted":        "chmod " + dir + "/token: permission denied",
		"something else":        "the token " + dir + " was rejected: permission denied by the cloud",
		"an address":            "POST " + dir + ": permission denied",
		"of a process":          "open /proc/1/environ: permission denied",
		"a permitted port":      "dial tcp " + open.Addr().String() + ": connect: permission denied",
		"no path":               "permission denied",
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugin.Refusal(s, text); got != "" {
				t.Errorf("of %q it says %q", text, got)
			}
		})
	}
	// As C programs write it, and in the middle of a text.
	for _, text := range []string{
		"rename " + dir + "/sub " + dir + "/other: permission denied",
		"Create local file error\nAn unexpected error occurred while creating file " +
			"directory\n\n+Original Error: mkdir " + dir + "/sub: permission denied",
		"cp: cannot create directory '" + dir + "/sub': Permission denied",
	} {
		if got := plugin.Refusal(s, text); !strings.Contains(got, "does not permit writing "+dir+"/sub") {
			t.Errorf("of %q it says %q", text, got)
		}
	}
}
