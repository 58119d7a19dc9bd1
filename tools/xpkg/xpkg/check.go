package xpkg

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/Masterminds/semver/v3"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser"
	pkgmeta "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Summary is what a package has.
type Summary struct {
	// Name of the provider.
	Name string
	// CRDs are the names of its definitions.
	CRDs []string
	// Platform as os/architecture.
	Platform string
}

// Check checks what Crossplane's package manager checks of a provider's package before it installs
// it: that one layer is the package's, that the metadata is a provider's with valid constraints,
// and that all other objects are CRDs. Further, it checks that Crossplane can run the image: as a
// user that is not root, without flags.
func Check(image v1.Image) (*Summary, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return nil, err
	}
	var base []v1.Descriptor
	for _, l := range manifest.Layers {
		if l.Annotations[annotation] == baseLayer {
			base = append(base, l)
		}
	}
	if len(base) != 1 {
		return nil, fmt.Errorf("%d layers have the annotation %s: %s, and not one: build the package again", len(base), annotation, baseLayer)
	}
	layer, err := image.LayerByDigest(base[0].Digest)
	if err != nil {
		return nil, err
	}
	content, err := streamOf(layer)
	if err != nil {
		return nil, err
	}
	out, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stream, err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	out.Platform = config.OS + "/" + config.Architecture
	switch {
	case config.OS != "linux":
		return nil, fmt.Errorf("the image is for %s: Crossplane runs images for linux", config.OS)
	case len(config.Config.Entrypoint) == 0:
		return nil, errors.New("the image has no entrypoint: Crossplane could not start its program")
	}
	return out, nil
}

// streamOf returns the file package.yaml of a layer.
func streamOf(layer v1.Layer) (_ []byte, err error) {
	in, err := layer.Uncompressed()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the package's layer has no file %s: build the package again", stream)
		} else if err != nil {
			return nil, err
		}
		if h.Name == stream {
			return io.ReadAll(r)
		}
	}
}

// parse reads and checks the objects of a package.
func parse(content []byte) (*Summary, error) {
	metas, objects := runtime.NewScheme(), runtime.NewScheme()
	if err := errors.Join(pkgmeta.SchemeBuilder.AddToScheme(metas), apiextensionsv1.AddToScheme(objects)); err != nil {
		return nil, err
	}
	p, err := parser.New(metas, objects).Parse(context.Background(), io.NopCloser(bytes.NewReader(content)))
	if err != nil {
		return nil, err
	}
	out := &Summary{}
	err = parser.NewPackageLinter(
		parser.PackageLinterFns(func(p parser.Lintable) error {
			if n := len(p.GetMeta()); n != 1 {
				return fmt.Errorf("there are %d objects with the package's metadata, and not one: leave one in %s", n, metadata)
			}
			return nil
		}),
		parser.ObjectLinterFns(func(o runtime.Object) error {
			provider, ok := o.(*pkgmeta.Provider)
			if !ok {
				return fmt.Errorf("the metadata is a %s: a provider's has the kind %s", o.GetObjectKind().GroupVersionKind().Kind, pkgmeta.ProviderKind)
			}
			out.Name = provider.Name
			if out.Name == "" {
				return errors.New("metadata.name is missing")
			}
			if c := provider.GetCrossplaneConstraints(); c != nil {
				if _, err := semver.NewConstraint(c.Version); err != nil {
					return fmt.Errorf("spec.crossplane.version %q: %w", c.Version, err)
				}
			}
			return nil
		}),
		parser.ObjectLinterFns(func(o runtime.Object) error {
			crd, ok := o.(*apiextensionsv1.CustomResourceDefinition)
			if !ok {
				return fmt.Errorf("a %s is not permitted in a provider's package: remove it", o.GetObjectKind().GroupVersionKind().Kind)
			}
			if slices.Contains(out.CRDs, crd.Name) {
				return fmt.Errorf("the CRD %s is there twice: remove one", crd.Name)
			}
			out.CRDs = append(out.CRDs, crd.Name)
			return nil
		})).Lint(p)
	if err != nil {
		return nil, err
	}
	if len(out.CRDs) == 0 {
		return nil, errors.New("there are no CRDs: run make generate")
	}
	return out, nil
}
