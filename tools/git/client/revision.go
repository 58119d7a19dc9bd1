package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

var (
	hexadecimal = regexp.MustCompile(`^[0-9a-fA-F]{4,40}$`)
	// described is what git describe prints: a tag, a number of commits, and a part of the commit's
	// hash.
	described = regexp.MustCompile(`-g([0-9a-fA-F]{4,40})$`)
	// special are the references beside those below refs. All other files of a repository are none.
	special = regexp.MustCompile(`^[A-Z_]*HEAD$`)
)

const commitSuffix = "^{commit}"

// commit returns the commit that a revision is: a reference, the hash of a commit or of a tag, or
// the beginning of one. It is followed by any number of ~ and ^, and by ^{commit}.
func (r *repository) commit(revision string) (plumbing.Hash, error) {
	name := strings.TrimSuffix(revision, commitSuffix)
	end := strings.IndexAny(name, "~^")
	if end < 0 {
		end = len(name)
	}
	hash, ok := r.object(name[:end])
	if !ok {
		return plumbing.ZeroHash, fmt.Errorf("there is no revision %q", revision)
	}
	if end < len(name) {
		found, err := r.ResolveRevision(plumbing.Revision(hash.String() + name[end:]))
		if err != nil {
			return plumbing.ZeroHash, err
		}
		return *found, nil
	}
	return r.peel(hash)
}

// object returns the object that a name is.
func (r *repository) object(name string) (plumbing.Hash, bool) {
	if len(name) == 40 && hexadecimal.MatchString(name) {
		hash := plumbing.NewHash(name)
		return hash, r.exists(hash)
	}
	if name == "@" {
		name = "HEAD"
	}
	if name == "FETCH_HEAD" {
		content, err := os.ReadFile(filepath.Join(r.gitDir, name))
		first, _, _ := strings.Cut(string(content), "\t")
		return plumbing.NewHash(first), err == nil && plumbing.IsHash(first)
	}
	for _, form := range plumbing.RefRevParseRules {
		full := plumbing.ReferenceName(fmt.Sprintf(form, name))
		if !special.MatchString(string(full)) && !inRefs(full) {
			continue
		}
		if ref, err := r.Reference(full, true); err == nil {
			return ref.Hash(), true
		}
	}
	if m := described.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	if !hexadecimal.MatchString(name) {
		return plumbing.ZeroHash, false
	}
	return r.abbreviated(strings.ToLower(name))
}

// abbreviated returns the only commit, or tag of one, whose hash begins so.
func (r *repository) abbreviated(prefix string) (plumbing.Hash, bool) {
	whole := plumbing.NewHash(prefix + strings.Repeat("0", 40-len(prefix)))
	found, err := r.store.HashesWithPrefix(whole[:len(prefix)/2])
	if err != nil {
		return plumbing.ZeroHash, false
	}
	found = slices.DeleteFunc(unique(found), func(h plumbing.Hash) bool {
		_, err := r.peel(h)
		return err != nil || !strings.HasPrefix(h.String(), prefix)
	})
	if len(found) != 1 {
		return plumbing.ZeroHash, false
	}
	return found[0], true
}

// peel returns the commit that an object is, or that a tag is for.
func (r *repository) peel(hash plumbing.Hash) (plumbing.Hash, error) {
	for range 10 {
		tag, err := object.GetTag(r.store, hash)
		if err != nil {
			commit, err := object.GetCommit(r.store, hash)
			if err != nil {
				return plumbing.ZeroHash, fmt.Errorf("%s is no commit", hash)
			}
			return commit.Hash, nil
		}
		hash = tag.Target
	}
	return plumbing.ZeroHash, errors.New("tags of tags of tags")
}

// contains reports whether a commit is in the history of another one, as far as the history is
// there.
func (r *repository) contains(newer, older plumbing.Hash) bool {
	seen, next := map[plumbing.Hash]bool{}, []plumbing.Hash{newer}
	for len(next) > 0 {
		hash := next[len(next)-1]
		next = next[:len(next)-1]
		if hash == older {
			return true
		}
		if seen[hash] {
			continue
		}
		seen[hash] = true
		if c, err := object.GetCommit(r.store, hash); err == nil {
			next = append(next, c.ParentHashes...)
		}
	}
	return false
}

// revParse prints the hash of a revision.
func revParse(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(1, 1, "--verify"); err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	var hash plumbing.Hash
	if strings.ContainsAny(args.rest[0], "~^") {
		hash, err = r.commit(args.rest[0])
	} else if found, ok := r.object(args.rest[0]); ok {
		hash = found
	} else {
		err = errors.New("none")
	}
	switch {
	case err != nil && args.has("-q", "--quiet"):
		return failure{status: 1}
	case err != nil:
		return fatalf("Needed a single revision")
	}
	_, err = fmt.Fprintln(p.Stdout, hash)
	return err
}

// showRef tells whether a reference exists.
func showRef(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(1, 1, "--verify"); err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	quiet := args.has("-q", "--quiet")
	name := plumbing.ReferenceName(args.rest[0])
	var ref *plumbing.Reference
	if err = name.Validate(); err == nil {
		ref, err = r.Reference(name, true)
	}
	switch {
	case err != nil && quiet:
		return failure{status: 1}
	case err != nil:
		return fatalf("'%s' - not a valid ref", name)
	case quiet:
		return nil
	}
	_, err = fmt.Fprintf(p.Stdout, "%s %s\n", ref.Hash(), name)
	return err
}

// branch lists the branches of remote repositories at a revision.
func branch(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(0, 0, "-r", "--points-at"); err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	at, err := r.commit(args.flags["--points-at"])
	if err != nil {
		return failure{Usage, "error: malformed object name " + args.flags["--points-at"]}
	}
	refs, err := r.References()
	if err != nil {
		return err
	}
	var lines []string
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		if !ref.Name().IsRemote() {
			return nil
		}
		resolved, err := r.Reference(ref.Name(), true)
		if err != nil || resolved.Hash() != at {
			return nil // a link to what is not there
		}
		line := "  " + ref.Name().Short()
		if ref.Type() == plumbing.SymbolicReference {
			line += " -> " + ref.Target().Short()
		}
		lines = append(lines, line+"\n")
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(lines)
	_, err = fmt.Fprint(p.Stdout, strings.Join(lines, ""))
	return err
}

// update lets HEAD, or the branch that it is, and the files be a commit.
func (r *repository) update(to plumbing.Hash) error {
	w, err := r.Worktree()
	if err != nil {
		return err
	}
	return overwritten(w.Reset(&git.ResetOptions{Mode: git.MergeReset, Commit: to}))
}

// overwritten words the refusal to overwrite changes.
func overwritten(err error) error {
	if errors.Is(err, git.ErrUnstagedChanges) {
		return failure{1, "error: Your local changes would be overwritten.\nAborting"}
	}
	return err
}

// checkout checks out a branch or a revision.
func checkout(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(1, 1); err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	return r.checkout(args.rest[0])
}

func (r *repository) checkout(name string) error {
	w, err := r.Worktree()
	if err != nil {
		return err
	}
	branch := plumbing.NewBranchReferenceName(name)
	if branch.Validate() == nil {
		if _, err := r.store.Reference(branch); err == nil {
			return overwritten(w.Checkout(&git.CheckoutOptions{Branch: branch}))
		}
	}
	if hash, err := r.commit(name); err == nil {
		return overwritten(w.Checkout(&git.CheckoutOptions{Hash: hash}))
	}
	// A branch of the remote repository becomes one of this.
	tracked := plumbing.NewRemoteReferenceName(origin, name)
	if tracked.Validate() == nil {
		if ref, err := r.Reference(tracked, true); err == nil {
			if err := r.track(branch, ref.Hash()); err != nil {
				return err
			}
			return overwritten(w.Checkout(&git.CheckoutOptions{Branch: branch}))
		}
	}
	text := fmt.Sprintf("error: pathspec '%s' did not match any file(s) known to git", name)
	return failure{1, text}
}

// reset lets HEAD, or the branch that it is, and all files that it knows be a revision, whatever
// they were.
func reset(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(1, 1, "--hard"); err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	to, err := r.commit(args.rest[0])
	if err != nil {
		return fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.",
			args.rest[0])
	}
	return r.resetHard(to)
}

func (r *repository) resetHard(to plumbing.Hash) error {
	w, err := r.Worktree()
	if err != nil {
		return err
	}
	head, err := r.store.Reference(plumbing.HEAD)
	if err != nil {
		return err
	}
	if head.Type() == plumbing.SymbolicReference {
		// The library needs the branch to exist.
		if err := r.store.SetReference(plumbing.NewHashReference(head.Target(), to)); err != nil {
			return err
		}
	}
	known, err := r.known(to)
	if err != nil {
		return err
	}
	// Without these, it removes files that are in no commit.
	return w.Reset(&git.ResetOptions{Mode: git.HardReset, Commit: to, Files: known})
}

// known returns the paths of the files in the index and in a commit.
func (r *repository) known(to plumbing.Hash) ([]string, error) {
	c, err := object.GetCommit(r.store, to)
	if err != nil {
		return nil, err
	}
	tree, err := c.Tree()
	if err != nil {
		return nil, err
	}
	out := []string{git.GitDirName} // never a file; an empty list would be all files
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		name, _, err := walker.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	index, err := r.store.Index()
	if err != nil {
		return nil, err
	}
	for _, e := range index.Entries {
		out = append(out, e.Name)
	}
	return out, nil
}
