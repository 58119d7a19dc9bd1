package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

const (
	origin = "origin"
	// largeObject is the size from which on an object is not held in memory as a whole, in bytes.
	largeObject = 16 << 20
)

// repository is a repository with files.
type repository struct {
	*git.Repository
	store  *filesystem.Storage
	dir    string // with the files
	gitDir string
}

// files are the files of a repository. They end with the context, so that checking out ends with
// it.
type files struct {
	billy.Filesystem
	ctx context.Context
}

// OpenFile opens a file.
func (f files) OpenFile(name string, flag int, mode os.FileMode) (billy.File, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	return f.Filesystem.OpenFile(name, flag, mode)
}

// Symlink makes a link. The file system would take an absolute target for one below its root, which
// git does not.
func (f files) Symlink(target, link string) error {
	path := filepath.Join(f.Root(), link)
	if err := errors.Join(f.ctx.Err(), os.MkdirAll(filepath.Dir(path), 0o777)); err != nil {
		return err
	}
	return os.Symlink(target, path)
}

// Readlink returns the target of a link.
func (f files) Readlink(link string) (string, error) {
	return os.Readlink(filepath.Join(f.Root(), link))
}

func storage(gitDir string) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(osfs.New(gitDir), cache.NewObjectLRUDefault(),
		filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: largeObject})
}

// create makes a repository, whose files are in dir.
func create(ctx context.Context, dir, gitDir string) (*repository, error) {
	if err := errors.Join(os.MkdirAll(dir, 0o777), os.MkdirAll(gitDir, 0o777)); err != nil {
		return nil, err
	}
	store := storage(gitDir)
	r, err := git.InitWithOptions(store, files{osfs.New(dir), ctx},
		git.InitOptions{DefaultBranch: plumbing.Master})
	if err != nil {
		return nil, err
	}
	// Git itself may be used with the repository later on.
	c, err := r.Config()
	if err != nil {
		return nil, err
	}
	c.Core.RepositoryFormatVersion = "0"
	return &repository{r, store, dir, gitDir}, r.SetConfig(c)
}

// open opens the repository with files in a directory.
func open(ctx context.Context, dir string) (*repository, error) {
	gitDir := filepath.Join(dir, git.GitDirName)
	info, err := os.Lstat(gitDir)
	if err != nil || !info.IsDir() {
		return nil, fatalf("not a git repository (or any of the parent directories): %s",
			git.GitDirName)
	}
	return openAt(ctx, dir, gitDir)
}

func openAt(ctx context.Context, dir, gitDir string) (*repository, error) {
	store := storage(gitDir)
	r, err := git.Open(store, files{osfs.New(dir), ctx})
	if err != nil {
		return nil, fatalf("%s: %s", gitDir, err)
	}
	return &repository{r, store, dir, gitDir}, nil
}

func (r *repository) close() { _ = r.store.Close() }

// exists reports whether an object is there.
func (r *repository) exists(hash plumbing.Hash) bool {
	return r.store.HasEncodedObject(hash) == nil
}

// url returns the address of a remote repository.
func (r *repository) url(name string) (string, error) {
	c, err := r.Config()
	if err != nil {
		return "", err
	}
	known, ok := c.Remotes[name]
	if !ok || len(known.URLs) == 0 {
		return "", fatalf("'%s' does not appear to be a git repository", name)
	}
	return known.URLs[0], nil
}

// addRemote adds a remote repository. Without refspecs, all of its branches are followed.
func (r *repository) addRemote(name, url string, refspecs ...config.RefSpec) error {
	if len(refspecs) == 0 {
		refspecs = []config.RefSpec{config.RefSpec(fmt.Sprintf(config.DefaultFetchRefSpec, name))}
	}
	_, err := r.CreateRemote(&config.RemoteConfig{Name: name, URLs: []string{url}, Fetch: refspecs})
	return err
}

// initialize makes a repository in the working directory.
func initialize(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(0, 0); err != nil {
		return err
	}
	gitDir := filepath.Join(p.Dir, git.GitDirName)
	word := "Initialized empty"
	r, err := create(ctx, p.Dir, gitDir)
	if errors.Is(err, git.ErrRepositoryAlreadyExists) {
		word = "Reinitialized existing"
	} else if err != nil {
		return err
	} else {
		r.close()
	}
	_, err = fmt.Fprintf(p.Stdout, "%s Git repository in %s/\n", word, gitDir)
	return err
}

// remote adds a remote repository.
func remote(ctx context.Context, p *process, args arguments) error {
	if len(args.rest) == 0 || args.rest[0] != "add" {
		return args.wrong("the subcommand must be add")
	}
	// go-getter has the -- after the name.
	if args.rest = args.rest[1:]; len(args.rest) != 2 {
		return args.wrong("a name and an address are needed")
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	err = r.addRemote(args.rest[0], args.rest[1])
	if errors.Is(err, git.ErrRemoteExists) {
		return failure{3, "error: remote " + args.rest[0] + " already exists."}
	}
	return err
}

// stopping is a reader that ends with a context.
type stopping struct {
	io.Reader
	ctx context.Context
}

func (s stopping) Read(into []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(into)
}
