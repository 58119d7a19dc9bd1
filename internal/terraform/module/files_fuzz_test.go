package module_test

import (
	"archive/tar"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// FuzzFilesOf checks that no ConfigMap and no archive of a module ends the process, or has a file
// elsewhere or a hidden one.
func FuzzFilesOf(f *testing.F) {
	f.Add("main.tf", []byte("output \"x\" {}"))
	f.Add("modules__label__..__..__..__x", []byte{})
	f.Add("a.zip", zipped(f, map[string]string{"main.tf": "", "a/../../b.tf": "", "/c.tf": "", ".terraform/x": ""}))
	f.Add("a.tgz", tarball(f, tar.Header{Name: "main.tf", Typeflag: tar.TypeReg}, tar.Header{Name: "../x", Typeflag: tar.TypeReg}))
	f.Add("b.tar.gz", tarball(f, tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}))
	f.Fuzz(func(t *testing.T, key string, content []byte) {
		files, err := module.FilesOf(map[string][]byte{key: content})
		if err != nil {
			return
		}
		packed := strings.HasSuffix(key, ".zip") || strings.HasSuffix(key, ".tgz") || strings.HasSuffix(key, ".tar.gz")
		for name := range files {
			if !filepath.IsLocal(name) {
				t.Errorf("the file %q is elsewhere", name)
			}
			for part := range strings.SplitSeq(path.Clean(name), "/") {
				if packed && strings.HasPrefix(part, ".") {
					t.Errorf("the file %q is hidden", name)
				}
			}
		}
	})
}
