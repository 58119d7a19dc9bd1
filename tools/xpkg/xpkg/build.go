package xpkg

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// annotation tells on a layer what it has. A .xpkg file cannot have annotations of layers, so
	// there it is a label of the image, with the layer's digest appended.
	annotation = "io.crossplane.xpkg"
	// baseLayer is the layer with the package's objects.
	baseLayer = "base"
	// stream is the file with the package's objects.
	stream = "package.yaml"
	// metadata is the file with the package's metadata in a directory.
	metadata = "crossplane.yaml"
)

// Build returns the package of the objects in a directory, crossplane.yaml and CRDs, with a
// program's image. The package was checked.
func Build(dir string, program v1.Image) (v1.Image, *Summary, error) {
	content, err := read(dir)
	if err != nil {
		return nil, nil, err
	}
	layer, err := streamLayer(content)
	if err != nil {
		return nil, nil, err
	}
	digest, err := layer.Digest()
	if err != nil {
		return nil, nil, err
	}
	image, err := mutate.Append(program, mutate.Addendum{Layer: layer, History: v1.History{Comment: "the package"}})
	if err != nil {
		return nil, nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, nil, err
	}
	config = config.DeepCopy()
	if config.Config.Labels == nil {
		config.Config.Labels = map[string]string{}
	}
	config.Config.Labels[annotation+":"+digest.String()] = baseLayer
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, nil, err
	}
	if image, err = annotate(image); err != nil {
		return nil, nil, err
	}
	summary, err := Check(image)
	return image, summary, err
}

// read returns all objects in a directory as one stream, the metadata first.
func read(dir string) ([]byte, error) {
	var out bytes.Buffer
	add := func(file string) error {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		content = bytes.TrimPrefix(bytes.TrimSpace(content), []byte("---\n"))
		fmt.Fprintf(&out, "---\n%s\n", content)
		return nil
	}
	if err := add(filepath.Join(dir, metadata)); err != nil {
		return nil, err
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == filepath.Join(dir, metadata) {
			return err
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		return add(path)
	})
	return out.Bytes(), err
}

// streamLayer returns the layer with the file package.yaml.
func streamLayer(content []byte) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: stream, Mode: 0o644, Size: int64(len(content))}); err != nil {
		return nil, err
	}
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

// annotate returns the image with the annotations of layers that its labels name.
func annotate(image v1.Image) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return nil, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	out := mutate.ConfigMediaType(mutate.MediaType(emptyImage, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, l := range layers {
		digest, err := l.Digest()
		if err != nil {
			return nil, err
		}
		a := mutate.Addendum{Layer: l, MediaType: types.OCILayer}
		if value := config.Config.Labels[annotation+":"+digest.String()]; value != "" {
			a.Annotations = map[string]string{annotation: value}
		}
		if out, err = mutate.Append(out, a); err != nil {
			return nil, err
		}
	}
	if out, err = mutate.ConfigFile(out, config); err != nil {
		return nil, err
	}
	described := map[string]string{}
	for name, value := range config.Config.Labels {
		if !strings.HasPrefix(name, annotation+":") {
			described[name] = value
		}
	}
	for name, value := range manifest.Annotations {
		described[name] = value
	}
	return mutate.Annotations(out, described).(v1.Image), nil
}
