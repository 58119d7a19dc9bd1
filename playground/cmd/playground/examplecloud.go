package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/landbridge-io/landbridge/playground/internal/landbridge"
)

// cloudOptions are about the example cloud.
type cloudOptions struct {
	wanted  bool
	dir     string
	address string
}

func (o *cloudOptions) addFlags(f *pflag.FlagSet) {
	bin := "bin"
	if self, err := os.Executable(); err == nil {
		bin = filepath.Dir(self)
	}
	f.BoolVar(&o.wanted, "examplecloud", false,
		"also run the example cloud; the controller's mirror has its provider, landbridge-io/examplecloud")
	f.StringVar(&o.dir, "examplecloud-dir", filepath.Join(bin, "examplecloud"),
		"directory with the example cloud and a mirror with its provider, as make examplecloud makes it")
	f.StringVar(&o.address, "examplecloud-address", "127.0.0.1:8480", "address that the example cloud listens on")
}

// start starts the example cloud, which keeps everything in the data directory.
func (o *cloudOptions) start(ctx context.Context, dir string) (*landbridge.Process, error) {
	return landbridge.StartCloud(ctx, filepath.Join(o.dir, "examplecloud"), o.address,
		filepath.Join(dir, "examplecloud.db"), filepath.Join(dir, "examplecloud.log"))
}

// addMirror returns a mirror that has the providers of another one, and that of the example cloud
// if it was built: also when the cloud does not run, its provider stays installed. It is made of
// links in the data directory.
func (o *cloudOptions) addMirror(dir, mirror string) (string, error) {
	own := filepath.Join(o.dir, "mirror")
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
		if o.wanted {
			return "", fmt.Errorf("%s does not exist; make examplecloud makes it, and so does make up EXAMPLECLOUD=1", own)
		}
		return mirror, nil
	}
	merged := filepath.Join(dir, "mirror")
	if err := os.RemoveAll(merged); err != nil {
		return "", err
	}
	for _, from := range []string{own, mirror} {
		if from == "" {
			continue // the other providers are downloaded
		}
		namespaces, err := filepath.Glob(filepath.Join(from, "*", "*"))
		if err != nil {
			return "", err
		}
		for _, path := range namespaces {
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return "", err
			}
			target, err := filepath.Abs(path)
			if err != nil {
				return "", err
			}
			link := filepath.Join(merged, rel)
			err = errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(target, link))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return "", err
			}
		}
	}
	return merged, nil
}
