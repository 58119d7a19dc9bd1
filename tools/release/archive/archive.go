package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"time"
)

// File is a file of an archive.
type File struct {
	Name    string
	Mode    int64
	Content []byte
}

// Write writes a compressed tar archive of files, all with the same time, and returns its checksum.
func Write(to string, at time.Time, files []File) (sum string, err error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	w := tar.NewWriter(compressed)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Mode: f.Mode, Size: int64(len(f.Content)), ModTime: at.UTC(), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return "", err
		}
		if _, err := w.Write(f.Content); err != nil {
			return "", err
		}
	}
	if err := errors.Join(w.Close(), compressed.Close()); err != nil {
		return "", err
	}
	s := sha256.Sum256(out.Bytes())
	return hex.EncodeToString(s[:]), os.WriteFile(to, out.Bytes(), 0o644)
}
