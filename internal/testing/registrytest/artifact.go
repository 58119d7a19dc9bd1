package registrytest

// AddArtifact publishes an artifact with one layer in an OCI repository, under a tag. It returns
// the digest of its manifest.
func (r *Registry) AddArtifact(repository, tag, mediaType string, content []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	empty := r.push("application/vnd.oci.empty.v1+json", []byte("{}"))
	d := r.pushJSON("application/vnd.oci.image.manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "artifactType": "application/vnd.opentofu.modulepkg",
		"config": empty, "layers": []descriptor{r.push(mediaType, content)},
	})
	r.tags[repository+":"+tag] = d.Digest
	return d.Digest
}
