package providertest_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

func TestBinary(t *testing.T) {
	for _, p := range providertest.All() {
		t.Run(p.Name, func(t *testing.T) {
			binary := providertest.Binary(t, p.Name)
			layout := filepath.Join(providertest.Mirror(t), filepath.FromSlash(p.Source), p.Version,
				runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-"+p.Name+"_v"+p.Version)
			if binary != layout {
				t.Errorf("path %s, want %s", binary, layout)
			}
			// A plugin that is started by hand says that it is one.
			out, err := exec.Command(binary).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "This binary is a plugin") {
				t.Errorf("error %v, output:\n%s", err, out)
			}
		})
	}
}

func TestGetNamesWhatThereIs(t *testing.T) {
	if _, err := providertest.Get("nothing"); err == nil || !strings.Contains(err.Error(), "random") {
		t.Errorf("error %v does not name the providers there are", err)
	}
}
