package image

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// epoch is the time of all files, so that images of different versions share the layers that are
// equal.
var epoch = time.Unix(0, 0).UTC()

// baseLayer returns the layer with all that programs need beside themselves.
func baseLayer(o Options) (v1.Layer, error) {
	zones, err := timeZones(o.TimeZones)
	if err != nil {
		return nil, err
	}
	var w archive
	w.dir("etc", 0, 0o755)
	w.file("etc/passwd", 0o644,
		fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\n"+
			"landbridge:x:%d:%d:landbridge:/home/landbridge:/sbin/nologin\n", o.User, o.User))
	w.file("etc/group", 0o644, fmt.Appendf(nil, "root:x:0:\nlandbridge:x:%d:\n", o.User))
	w.file("etc/nsswitch.conf", 0o644, []byte("hosts: files dns\n"))
	w.dir("etc/ssl", 0, 0o755)
	w.dir("etc/ssl/certs", 0, 0o755)
	w.file("etc/ssl/certs/ca-certificates.crt", 0o644, certificates())
	w.dir("home", 0, 0o755)
	w.dir("home/landbridge", o.User, 0o700)
	w.dir("tmp", 0, 0o1777)
	w.dir("usr", 0, 0o755)
	w.dir("usr/local", 0, 0o755)
	w.dir("usr/local/bin", 0, 0o755)
	w.dir("usr/share", 0, 0o755)
	w.dir("usr/share/zoneinfo", 0, 0o755)
	for _, z := range zones {
		if z.content == nil {
			w.dir("usr/share/zoneinfo/"+z.name, 0, 0o755)
		} else {
			w.file("usr/share/zoneinfo/"+z.name, 0o644, z.content)
		}
	}
	w.dir("var", 0, 0o755)
	w.dir("var/cache", 0, 0o755)
	w.dir(strings.TrimPrefix(Cache, "/"), o.User, 0o700)
	content, err := w.close()
	if err != nil {
		return nil, err
	}
	return o.layer(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
}

// programLayer returns a layer with a program.
func programLayer(o Options, name, file string) (v1.Layer, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var w archive
	w.file("usr/local/bin/"+name, 0o755, content)
	archived, err := w.close()
	if err != nil {
		return nil, err
	}
	return o.layer(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archived)), nil })
}

// certificates returns the authorities that Mozilla trusts, as PEM. Those that it trusts for some
// certificates only are left out, since a file cannot express that.
func certificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // writes to memory do not fail
		}
	}
	return out.Bytes()
}

// zone is a file or, without content, a directory.
type zone struct {
	name    string
	content []byte
}

// timeZones returns the files in a zip archive.
func timeZones(file string) ([]zone, error) {
	r, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("time zones: %w", err)
	}
	defer r.Close()
	dirs := map[string]bool{}
	var out []zone
	for _, f := range r.File {
		if f.FileInfo().IsDir() {
			continue
		}
		for dir := path.Dir(f.Name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
			out = append(out, zone{name: dir})
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			return nil, err
		}
		out = append(out, zone{name: f.Name, content: content})
	}
	// A directory sorts before its files.
	slices.SortFunc(out, func(a, b zone) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// archive writes a tar archive. The zero value is empty.
type archive struct {
	out bytes.Buffer
	tar *tar.Writer
	err error
}

func (a *archive) dir(name string, owner int, mode int64) {
	a.add(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner}, nil)
}

func (a *archive) file(name string, mode int64, content []byte) {
	a.add(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content))}, content)
}

func (a *archive) add(h *tar.Header, content []byte) {
	if a.tar == nil {
		a.tar = tar.NewWriter(&a.out)
	}
	if a.err != nil {
		return
	}
	h.ModTime, h.Format = epoch, tar.FormatPAX
	if a.err = a.tar.WriteHeader(h); a.err == nil {
		_, a.err = a.tar.Write(content)
	}
}

func (a *archive) close() ([]byte, error) {
	if a.err == nil {
		a.err = a.tar.Close()
	}
	return a.out.Bytes(), a.err
}
