package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/stream"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Objects returns the Secrets of a manifest and then its resource, in the order in which they must
// be applied.
func (m Manifest) Objects() ([]*unstructured.Unstructured, error) {
	secrets, err := m.secrets()
	return append(secrets, m.Resource), err
}

func (m Manifest) secrets() ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, s := range append(slices.Clone(m.Parts), m.State, m.Inputs) {
		if s == nil {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s)
		if err != nil {
			return nil, err
		}
		unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
		out = append(out, &unstructured.Unstructured{Object: content})
	}
	return out, nil
}

// document returns an object of the manifest as YAML. The notes are comments before the resource.
func (m Manifest) document(o *unstructured.Unstructured) ([]byte, error) {
	raw, err := yaml.Marshal(o.Object)
	if err != nil || o != m.Resource {
		return raw, err
	}
	var b bytes.Buffer
	for _, note := range append([]string{m.Origin}, m.Notes...) {
		// One line each, whatever a provider returned or a state has.
		fmt.Fprintf(&b, "# %s\n", stream.OneLine(note))
	}
	b.Write(raw)
	return b.Bytes(), nil
}

// Write writes all manifests as one YAML stream: first every Secret, then the resources.
func Write(w io.Writer, manifests []Manifest) error {
	for _, m := range manifests {
		if err := WriteSecrets(w, m); err != nil {
			return err
		}
	}
	for _, m := range manifests {
		if err := WriteResource(w, m); err != nil {
			return err
		}
	}
	return nil
}

// WriteSecrets writes the Secrets of a manifest to a YAML stream.
func WriteSecrets(w io.Writer, m Manifest) error {
	secrets, err := m.secrets()
	for _, s := range secrets {
		if err == nil {
			err = m.write(w, s)
		}
	}
	return err
}

// WriteResource writes the resource of a manifest to a YAML stream.
func WriteResource(w io.Writer, m Manifest) error { return m.write(w, m.Resource) }

func (m Manifest) write(w io.Writer, o *unstructured.Unstructured) error {
	raw, err := m.document(o)
	if err == nil {
		_, err = w.Write(append([]byte("---\n"), raw...))
	}
	return err
}

// The folders of WriteDir. Their names sort in the order in which kubectl apply -R must apply them.
const (
	// ProviderFolder has what must be ready before the others can be applied.
	ProviderFolder  = "0-provider"
	secretsFolder   = "1-secrets"
	dataFolder      = "2-data"
	resourcesFolder = "2-resources"
)

// WriteDir writes each object to a file below a directory, all or none. An existing file is an
// error.
func WriteDir(dir string, manifests []Manifest) (err error) {
	files := map[string][]byte{}
	for _, m := range manifests {
		objects, err := m.Objects()
		if err != nil {
			return err
		}
		for i, o := range objects {
			folder, kind := secretsFolder, "secrets"
			if i == len(objects)-1 {
				folder, kind = cmp.Or(m.Folder, resourcesFolder), strings.ToLower(o.GroupVersionKind().GroupKind().String())
			}
			name := filepath.Join(folder, fmt.Sprintf("%s.%s.yaml", o.GetName(), kind))
			if _, ok := files[name]; ok {
				name = filepath.Join(folder, fmt.Sprintf("%s.%s.%s.yaml", o.GetNamespace(), o.GetName(), kind))
			}
			if files[name], err = m.document(o); err != nil {
				return err
			}
		}
	}
	for _, name := range sortedKeys(files) {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = fmt.Errorf("%s already exists; nothing was written", filepath.Join(dir, name))
			}
			return err
		}
	}
	for _, folder := range []string{ProviderFolder, dataFolder, resourcesFolder} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, secretsFolder), 0o700); err != nil {
		return err
	}
	building, err := os.MkdirTemp(dir, ".import-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(building)
	names := sortedKeys(files)
	for i, name := range names {
		if err := os.WriteFile(filepath.Join(building, fmt.Sprint(i)), files[name], 0o600); err != nil {
			return err
		}
	}
	for i, name := range names {
		if err := os.Rename(filepath.Join(building, fmt.Sprint(i)), filepath.Join(dir, name)); err != nil {
			for _, done := range names[:i] {
				err = errors.Join(err, os.Remove(filepath.Join(dir, done)))
			}
			return err
		}
	}
	// Remove empty folders.
	_ = os.Remove(filepath.Join(dir, ProviderFolder))
	_ = os.Remove(filepath.Join(dir, secretsFolder))
	_ = os.Remove(filepath.Join(dir, dataFolder))
	_ = os.Remove(filepath.Join(dir, resourcesFolder))
	return nil
}
