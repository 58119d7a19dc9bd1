package module

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

const ociScheme = "oci://"

// artifact is an OCI address.
type artifact struct {
	registry.Artifact
	// folder is that of the module in the artifact.
	folder string
	// wrong is why the address cannot be used.
	wrong string
}

// artifactOf returns the artifact of an address; false if it is not an OCI address.
func artifactOf(address string) (out artifact, ok bool) {
	if !strings.HasPrefix(address, ociScheme) {
		return out, false
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		out.wrong = "it is not oci://HOST/NAME?tag=TAG"
		return out, true
	}
	name, folder, _ := strings.Cut(strings.Trim(u.Path, "/"), "//")
	out.Repository, out.folder = u.Host+"/"+name, folder
	q := u.Query()
	out.Reference = cmp.Or(q.Get("digest"), q.Get("tag"))
	if q.Has("tag") && q.Has("digest") {
		out.wrong = "it has both a tag and a digest"
	}
	q.Del("tag")
	q.Del("digest")
	for key := range q {
		out.wrong = "it has the argument " + key + ", where only tag and digest are known"
	}
	if folder != "" && !filepath.IsLocal(filepath.FromSlash(folder)) {
		out.wrong = "the folder " + folder + " is not one of the artifact"
	}
	return out, true
}

// pull makes the files of an artifact those of the module.
func (m *Module) pull(ctx context.Context, a artifact) diagnostic.Diagnostics {
	if a.wrong != "" {
		return diagnostic.Errorf(NotFetched, "The address %s cannot be used: %s.", m.source.Address, a.wrong)
	}
	if c := m.source.Credentials; c != nil {
		if a.Username, a.Password = cmp.Or(c.Username, "landbridge"), c.Password; c.Password == "" {
			return diagnostic.Errorf(NotFetched, "The credentials for %s need the key password.", a.Repository)
		}
	}
	client := m.source.Artifacts
	if client == nil {
		client = &registry.Client{}
	}
	archive, err := client.Pull(ctx, a.Artifact)
	if err != nil {
		return diagnostic.Errorf(NotFetched, "%s.", err)
	}
	m.local, m.folder, m.source.Files = true, filepath.FromSlash(a.folder), map[string][]byte{}
	if err := unpack(archive, func(name string, content []byte) error { m.source.Files[name] = content; return nil }); err != nil {
		return diagnostic.Errorf(NotFetched, "%s: %s.", m.source.Address, err)
	}
	for name := range m.source.Files {
		if a.folder == "" || strings.HasPrefix(name, a.folder+"/") {
			return nil
		}
	}
	return diagnostic.Errorf(NotFetched, "The artifact %s has no folder %s.", m.source.Address, cmp.Or(a.folder, string(os.PathSeparator)))
}
