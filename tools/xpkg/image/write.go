package image

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Write writes an image as an OCI layout to the directory, which it replaces, and as a tar archive
// of it to file.
func Write(index v1.ImageIndex, tag, dir, file string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	p, err := layout.Write(dir, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	// Both annotations: containerd and docker read the first as the image's name, skopeo and umoci
	// the second as its tag.
	if err := p.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name":          tag,
		"org.opencontainers.image.ref.name": tagOf(tag),
	})); err != nil {
		return err
	}
	return pack(dir, file)
}

// tagOf returns the part of a name after its last colon.
func tagOf(image string) string {
	ref, err := name.NewTag(image)
	if err != nil {
		return image
	}
	return ref.TagStr()
}

// pack writes the files of a directory to a tar archive, in the order of their names and without
// their times.
func pack(dir, file string) (err error) {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: filepath.ToSlash(relative), Mode: 0o644, Size: info.Size(), ModTime: epoch,
			Format: tar.FormatPAX,
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
	return errors.Join(err, w.Close())
}

// Push writes an image to a registry, with the credentials of docker's configuration.
func Push(index v1.ImageIndex, tag string) error {
	ref, err := name.NewTag(tag)
	if err != nil {
		return err
	}
	return remote.WriteIndex(ref, index, remote.WithAuthFromKeychain(authn.DefaultKeychain))
}
