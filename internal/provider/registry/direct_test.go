package registry_test

import (
	"net/url"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

func TestReleasePage(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"https://github.com/acme/terraform-provider-thing/releases/download/v1.2.0/terraform-provider-thing_1.2.0_linux_amd64.zip": "https://github.com/acme/terraform-provider-thing/releases/tag/v1.2.0",
		"https://github.com/acme/thing/releases/download/a%2Fb/x.zip":                                                              "https://github.com/acme/thing/releases/tag/a%2Fb",
		"https://github.com/acme/thing/archive/v1.2.0.zip":                                                                         "",
		"http://github.com/acme/thing/releases/download/v1.2.0/x.zip":                                                              "",
		"https://releases.example.com/acme/thing/releases/download/v1.2.0/x.zip":                                                   "",
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
