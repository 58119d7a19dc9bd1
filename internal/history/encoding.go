package history

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// DefaultSize is the most bytes of a record that are stored.
const DefaultSize = 1 << 10

const (
	// version is the first byte of an encoding. A change of the dictionary needs another one.
	version = 1
	// maxDecoded bounds what is decoded.
	maxDecoded = 1 << 20
)

// dictionary has texts that are in most records, the most frequent ones last.
const dictionary = `"replacement":true,"deposed":"","moreChanges":,"message":"","trace":"","beforeCut":true,"afterCut":true` +
	`"beforeSensitive":true,"afterSensitive":true,"approvedBy":"","action":"Delete","outcome":"Recovered","outcome":"Failed",` +
	`"action":"Drift","action":"Import","outcome":"Running","because":"the object was changed outside of the resource",` +
	`"account":"ClusterProviderConfig/default","provider":"registry.terraform.io/hashicorp/","provider":"registry.opentofu.org/hashicorp/` +
	`"before":{"cut":1,{"entries":[{"at":"2026-01-01T00:00:00.000Z","tookMilliseconds":1,"action":"Update","outcome":"Succeeded",` +
	`"action":"Create","outcome":"Succeeded","because":"spec, generation 1","changes":[{"path":"id","after":"},{"path":"name","after":"` +
	`true},{"path":"","before":"","after":""}],"uid":"","operation":"`

// errVersion is the error for an encoding of another version.
var errVersion = errors.New("the change record is of another version of Landbridge")

// encode returns the compressed encoding of a log.
func (l Log) encode() []byte {
	text, err := json.Marshal(l)
	if err != nil {
		return nil // a raw value that is not JSON
	}
	w := compressors.Get().(*compressor)
	defer compressors.Put(w)
	w.out.Reset()
	w.out.WriteByte(version)
	w.Reset(&w.out)
	_, _ = w.Write(text)
	if w.Close() != nil {
		return nil // a buffer accepts everything
	}
	return bytes.Clone(w.out.Bytes())
}

// Decode returns the log of an encoding.
func Decode(stored []byte) (Log, error) {
	if len(stored) == 0 {
		return Log{}, nil
	}
	if stored[0] != version {
		return Log{}, errVersion
	}
	r := decompressors.Get().(io.ReadCloser)
	defer decompressors.Put(r)
	err := r.(flate.Resetter).Reset(bytes.NewReader(stored[1:]), []byte(dictionary))
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(r, maxDecoded))
	}
	if err != nil {
		return Log{}, fmt.Errorf("the change record is damaged: %w", err)
	}
	var l Log
	if err := json.Unmarshal(text, &l); err != nil {
		return Log{}, errors.New("the change record is damaged")
	}
	return l, nil
}

// decompressors are used again, since their windows are large.
var decompressors = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// compressor is used again, since it is large.
type compressor struct {
	*flate.Writer
	out bytes.Buffer
}

var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(nil, flate.DefaultCompression, []byte(dictionary))
	if err != nil {
		panic(err) // the level is a constant
	}
	return &compressor{Writer: w}
}}
