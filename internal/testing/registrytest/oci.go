package registrytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// repository returns the OCI repository of a provider.
func repository(provider string) string { return "providers/" + provider }

// descriptor is a descriptor of OCI.
type descriptor struct {
	MediaType    string            `json:"mediaType"`
	Digest       string            `json:"digest"`
	Size         int               `json:"size"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Platform     map[string]string `json:"platform,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// pushRelease publishes a version as OpenTofu's OCI mirrors have it. The mutex must be held.
func (r *Registry) pushRelease(provider, version string) {
	const target = "application/vnd.opentofu.provider-target"
	packs := r.releases[provider+"/"+version]
	var manifests []descriptor
	for _, platform := range slices.Sorted(maps.Keys(packs)) {
		goos, arch, _ := strings.Cut(platform, "_")
		empty := r.push("application/vnd.oci.empty.v1+json", []byte("{}"))
		layer := r.push("archive/zip", packs[platform])
		d := r.pushJSON("application/vnd.oci.image.manifest.v1+json", map[string]any{
			"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "artifactType": target,
			"config": empty, "layers": []descriptor{layer},
		})
		d.ArtifactType, d.Platform = target, map[string]string{"os": goos, "architecture": arch}
		manifests = append(manifests, d)
	}
	d := r.pushJSON("application/vnd.oci.image.index.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
		"artifactType": "application/vnd.opentofu.provider", "manifests": manifests,
	})
	r.tags[repository(provider)+":"+strings.ReplaceAll(version, "+", "_")] = d.Digest
}

func (r *Registry) pushJSON(mediaType string, v any) descriptor {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return r.push(mediaType, raw)
}

func (r *Registry) push(mediaType string, raw []byte) descriptor {
	digest := "sha256:" + Sum(raw)
	r.blobs[digest], r.types[digest] = raw, mediaType
	return descriptor{MediaType: mediaType, Digest: digest, Size: len(raw)}
}

// serveOCI serves the protocol of OCI registries, for all repositories. Blobs are shared between
// them.
func (r *Registry) serveOCI(w http.ResponseWriter, req *http.Request) {
	if _, password, ok := req.BasicAuth(); r.Token != "" && (!ok || password != r.Token) {
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	path := strings.TrimPrefix(req.URL.Path, "/v2/")
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case strings.HasSuffix(path, "/tags/list"):
		r.serveTags(w, strings.TrimSuffix(path, "/tags/list"))
	case strings.Contains(path, "/referrers/"):
		_, digest, _ := strings.Cut(path, "/referrers/")
		r.serveReferrers(w, digest)
	case strings.Contains(path, "/blobs/uploads/"):
		r.upload(w, req)
	case strings.Contains(path, "/manifests/") && req.Method == http.MethodPut:
		name, reference, _ := strings.Cut(path, "/manifests/")
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			panic(err)
		}
		d := r.push(req.Header.Get("Content-Type"), raw)
		if !strings.Contains(reference, ":") {
			r.tags[name+":"+reference] = d.Digest
		}
		w.Header().Set("Docker-Content-Digest", d.Digest)
		w.WriteHeader(http.StatusCreated)
	case strings.Contains(path, "/manifests/"):
		name, reference, _ := strings.Cut(path, "/manifests/")
		if !strings.Contains(reference, ":") {
			reference = r.tags[name+":"+reference]
		}
		r.serveBlob(w, req, reference)
	case strings.Contains(path, "/blobs/"):
		_, reference, _ := strings.Cut(path, "/blobs/")
		r.serveBlob(w, req, reference)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (r *Registry) serveTags(w http.ResponseWriter, name string) {
	var tags []string
	for t := range r.tags {
		if tag, ok := strings.CutPrefix(t, name+":"); ok {
			tags = append(tags, tag)
		}
	}
	if len(tags) == 0 {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errors":[{"code":"NAME_UNKNOWN","message":"repository name not known to registry"}]}`)
		return
	}
	writeJSON(w, map[string]any{"name": name, "tags": tags})
}

func (r *Registry) serveBlob(w http.ResponseWriter, req *http.Request, digest string) {
	raw, ok := r.blobs[digest]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", r.types[digest])
	w.Header().Set("Docker-Content-Digest", digest)
	http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(raw))
}

// upload serves the two requests of an upload of a blob.
func (r *Registry) upload(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodPost {
		w.Header().Set("Location", req.URL.Path+"1")
		w.WriteHeader(http.StatusAccepted)
		return
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		panic(err)
	}
	if digest := req.URL.Query().Get("digest"); digest != "sha256:"+Sum(raw) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	d := r.push("application/octet-stream", raw)
	w.Header().Set("Docker-Content-Digest", d.Digest)
	w.WriteHeader(http.StatusCreated)
}

// Corrupt changes all content of a media type in the OCI registry, which keeps its checksums.
func (r *Registry) Corrupt(mediaType string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for digest, t := range r.types {
		if t == mediaType {
			raw := bytes.Clone(r.blobs[digest])
			raw[len(raw)/2] ^= 1
			r.blobs[digest] = raw
		}
	}
}
