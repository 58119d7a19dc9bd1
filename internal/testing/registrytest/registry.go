package registrytest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Registry serves releases of providers.
type Registry struct {
	*httptest.Server
	// Key signs the checksums. Nil: the registry has no keys.
	Key *Key
	// Published are the keys that the registry answers. Nil: Key.
	Published []*Key
	// Token is the token that the registry and the mirror require, and the password of the OCI
	// registry. Empty: none.
	Token string
	// NoHashes leaves the checksums out of the answers of the network mirror.
	NoHashes bool
	// Break handles a request in the place of the registry, if it returns true. It is called
	// concurrently.
	Break func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	releases map[string]map[string][]byte // package by ns/type/version and platform
	files    map[string][]byte
	requests []string
	blobs    map[string][]byte // of OCI, by digest
	tags     map[string]string // digest by repository:tag
	// referrers are the manifests that refer to another, by its digest.
	referrers map[string][]descriptor
	types     map[string]string // media type by digest
}

// New starts a registry, which ends with the test.
func New(tb testing.TB) *Registry {
	tb.Helper()
	r := &Registry{
		releases: map[string]map[string][]byte{}, files: map[string][]byte{}, blobs: map[string][]byte{},
		tags: map[string]string{}, types: map[string]string{}, referrers: map[string][]descriptor{},
	}
	r.Key = NewKey(tb, time.Now().Add(-time.Hour), 0)
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	r.Config.ErrorLog = discard
	r.StartTLS()
	tb.Cleanup(r.Close)
	return r
}

// Host is the host and port of the registry.
func (r *Registry) Host() string { return r.Listener.Addr().String() }

// CA writes the certificate of the registry to a file.
func (r *Registry) CA(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "ca.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Add adds a package of a provider, such as acme/thing, and publishes it by all protocols. A
// package that is there is replaced.
func (r *Registry) Add(provider, version, platform string, pack []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := provider + "/" + version
	if r.releases[of] == nil {
		r.releases[of] = map[string][]byte{}
	}
	r.releases[of][platform] = pack
	r.pushRelease(provider, version)
}

// Remove removes a version.
func (r *Registry) Remove(provider, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.releases, provider+"/"+version)
	delete(r.tags, repository(provider)+":"+version)
}

// Requests returns the paths of the requests since it was called last.
func (r *Registry) Requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.requests
	r.requests = nil
	return out
}

// Pack returns a package with files.
func Pack(tb testing.TB, files map[string]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o755)
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(files[name]))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Sum returns the SHA-256 of bytes in hex.
func Sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func filename(provider, version, platform string) string {
	_, typ, _ := strings.Cut(provider, "/")
	return "terraform-provider-" + typ + "_" + version + "_" + platform + ".zip"
}

func (r *Registry) serve(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests = append(r.requests, req.Method+" "+req.URL.Path)
	broken := r.Break
	r.mu.Unlock()
	if broken != nil && broken(w, req) {
		return
	}
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	switch {
	case req.URL.Path == "/.well-known/terraform.json":
		writeJSON(w, map[string]any{"providers.v1": "/v1/providers/", "modules.v1": "/v1/modules/"})
	case parts[0] == "v2":
		r.serveOCI(w, req)
	case parts[0] == "files":
		r.serveFile(w, req, parts[1:])
	case r.Token != "" && req.Header.Get("Authorization") != "Bearer "+r.Token:
		w.WriteHeader(http.StatusUnauthorized)
	case len(parts) == 5 && parts[0] == "v1" && parts[4] == "versions":
		r.serveVersions(w, parts[2]+"/"+parts[3])
	case len(parts) == 8 && parts[0] == "v1" && parts[5] == "download":
		r.serveRelease(w, parts[2]+"/"+parts[3], parts[4], parts[6]+"_"+parts[7])
	case len(parts) == 5 && parts[0] == "mirror":
		r.serveMirror(w, parts[2]+"/"+parts[3], parts[4])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// packages returns the packages of all versions of a provider, by version.
func (r *Registry) packages(provider string) map[string]map[string][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]map[string][]byte{}
	for of, packs := range r.releases {
		if version, ok := strings.CutPrefix(of, provider+"/"); ok {
			out[version] = maps.Clone(packs)
		}
	}
	return out
}

func (r *Registry) serveVersions(w http.ResponseWriter, provider string) {
	type platform struct {
		OS   string `json:"os"`
		Arch string `json:"arch"`
	}
	type version struct {
		Version   string     `json:"version"`
		Protocols []string   `json:"protocols"`
		Platforms []platform `json:"platforms"`
	}
	all := []version{}
	for v, packs := range r.packages(provider) {
		one := version{Version: v, Protocols: []string{"6.0"}}
		for p := range packs {
			goos, arch, _ := strings.Cut(p, "_")
			one.Platforms = append(one.Platforms, platform{goos, arch})
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	writeJSON(w, map[string]any{"versions": all})
}

func (r *Registry) serveRelease(w http.ResponseWriter, provider, version, platform string) {
	pack, ok := r.packages(provider)[version][platform]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	goos, arch, _ := strings.Cut(platform, "_")
	base := "/files/" + provider + "/" + version + "/"
	answer := map[string]any{
		"protocols": []string{"6.0"}, "os": goos, "arch": arch, "filename": filename(provider, version, platform), "shasum": Sum(pack),
		// One is absolute and the others are relative, as the protocol permits.
		"download_url": r.URL + base + filename(provider, version, platform), "shasums_url": base + "SHA256SUMS",
		"shasums_signature_url": base + "SHA256SUMS.sig",
	}
	keys := []map[string]string{}
	published := r.Published
	if published == nil && r.Key != nil {
		published = []*Key{r.Key}
	}
	for _, k := range published {
		keys = append(keys, map[string]string{"key_id": k.ID(), "ascii_armor": k.Armor(), "source": "Acme"})
	}
	answer["signing_keys"] = map[string]any{"gpg_public_keys": keys}
	writeJSON(w, answer)
}

// Sums returns the checksum document of a version.
func (r *Registry) Sums(provider, version string) []byte {
	packs := r.packages(provider)[version]
	var b bytes.Buffer
	for _, platform := range slices.Sorted(maps.Keys(packs)) {
		fmt.Fprintf(&b, "%s  %s\n", Sum(packs[platform]), filename(provider, version, platform))
	}
	return b.Bytes()
}

func (r *Registry) serveFile(w http.ResponseWriter, req *http.Request, parts []string) {
	if len(parts) != 4 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	provider, version, name := parts[0]+"/"+parts[1], parts[2], parts[3]
	var content []byte
	switch name {
	case "SHA256SUMS":
		content = r.Sums(provider, version)
	case "SHA256SUMS.sig":
		content = r.Key.Sign(r.Sums(provider, version))
	default:
		for platform, pack := range r.packages(provider)[version] {
			if filename(provider, version, platform) == name {
				content = pack
			}
		}
	}
	if content == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", `"`+Sum(content)+`"`)
	http.ServeContent(w, req, name, time.Time{}, bytes.NewReader(content))
}

func (r *Registry) serveMirror(w http.ResponseWriter, provider, document string) {
	all := r.packages(provider)
	if len(all) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if document == "index.json" {
		versions := map[string]any{}
		for v := range all {
			versions[v] = map[string]any{}
		}
		writeJSON(w, map[string]any{"versions": versions})
		return
	}
	version := strings.TrimSuffix(document, ".json")
	archives := map[string]any{}
	for platform, pack := range all[version] {
		one := map[string]any{"url": "/files/" + provider + "/" + version + "/" + filename(provider, version, platform)}
		if !r.NoHashes {
			one["hashes"] = []string{"zh:" + Sum(pack)}
		}
		archives[platform] = one
	}
	writeJSON(w, map[string]any{"archives": archives})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}
