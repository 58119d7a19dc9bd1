package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
)

// clone clones a repository.
func clone(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(2, 2); err != nil {
		return err
	}
	depth, err := args.depth()
	if err != nil {
		return err
	}
	url, dir := args.rest[0], args.rest[1]
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Dir, dir)
	}
	a, err := parseAddress(url, p.Dir)
	if err != nil {
		return err
	}
	if a.endpoint.Protocol == "file" && a.url == nil {
		url = a.text
	}
	empty, err := isEmpty(dir)
	if err != nil {
		return err
	}
	if !empty {
		return fatalf("destination path '%s' already exists and is not an empty directory.",
			args.rest[1])
	}
	_, _ = fmt.Fprintf(p.Stderr, "Cloning into '%s'...\n", args.rest[1])
	s, err := p.connect(ctx, a)
	if err != nil {
		return err
	}
	defer s.Close()
	p.onFailure(remover(dir))
	r, err := p.cloneInto(ctx, s, url, dir, filepath.Join(dir, git.GitDirName),
		args.flags["--branch"], depth)
	if err != nil {
		return err
	}
	defer r.close()
	head, err := r.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		what := "You appear to have cloned an empty repository."
		if len(s.refs) > 0 {
			what = "remote HEAD refers to nonexistent ref, unable to checkout"
		}
		_, _ = fmt.Fprintln(p.Stderr, "warning: "+what)
		return nil
	} else if err != nil {
		return err
	}
	return r.update(head.Hash())
}

// cloneInto makes a repository with what a remote one has, without checking out files. With a
// depth, it has the one branch or tag alone, and the tags of its commits.
func (p *process) cloneInto(ctx context.Context, s *session, url, dir, gitDir, name string,
	depth int) (*repository, error) {
	head, at := s.branch, s.head
	if name != "" {
		head = plumbing.NewBranchReferenceName(name)
		if _, ok := s.refs[head]; !ok {
			head = plumbing.NewTagReferenceName(name)
		}
		at = s.refs[head]
		if at.IsZero() {
			return nil, fatalf("Remote branch %s not found in upstream origin", name)
		}
	}
	r, err := create(ctx, dir, gitDir)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*repository, error) {
		r.close()
		return nil, err
	}
	spec := config.RefSpec(fmt.Sprintf(config.DefaultFetchRefSpec, origin))
	if depth > 0 && head.IsBranch() {
		followed := plumbing.NewRemoteReferenceName(origin, head.Short())
		spec = config.RefSpec(fmt.Sprintf("+%s:%s", head, followed))
	} else if depth > 0 && head.IsTag() {
		spec = config.RefSpec(fmt.Sprintf("+%s:%[1]s", head))
	}
	if err := r.addRemote(origin, url, spec); err != nil {
		return fail(err)
	}
	recorded := s.branches([]config.RefSpec{spec})
	var wanted []plumbing.Hash
	for _, hash := range recorded {
		wanted = append(wanted, hash)
	}
	if !at.IsZero() {
		wanted = append(wanted, at)
	}
	if depth == 0 {
		for _, hash := range s.tags(r, true) {
			wanted = append(wanted, hash)
		}
	}
	if err := s.download(ctx, r, depth, wanted...); err != nil {
		return fail(err)
	}
	if err := errors.Join(r.set(recorded), r.set(s.tags(r, depth == 0))); err != nil {
		return fail(err)
	}
	if at.IsZero() {
		return r, nil
	}
	return r, r.start(head, at, s.branch, recorded)
}

// start sets HEAD: to a branch, or to a commit if it is none. branch is that of the remote
// repository's HEAD.
func (r *repository) start(head plumbing.ReferenceName, at plumbing.Hash,
	branch plumbing.ReferenceName, recorded map[plumbing.ReferenceName]plumbing.Hash) error {
	if branch != "" {
		followed := plumbing.NewRemoteReferenceName(origin, branch.Short())
		if _, ok := recorded[followed]; ok {
			remote := plumbing.NewRemoteHEADReferenceName(origin)
			err := r.store.SetReference(plumbing.NewSymbolicReference(remote, followed))
			if err != nil {
				return err
			}
		}
	}
	if !head.IsBranch() {
		commit, err := r.peel(at)
		if err != nil {
			return err
		}
		return r.store.SetReference(plumbing.NewHashReference(plumbing.HEAD, commit))
	}
	if err := r.track(head, at); err != nil {
		return err
	}
	return r.store.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, head))
}

// track makes a branch that follows the one of the remote repository with the same name.
func (r *repository) track(branch plumbing.ReferenceName, at plumbing.Hash) error {
	if err := r.store.SetReference(plumbing.NewHashReference(branch, at)); err != nil {
		return err
	}
	c, err := r.Config()
	if err != nil {
		return err
	}
	c.Branches[branch.Short()] = &config.Branch{Name: branch.Short(), Remote: origin, Merge: branch}
	return r.SetConfig(c)
}

// isEmpty reports whether a directory has no files, or does not exist.
func isEmpty(dir string) (bool, error) {
	f, err := os.Open(dir)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// remover returns what removes the content of a directory, and the directory if it does not exist
// yet.
func remover(dir string) func() {
	_, err := os.Stat(dir)
	existed := err == nil
	return func() {
		if !existed {
			_ = os.RemoveAll(dir)
			return
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
