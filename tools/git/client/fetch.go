package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// download gets objects with all that they refer to: to the given depth, or all of it. What is
// there already is not asked for again. It is said to be unknown, though: a negotiation would be
// worth it for repositories that live on.
func (s *session) download(ctx context.Context, r *repository, depth int,
	wanted ...plumbing.Hash) error {
	if s.address.endpoint.Protocol == "file" {
		depth = 0 // a copy of what is here is as good
	}
	shallow, err := r.store.Shallow()
	if err != nil {
		return err
	}
	wanted = unique(wanted)
	if depth == 0 {
		wanted = slices.DeleteFunc(wanted, r.exists)
	}
	if len(wanted) == 0 {
		return nil
	}
	request := packp.NewUploadPackRequestFromCapabilities(s.capabilities)
	request.Wants = wanted
	for _, c := range []capability.Capability{capability.NoProgress, capability.IncludeTag} {
		if s.capabilities.Supports(c) {
			if err := request.Capabilities.Set(c); err != nil {
				return err
			}
		}
	}
	if depth > 0 || len(shallow) > 0 {
		if !s.capabilities.Supports(capability.Shallow) {
			return fatalf("Server does not support shallow clients")
		}
		if err := request.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
		request.Depth, request.Shallows = packp.DepthCommits(depth), shallow
	}
	response, err := s.UploadPack(ctx, request)
	if errors.Is(err, transport.ErrEmptyUploadPackRequest) {
		return fatalf("the remote end hung up unexpectedly")
	} else if err != nil {
		return s.refused(err)
	}
	defer response.Close()
	if depth > 0 {
		shallow = append(shallow, response.Shallows...)
		shallow = slices.DeleteFunc(shallow, func(h plumbing.Hash) bool {
			return slices.Contains(response.Unshallows, h)
		})
		if err := r.store.SetShallow(unique(shallow)); err != nil {
			return err
		}
	}
	var content = stopping{response, ctx}
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		content.Reader = sideband.NewDemuxer(sideband.Sideband64k, content.Reader)
	case request.Capabilities.Supports(capability.Sideband):
		content.Reader = sideband.NewDemuxer(sideband.Sideband, content.Reader)
	}
	if err := packfile.UpdateObjectStorage(r.store, content); err != nil {
		return fatalf("fetch-pack: %s", err)
	}
	return nil
}

// refused words the refusal of a request.
func (s *session) refused(err error) error {
	if text := err.Error(); strings.Contains(text, "not our ref") {
		return fatalf("remote error: upload-pack: not our ref")
	}
	return s.explain(err)
}

func unique(hashes []plumbing.Hash) []plumbing.Hash {
	seen := map[plumbing.Hash]bool{}
	return slices.DeleteFunc(hashes, func(h plumbing.Hash) bool {
		was := seen[h]
		seen[h] = true
		return was
	})
}

// set records references.
func (r *repository) set(refs map[plumbing.ReferenceName]plumbing.Hash) error {
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if err := r.store.SetReference(plumbing.NewHashReference(name, refs[name])); err != nil {
			return err
		}
	}
	return nil
}

// branches returns where the branches of the remote repository are recorded, and their commits.
// Those that no refspec names are left out.
func (s *session) branches(specs []config.RefSpec) map[plumbing.ReferenceName]plumbing.Hash {
	out := map[plumbing.ReferenceName]plumbing.Hash{}
	for name, hash := range s.refs {
		for _, spec := range specs {
			if spec.Match(name) {
				out[spec.Dst(name)] = hash
			}
		}
	}
	return out
}

// tags returns the tags of the remote repository: all, or those whose objects are there.
func (s *session) tags(r *repository, all bool) map[plumbing.ReferenceName]plumbing.Hash {
	out := map[plumbing.ReferenceName]plumbing.Hash{}
	for name, hash := range s.refs {
		if name.IsTag() && (all || r.exists(hash)) {
			out[name] = hash
		}
	}
	return out
}

// fetchInto fetches the branches that the remote's refspecs name, or one reference, which it
// returns. Tags come along with branches if their objects do, or all of them.
func (p *process) fetchInto(ctx context.Context, r *repository, name string, allTags bool,
	depth int, refs ...string) (plumbing.Hash, error) {
	url, err := r.url(name)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	c, err := r.Config()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	a, err := parseAddress(url, p.Dir)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	s, err := p.connect(ctx, a)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer s.Close()
	specs := c.Remotes[name].Fetch
	recorded, tags := s.branches(specs), map[plumbing.ReferenceName]plumbing.Hash{}
	head, line := s.head, ""
	if len(refs) > 0 {
		found, hash, ok := s.find(refs[0])
		if !ok {
			return plumbing.ZeroHash, fatalf("couldn't find remote ref %s", refs[0])
		}
		head = hash
		only := map[plumbing.ReferenceName]plumbing.Hash{}
		for _, spec := range specs {
			if spec.Match(found) {
				only[spec.Dst(found)] = hash
			}
		}
		recorded = only
		switch {
		case found == plumbing.HEAD:
			line = fmt.Sprintf("%s\t\t%s\n", hash, a.text)
		case found.IsBranch():
			line = fmt.Sprintf("%s\t\tbranch '%s' of %s\n", hash, found.Short(), a.text)
		case found.IsTag():
			line = fmt.Sprintf("%s\t\ttag '%s' of %s\n", hash, found.Short(), a.text)
		default:
			line = fmt.Sprintf("%s\t\t'%s' of %s\n", hash, refs[0], a.text)
		}
	} else if s.branch != "" {
		line = fmt.Sprintf("%s\t\tbranch '%s' of %s\n", head, s.branch.Short(), a.text)
	}
	wanted := slices.Collect(maps.Values(recorded))
	if len(refs) > 0 {
		wanted = append(wanted, head)
	}
	if allTags {
		tags = s.tags(r, true)
		wanted = slices.AppendSeq(wanted, maps.Values(tags))
	}
	if err := s.download(ctx, r, depth, wanted...); err != nil {
		return plumbing.ZeroHash, err
	}
	if !allTags && len(refs) == 0 {
		tags = s.tags(r, false)
	}
	for name := range tags {
		// As git does, a tag that is there stays what it is.
		if _, err := r.store.Reference(name); err == nil {
			delete(tags, name)
		}
	}
	if err := errors.Join(r.set(recorded), r.set(tags)); err != nil {
		return plumbing.ZeroHash, err
	}
	return head, os.WriteFile(filepath.Join(r.gitDir, "FETCH_HEAD"), []byte(line), 0o666)
}

// fetch fetches from a remote repository.
func fetch(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(0, 2); err != nil {
		return err
	}
	depth, err := args.depth()
	if err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	name, refs := remoteOf(args)
	_, err = p.fetchInto(ctx, r, name, args.has("--tags"), depth, refs...)
	return err
}

// remoteOf returns the remote repository and the reference of a command.
func remoteOf(args arguments) (string, []string) {
	if len(args.rest) == 0 {
		return origin, nil
	}
	return args.rest[0], args.rest[1:]
}

// pull fetches a branch and lets HEAD follow it.
func pull(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(0, 2, "--ff-only"); err != nil {
		return err
	}
	depth, err := args.depth()
	if err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	name, refs := remoteOf(args)
	if len(refs) == 0 {
		head, err := r.store.Reference(plumbing.HEAD)
		if err != nil || head.Type() != plumbing.SymbolicReference {
			return fatalf("You are not currently on a branch.")
		}
		refs = []string{string(head.Target())}
	}
	fetched, err := p.fetchInto(ctx, r, name, false, depth, refs...)
	if err != nil {
		return err
	}
	to, err := r.peel(fetched)
	if err != nil {
		return err
	}
	now, err := r.Head()
	if err != nil && !errors.Is(err, plumbing.ErrReferenceNotFound) {
		return err
	}
	if err == nil {
		if now.Hash() == to || r.contains(now.Hash(), to) {
			_, err := fmt.Fprintln(p.Stdout, "Already up to date.")
			return err
		}
		if !r.contains(to, now.Hash()) {
			return fatalf("Not possible to fast-forward, aborting.")
		}
	}
	return r.update(to)
}
