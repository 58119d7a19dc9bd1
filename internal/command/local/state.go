package local

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/schema"
)

// terraformVersion is the version in new state files. Terraform refuses state files of newer
// versions than itself. This is the first version with identities.
const terraformVersion = "1.12.0"

// maxState bounds the size of a state file, in bytes.
const maxState = 256 << 20

// State is a state file. It preserves resources of other providers, modules and outputs.
type State struct {
	path     string
	provider string // the address of the provider
	schemas  tfstate.Schemas

	mu    sync.Mutex
	state tfstate.State
	// file is the content of the file; nil if it does not exist.
	file     []byte
	mode     fs.FileMode
	backedUp bool
}

// OpenState reads a state file, or returns a new one that is not written yet. source is the address
// of the provider, such as registry.terraform.io/hashicorp/random.
func OpenState(path, source string, p *schema.Provider) (*State, error) {
	s := &State{path: path, provider: fmt.Sprintf("provider[%q]", source), schemas: tfstate.Of(p), mode: 0o600}
	// The target of a link is written.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		s.path = target
	}
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.state = tfstate.State{TerraformVersion: terraformVersion, Lineage: string(uuid.NewUUID())}
		return s, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a file", path)
	case info.Size() > maxState:
		return nil, fmt.Errorf("%s: larger than %d MiB", path, maxState>>20)
	}
	s.mode = info.Mode().Perm()
	if s.file, err = os.ReadFile(s.path); err != nil {
		return nil, err
	}
	if s.state, err = tfstate.Read(s.file, s.schemas); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// find returns the indexes of a resource and its instance in a state; -1 if absent.
func (s *State) find(state tfstate.State, r *ManifestResource) (resource, instance int) {
	for i, x := range state.Resources {
		if x.Mode == "managed" && x.Module == "" && x.Type == r.Model.Type && x.Name == r.Label() && x.Provider == s.provider {
			return i, slices.IndexFunc(x.Instances, func(x tfstate.Instance) bool { return x.IndexKey == nil })
		}
	}
	return -1, -1
}

// Instance returns the stored instance of a resource.
func (s *State) Instance(r *ManifestResource) (instance.Instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.state.Resources {
		if x.Mode != "managed" || x.Module != "" || x.Type != r.Model.Type || x.Name != r.Label() {
			continue
		}
		if x.Provider != s.provider {
			return instance.Instance{},
				fmt.Errorf("the state holds %s as an object of %s, and not of %s; name the provider's "+
					"source with --source", r.Address(), x.Provider, s.provider)
		}
		if slices.ContainsFunc(x.Instances, func(i tfstate.Instance) bool { return i.IndexKey != nil }) {
			return instance.Instance{},
				fmt.Errorf("the state holds several instances of %s, made with count or for_each; a custom resource "+
					"is a single instance", r.Address())
		}
	}
	if i, j := s.find(s.state, r); j >= 0 {
		return s.state.Resources[i].Instances[j].Instance, nil
	}
	return instance.Instance{}, nil
}

// Others returns the addresses of this provider's managed resources that are not among those given.
func (s *State) Others(given []*ManifestResource) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]bool{}
	for _, r := range given {
		known[r.Address()] = true
	}
	var out []string
	for _, x := range s.state.Resources {
		if address := x.Type + "." + x.Name; x.Mode == "managed" && x.Module == "" && x.Provider == s.provider && !known[address] {
			out = append(out, address)
		}
	}
	return out
}

// Put stores instances, and writes the file if that changes it.
func (s *State) Put(instances map[*ManifestResource]instance.Instance) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.state
	next.Resources = slices.Clone(s.state.Resources)
	resources := slices.SortedFunc(maps.Keys(instances), func(a, b *ManifestResource) int {
		return bytes.Compare([]byte(a.Address()), []byte(b.Address()))
	})
	for _, r := range resources {
		s.put(&next, r, instances[r])
	}
	before, err := tfstate.Write(s.state, s.schemas)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	after, err := tfstate.Write(next, s.schemas)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	s.state = next
	if bytes.Equal(before, after) {
		return nil
	}
	next.Serial++
	if after, err = tfstate.Write(next, s.schemas); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if err := s.write(after); err != nil {
		return s.rescue(after, err)
	}
	s.state = next
	return nil
}

// put puts one instance into a state whose list of resources is not shared.
func (s *State) put(state *tfstate.State, r *ManifestResource, in instance.Instance) {
	in.Operation = nil
	keep := in.Exists() || len(in.Deposed) > 0
	i, j := s.find(*state, r)
	if i < 0 {
		if keep {
			state.Resources = append(state.Resources, tfstate.ResourceBlock{
				Mode: "managed", Type: r.Model.Type, Name: r.Label(), Provider: s.provider,
				Instances: []tfstate.Instance{{Instance: in}},
			})
		}
		return
	}
	x := state.Resources[i]
	x.Instances = slices.Clone(x.Instances)
	switch {
	case keep && j < 0:
		x.Instances = append(x.Instances, tfstate.Instance{Instance: in})
	case keep:
		x.Instances[j].Instance = in
	case j >= 0:
		x.Instances = slices.Delete(x.Instances, j, j+1)
	}
	if len(x.Instances) == 0 {
		state.Resources = slices.Delete(state.Resources, i, i+1)
		return
	}
	state.Resources[i] = x
}

// write replaces the file atomically. The first write keeps a backup.
func (s *State) write(b []byte) error {
	now, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if s.file != nil {
			return errors.New("the file has been removed by another program")
		}
	case err != nil:
		return err
	case s.file == nil || !bytes.Equal(now, s.file):
		return errors.New("the file has been changed by another program")
	}
	if s.file != nil && !s.backedUp {
		if err := writeFile(s.path+".backup", s.file, s.mode); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
		s.backedUp = true
	}
	if err := writeFile(s.path, b, s.mode); err != nil {
		return err
	}
	s.file = b
	return nil
}

// rescue writes a state to another file when it cannot be written to its own. It may hold all that
// is known of an object.
func (s *State) rescue(b []byte, cause error) error {
	for _, dir := range []string{filepath.Dir(s.path), ".", os.TempDir()} {
		path := filepath.Join(dir, fmt.Sprintf("errored-%s.tfstate", s.state.Lineage))
		if writeFile(path, b, 0o600) == nil {
			return fmt.Errorf("%s could not be written: %w. Its new content is in %s. Keep that file: it may be the "+
				"only record of some objects", s.path, cause, path)
		}
	}
	return fmt.Errorf("%s could not be written, nor any other file: %w", s.path, cause)
}

// writeFile replaces a file atomically.
func writeFile(path string, b []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(b); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	if dir, openErr := os.Open(filepath.Dir(path)); openErr == nil {
		_ = dir.Sync() // not all file systems can
		dir.Close()
	}
	return nil
}
