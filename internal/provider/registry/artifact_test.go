package registry_test

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

func TestPull(t *testing.T) {
	t.Parallel()
	r := registrytest.New(t)
	r.Token = "secret"
	zip := r.AddArtifact("modules/web", "1.0.0", "archive/zip", []byte("a zip"))
	r.AddArtifact("modules/web", "latest", "application/vnd.oci.image.layer.v1.tar+gzip", []byte("a tar"))
	r.AddArtifact("modules/web", "text", "text/plain", []byte("a text"))
	c := &registry.Client{CA: r.CA(t)}
	for name, test := range map[string]struct {
		repository, reference, password string
		want, says                      string
		kind                            registry.Kind
	}{
		"a tag":      {repository: "modules/web", reference: "1.0.0", password: "secret", want: "a zip"},
		"a digest":   {repository: "modules/web", reference: zip, password: "secret", want: "a zip"},
		"the latest": {repository: "modules/web", password: "secret", want: "a tar"},
		"no archive": {
			repository: "modules/web", reference: "text", password: "secret", kind: registry.Invalid,
			says: "0 layers that are archives",
		},
		"no such tag":       {repository: "modules/web", reference: "2.0.0", password: "secret", kind: registry.NotFound, says: "2.0.0"},
		"another password":  {repository: "modules/web", reference: "1.0.0", password: "guess", kind: registry.Denied, says: "401"},
		"no password":       {repository: "modules/web", reference: "1.0.0", kind: registry.Denied, says: "credentials"},
		"no such name":      {repository: "Modules", reference: "1.0.0", kind: registry.Misconfigured, says: "not an OCI repository"},
		"no such reference": {repository: "modules/shop", password: "secret", kind: registry.NotFound, says: "modules/shop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.Pull(t.Context(), registry.Artifact{
				Repository: r.Host() + "/" + test.repository, Reference: test.reference, Username: "me",
				Password: test.password,
			})
			if string(got) != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if test.says == "" && err == nil {
				return
			}
			if err == nil || registry.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.says) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
