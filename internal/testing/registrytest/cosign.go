package registrytest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// Digest returns the digest of a version's index in the OCI registry.
func (r *Registry) Digest(provider, version string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tags[repository(provider)+":"+strings.ReplaceAll(version, "+", "_")]
}

// AttachBundle adds a Sigstore bundle to a version in the OCI registry, as cosign 3 does.
func (r *Registry) AttachBundle(provider, version string, bundle []byte) {
	const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	of := r.Digest(provider, version)
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.pushJSON("application/vnd.oci.image.manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "artifactType": mediaType,
		"config": r.push("application/vnd.oci.empty.v1+json", []byte("{}")), "layers": []descriptor{r.push(mediaType, bundle)},
	})
	d.ArtifactType = mediaType
	r.referrers[of] = append(r.referrers[of], d)
}

// AttachSignature adds a signature of a payload to a version in the OCI registry, as cosign 2 does.
func (r *Registry) AttachSignature(provider, version string, payload, signature []byte) {
	of := r.Digest(provider, version)
	r.mu.Lock()
	defer r.mu.Unlock()
	layer := r.push("application/vnd.dev.cosign.simplesigning.v1+json", payload)
	layer.Annotations = map[string]string{"dev.cosignproject.cosign/signature": base64.StdEncoding.EncodeToString(signature)}
	d := r.pushJSON("application/vnd.oci.image.manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": r.push("application/vnd.oci.image.config.v1+json", []byte("{}")), "layers": []descriptor{layer},
	})
	r.tags[repository(provider)+":"+strings.Replace(of, ":", "-", 1)+".sig"] = d.Digest
}

func (r *Registry) serveReferrers(w http.ResponseWriter, digest string) {
	const index = "application/vnd.oci.image.index.v1+json"
	raw, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": index, "manifests": append([]descriptor{}, r.referrers[digest]...),
	})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", index)
	_, _ = w.Write(raw)
}
