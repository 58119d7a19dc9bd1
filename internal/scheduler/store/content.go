package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// An encoded instance is stored in one of three forms, depending on its size:
//
//	Secret of the instance (head)                 parts
//	instance.json                                 none       as it is
//	instance.json.zst, content.json               none       compressed
//	content.json                                  1, 2, 3 …  compressed, and divided among other Secrets
//
// A head without content (pending) was made before the parts of a first record. It counts as
// absent.
const (
	dataInstance   = "instance.json"
	dataCompressed = "instance.json.zst" // of a head, and of a part
	dataContent    = "content.json"      // content
	dataPending    = "pending"

	// maxPlain is the maximum size of an encoding that is stored as it is, in bytes.
	maxPlain = 32 << 10
	// partSize is the default of Secrets.PartSize. Kubernetes allows 1 MiB. A request in JSON has a
	// third more than its data, and still passes through proxies that allow 1 MiB.
	partSize = 512 << 10
	// window bounds the memory of the compression.
	window = 1 << 20
)

// content describes a compressed encoding.
type content struct {
	// Size and SHA256 are those of the encoding.
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
	// Parts are the Secrets with the compressed encoding, in order; empty if the head has it.
	Parts []part `json:"parts,omitempty"`
}

// part is a Secret with a part of the compressed encoding.
type part struct {
	Name   string `json:"name"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`

	// uid is that of the Secret, as far as this process knows it.
	uid types.UID
}

// digest identifies bytes.
type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// fill puts an encoding into a head. It returns the parts of the compressed encoding if they need
// Secrets of their own, because they have more bytes than one Secret may have.
func fill(head *corev1.Secret, data []byte, sum digest, most int) ([][]byte, error) {
	if len(data) <= min(maxPlain, most) {
		head.Data[dataInstance] = data
		return nil, nil
	}
	compressed, err := compress(data)
	if err != nil {
		return nil, err
	}
	if len(compressed) > most {
		return slices.Collect(slices.Chunk(compressed, most)), nil
	}
	head.Data[dataCompressed] = compressed
	return nil, describe(head, content{Size: len(data), SHA256: sum.String()})
}

// describe puts the description of a compressed encoding into a head.
func describe(head *corev1.Secret, c content) (err error) {
	head.Data[dataContent], err = json.Marshal(c)
	return err
}

// compress compresses an encoding. The same beginnings of two encodings are compressed alike,
// except for the first bytes, so that parts can be used again.
func compress(data []byte) ([]byte, error) {
	w := compressors.Get().(*zstd.Encoder)
	defer func() {
		w.Reset(nil)
		compressors.Put(w)
	}()
	var out bytes.Buffer
	w.Reset(&out)
	_, err := w.Write(data)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("cannot compress the instance: %w", err)
	}
	return out.Bytes(), nil
}

// compressors are used again, since their windows are large.
var compressors = sync.Pool{New: func() any {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true),
		zstd.WithAllLitEntropyCompression(true)) // much of it is base64
	if err != nil {
		panic(err) // the options are constants
	}
	return w
}}

// decompress returns the encoding of a content.
func (c *content) decompress(compressed []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(compressed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8*window))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := bytes.NewBuffer(make([]byte, 0, min(c.Size, maxRecord)+bytes.MinRead))
	if _, err := io.Copy(out, io.LimitReader(r, maxRecord)); err != nil {
		return nil, errors.New("its compressed content is damaged")
	}
	if out.Len() != c.Size || digest(sha256.Sum256(out.Bytes())).String() != c.SHA256 {
		return nil, errors.New("its content does not have the recorded checksum")
	}
	return out.Bytes(), nil
}

// stored is a head.
type stored struct {
	last
	record Record // without the instance
	shard  Shard
	// plain or compressed is set, unless the content is in parts.
	plain, compressed []byte
	content           *content
}

// open reads a head.
func open(secret *corev1.Secret) (stored, error) {
	unreadable := func(format string, args ...any) (stored, error) {
		return stored{}, fmt.Errorf("%w: %s", ErrUnreadable, fmt.Sprintf(format, args...))
	}
	out := stored{last: last{
		version: secret.ResourceVersion, write: secret.Annotations[annotationWrite], foreign: foreign(secret),
		split: secret.Labels[labelSplit] != "",
	}}
	out.record, out.shard = recordOf(secret), ShardOf(secret)
	var plain, pending, described bool
	out.plain, plain = secret.Data[dataInstance]
	_, pending = secret.Data[dataPending]
	raw, described := secret.Data[dataContent]
	if string(secret.Type) != v1alpha1.SecretTypeInstance || !plain && !pending && !described {
		return unreadable("the Secret %s is not one of Landbridge's; it was replaced from outside", secret.Name)
	}
	if handled, ok := secret.Data[dataHandled]; ok {
		if err := json.Unmarshal(handled, &out.record.Handled); err != nil {
			return unreadable("%s in Secret %s is malformed", dataHandled, secret.Name)
		}
	}
	var sum digest
	switch {
	case plain:
		sum = sha256.Sum256(out.plain)
	case pending:
		out.pending = true
		return out, nil
	default:
		out.compressed, out.content = secret.Data[dataCompressed], &content{}
		if json.Unmarshal(raw, out.content) != nil || out.content.Size < 0 || out.content.Size > maxRecord {
			return unreadable("%s in Secret %s is malformed", dataContent, secret.Name)
		}
		if b, err := hex.DecodeString(out.content.SHA256); err != nil || copy(sum[:], b) != len(sum) {
			return unreadable("%s in Secret %s is malformed", dataContent, secret.Name)
		}
		out.parts = out.content.Parts
	}
	out.sum = sumOf(out.record, sum)
	return out, nil
}
