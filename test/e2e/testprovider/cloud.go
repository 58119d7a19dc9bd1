package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// cloud holds the remote objects, in files.
type cloud struct {
	dir string
	// account is the one that the endpoint names; empty for the only one.
	account string
}

// object is a remote object. Absent attributes are null.
type object struct {
	Attributes map[string]string `json:"attributes"`
	Rules      []string          `json:"rules,omitempty"`
}

func (o object) name() string { return o.Attributes["name"] }

func (c cloud) path(kind, name string) string {
	return filepath.Join(c.dir, "objects", c.account, kind+"."+name)
}

func (c cloud) get(kind, name string) (object, bool) {
	var o object
	content, err := os.ReadFile(c.path(kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return o, false
	}
	must(err)
	must(json.Unmarshal(content, &o))
	return o, true
}

// byID finds an object by its id.
func (c cloud) byID(kind, id string) (object, bool) {
	files, err := filepath.Glob(c.path(kind, "*"))
	must(err)
	for _, f := range files {
		if o, ok := c.get(kind, strings.TrimPrefix(filepath.Base(f), kind+".")); ok && o.Attributes["id"] == id {
			return o, true
		}
	}
	return object{}, false
}

func (c cloud) put(kind string, o object) {
	content, err := json.Marshal(o)
	must(err)
	must(os.MkdirAll(filepath.Dir(c.path(kind, o.name())), 0o755))
	// Renamed, so that a test that reads sees a whole file.
	temporary := filepath.Join(c.dir, rand.Text())
	must(os.WriteFile(temporary, content, 0o644))
	must(os.Rename(temporary, c.path(kind, o.name())))
}

func (c cloud) remove(kind, name string) {
	if err := os.Remove(c.path(kind, name)); !errors.Is(err, fs.ErrNotExist) {
		must(err)
	}
}

// note records a call.
func (c cloud) note(method, kind, name string) {
	f, err := os.OpenFile(filepath.Join(c.dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(err)
	_, err = fmt.Fprintln(f, method, kind, name)
	must(errors.Join(err, f.Close()))
}

// must panics on errors that only a broken test can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
