package stage

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
)

// Env is the environment variable that names the directory.
const Env = "DIFFERENTIAL_STAGE"

const casesFile, callsFile = "cases.json", "calls.jsonl"

// Set creates a provider's stage and removes former results.
func Set(dir, provider string, run cloud.Run) error {
	dir = filepath.Join(dir, provider)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	all := map[string]cloud.Saved{}
	for name, a := range run {
		all[name] = a.Save()
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, casesFile), raw, 0o600)
}

// entry is a result that a provider writes: a call, or the world after a change.
type entry struct {
	Type  string
	Call  *cloud.Call  `json:",omitempty"`
	World *cloud.World `json:",omitempty"`
}

// Enter returns the cases for a provider's process. Calls and changes are written at once.
func Enter(dir, provider string) (cloud.Run, error) {
	dir = filepath.Join(dir, provider)
	raw, err := os.ReadFile(filepath.Join(dir, casesFile))
	if err != nil {
		return nil, err
	}
	var all map[string]cloud.Saved
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	worlds, _, err := read(dir)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(filepath.Join(dir, callsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	write := func(e entry) {
		mu.Lock()
		defer mu.Unlock()
		raw, err := json.Marshal(e)
		if err == nil {
			_, err = out.Write(append(raw, '\n'))
		}
		if err != nil {
			panic(fmt.Sprintf("writing results: %s", err))
		}
	}
	run := cloud.Run{}
	for name, s := range all {
		if w, ok := worlds[name]; ok {
			s.World = w
		}
		a := s.Active()
		a.OnCall = func(c cloud.Call) { write(entry{Type: name, Call: &c}) }
		a.OnChange = func(w cloud.World) { write(entry{Type: name, World: &w}) }
		run[name] = a
	}
	return run, nil
}

// Left applies the results of processes to the cases of the stage.
func Left(dir, provider string, run cloud.Run) error {
	worlds, calls, err := read(filepath.Join(dir, provider))
	if err != nil {
		return err
	}
	for name, a := range run {
		w, ok := worlds[name]
		if !ok {
			w = a.World()
		}
		a.Restore(w, calls[name])
	}
	return nil
}

// read reads the results.
func read(dir string) (map[string]cloud.World, map[string][]cloud.Call, error) {
	worlds, calls := map[string]cloud.World{}, map[string][]cloud.Call{}
	raw, err := os.ReadFile(filepath.Join(dir, callsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return worlds, calls, nil
	} else if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, nil, err
		}
		if e.Call != nil {
			calls[e.Type] = append(calls[e.Type], *e.Call)
		}
		if e.World != nil {
			worlds[e.Type] = *e.World
		}
	}
	return worlds, calls, lines.Err()
}
