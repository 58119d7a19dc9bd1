package upgradepreview

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

const (
	// maxWaiting is the number of bytes that resources take while they wait for their records. The
	// list of records is read once for all of them.
	maxWaiting = 32 << 20
	// waitingOverhead is what a resource takes beside its content: its key, and its place in the
	// map.
	waitingOverhead = 256
)

// waiting are resources whose records are to be read. They are compressed with the first one as the
// dictionary, since resources of a type have much in common. The zero value is ready to use.
type waiting struct {
	content map[store.Key][]byte
	size    int
	buffer  []byte
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// add adds a resource with its content.
func (w *waiting) add(key store.Key, content []byte) error {
	if w.encoder == nil {
		if err := w.begin(content); err != nil {
			return err
		}
	}
	w.remove(key)
	w.buffer = w.encoder.EncodeAll(content, w.buffer[:0])
	w.content[key] = bytes.Clone(w.buffer) // without spare capacity
	w.size += w.sizeOf(key)
	return nil
}

func (w *waiting) begin(dictionary []byte) (err error) {
	w.content = map[store.Key][]byte{}
	w.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, dictionary), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	w.decoder, err = zstd.NewReader(nil, zstd.WithDecoderDictRaw(1, dictionary))
	return err
}

// full reports whether the resources take so many bytes that they are to be previewed.
func (w *waiting) full() bool { return w.size >= maxWaiting }

func (w *waiting) len() int { return len(w.content) }

func (w *waiting) has(key store.Key) bool { return w.content[key] != nil }

// of returns the content of a resource that waits. It may be called concurrently.
func (w *waiting) of(key store.Key) ([]byte, error) {
	compressed := w.content[key]
	if compressed == nil {
		return nil, errors.New("the resource does not wait")
	}
	return w.decoder.DecodeAll(compressed, nil)
}

// keys returns the keys of all resources in order.
func (w *waiting) keys() []store.Key {
	return slices.SortedFunc(maps.Keys(w.content), store.Key.Compare)
}

func (w *waiting) remove(key store.Key) {
	if w.has(key) {
		w.size -= w.sizeOf(key)
		delete(w.content, key)
	}
}

func (w *waiting) sizeOf(key store.Key) int {
	return len(w.content[key]) + len(key.Namespace) + len(key.Name) + waitingOverhead
}

// close ends the use of the resources.
func (w *waiting) close() {
	if w.decoder != nil {
		w.decoder.Close()
	}
}
