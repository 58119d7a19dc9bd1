package module_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// tarball returns a gzipped tar archive of headers; the content of each file is its name.
func tarball(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		if h.Mode = 0o600; h.Typeflag == tar.TypeReg {
			h.Size = int64(len(h.Name))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, h.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []io.Closer{w, z} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// zipped returns a zip archive.
func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFilesOf(t *testing.T) {
	t.Parallel()
	file := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	nested := tarball(t, tar.Header{Name: "./", Typeflag: tar.TypeDir}, file("./main.tf"),
		file("./modules/label/main.tf"), file("./.terraform/x.tf"), file("._main.tf"))
	for name, test := range map[string]struct {
		keys map[string][]byte
		want map[string]string
		says string
	}{
		"files": {
			keys: map[string][]byte{"main.tf": []byte("a"), "variables.tf": []byte("b")}, want: map[string]string{
				"main.tf": "a", "variables.tf": "b",
			},
		},
		"folders": {
			keys: map[string][]byte{"modules__label__main.tf": []byte("a"), "my_file.tf": []byte("b")},
			want: map[string]string{"modules/label/main.tf": "a", "my_file.tf": "b"},
		},
		"a tar archive": {
			keys: map[string][]byte{"module.tar.gz": nested},
			want: map[string]string{"main.tf": "./main.tf", "modules/label/main.tf": "./modules/label/main.tf"},
		},
		"a zip archive": {
			keys: map[string][]byte{
				"module.zip": zipped(t, map[string]string{"main.tf": "a", "modules/label/main.tf": "b"}),
			}, want: map[string]string{"main.tf": "a", "modules/label/main.tf": "b"},
		},
		"a file twice":      {keys: map[string][]byte{"module.tgz": nested, "main.tf": []byte("a")}, says: "main.tf"},
		"outside":           {keys: map[string][]byte{"..__main.tf": []byte("a")}, says: "not the name of a file"},
		"outside, archived": {keys: map[string][]byte{"x.tgz": tarball(t, file("modules/../../main.tf"))}, says: "not the name of a file"},
		"absolute":          {keys: map[string][]byte{"__etc__main.tf": []byte("a")}, says: "not the name of a file"},
		"a link": {
			keys: map[string][]byte{
				"x.tgz": tarball(t, tar.Header{Name: "main.tf", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}),
			}, says: "main.tf is not a file",
		},
		"not an archive":    {keys: map[string][]byte{"x.tar.gz": []byte("text")}, says: "neither"},
		"a damaged archive": {keys: map[string][]byte{"x.tar.gz": nested[:len(nested)/2]}, says: "cannot be read"},
		"a bomb in the files": {
			keys: map[string][]byte{"x.zip": zipped(t, map[string]string{"a.tf": strings.Repeat("a", 65<<20)})},
			says: "larger than 64 MiB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := module.FilesOf(test.keys)
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("the error is %v, want %q", err, test.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for name, content := range files {
				got[name] = string(content)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
