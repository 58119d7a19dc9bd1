package registry_test

import (
	"net/url"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

func TestReleasePage(t *testing.T) {
	t.Parallel()
	const acme = "https://github.com/acme/"
	for file, want := range map[string]string{
		acme + "thing/releases/download/v1.2.0/thing_1.2.0_linux_amd64.zip":      acme + "thing/releases/tag/v1.2.0",
		acme + "thing/releases/download/a%2Fb/x.zip":                             acme + "thing/releases/tag/a%2Fb",
		acme + "thing/archive/v1.2.0.zip":                                        "",
		"http://github.com/acme/thing/releases/download/v1.2.0/x.zip":            "",
		"https://releases.example.com/acme/thing/releases/download/v1.2.0/x.zip": "",
	} {
		u, err := url.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := registry.ReleasePage(u); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}
