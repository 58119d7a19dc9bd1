package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/upjettest"
	"github.com/landbridge-io/landbridge/schema"
)

// types are the resource types that the providers have.
var types = map[string][]string{
	"random": {"random_id", "random_integer", "random_password", "random_pet", "random_string", "random_uuid"},
	"hcloud": {"hcloud_firewall", "hcloud_server", "hcloud_ssh_key", "hcloud_uploaded_certificate", "hcloud_volume"},
}

func main() {
	files, err := files()
	if err == nil {
		err = write(files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// files returns the content of the files by their paths in the repository.
func files() (map[string][]byte, error) {
	root, err := testbin.Root()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name, of := range types {
		raw, err := os.ReadFile(filepath.Join(root, "internal/testing/schematest/testdata", name+".json"))
		if err != nil {
			return nil, err
		}
		s, err := schema.Decode(raw)
		if err != nil {
			return nil, err
		}
		for version, namespaced := range map[string]bool{"v1": false, "v2": true} {
			var b bytes.Buffer
			b.WriteString("# Made by go run ./test/upjet.\n")
			for i, d := range (upjettest.Provider{Name: name, Schema: s, Namespaced: namespaced}).Definitions(of...) {
				content, err := yaml.Marshal(d.Object)
				if err != nil {
					return nil, err
				}
				if i > 0 {
					b.WriteString("---\n")
				}
				b.Write(content)
			}
			out[filepath.Join("test/upjet/crds", name+"-"+version+".yaml")] = b.Bytes()
		}
	}
	return out, nil
}

func write(files map[string][]byte) error {
	root, err := testbin.Root()
	if err != nil {
		return err
	}
	for path, content := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
