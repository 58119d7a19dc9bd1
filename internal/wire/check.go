package wire

import (
	"encoding/binary"
	"errors"
)

var (
	errTruncated = errors.New("malformed msgpack: truncated")
	errDepth     = errors.New("malformed msgpack: nested too deeply")
	errTrailing  = errors.New("malformed msgpack: trailing bytes")
	errCode      = errors.New("malformed msgpack: reserved code")
)

const (
	maxDepth = 512
	// extUnknown and extRefined are the extensions for unknown values (contract § 1). Every other
	// extension is an unknown value, too.
	extUnknown = 0
	extRefined = 12
)

// checkMsgpack returns an error unless b is exactly one well-formed msgpack object. Decoders
// allocate as much as a length prefix says, so it is compared with the remaining bytes first. The
// returned bytes are b, with plain unknown values in the place of extensions that cty rejects.
func checkMsgpack(b []byte) ([]byte, error) {
	s := scanner{rest: b}
	if err := s.skip(0); err != nil {
		return nil, err
	}
	if len(s.rest) > 0 {
		return nil, errTrailing
	}
	if len(s.foreign) == 0 {
		return b, nil
	}
	var out []byte
	from := 0
	for _, span := range s.foreign {
		out = append(append(out, b[from:len(b)-span.before]...), 0xd4, 0, 0)
		from = len(b) - span.after
	}
	return append(out, b[from:]...), nil
}

type scanner struct {
	rest    []byte
	foreign []span
}

// span is a range of bytes, counted from the end.
type span struct{ before, after int }

// skip skips the next object.
func (s *scanner) skip(depth int) error {
	if len(s.rest) == 0 {
		return errTruncated
	}
	if depth > maxDepth {
		return errDepth
	}
	start := len(s.rest)
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case c <= 0x7f, c >= 0xe0, c == 0xc0, c == 0xc2, c == 0xc3:
		return nil
	case c >= 0x80 && c <= 0x8f:
		return s.skipMany(2*uint64(c&0x0f), depth)
	case c >= 0x90 && c <= 0x9f:
		return s.skipMany(uint64(c&0x0f), depth)
	case c >= 0xa0 && c <= 0xbf:
		return s.drop(uint64(c & 0x1f))
	}
	switch c {
	case 0xcc, 0xd0:
		return s.drop(1)
	case 0xcd, 0xd1:
		return s.drop(2)
	case 0xca, 0xce, 0xd2:
		return s.drop(4)
	case 0xcb, 0xcf, 0xd3:
		return s.drop(8)
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8: // ext with a fixed length of 1 to 16
		return s.ext(start, uint64(1)<<(c-0xd4))
	case 0xc7, 0xc8, 0xc9: // ext
		n, err := s.length(1 << (c - 0xc7))
		if err != nil {
			return err
		}
		return s.ext(start, n)
	case 0xc4, 0xc5, 0xc6: // bin
		return s.dropLength(1 << (c - 0xc4))
	case 0xd9, 0xda, 0xdb: // str
		return s.dropLength(1 << (c - 0xd9))
	case 0xdc, 0xdd: // array
		n, err := s.length(2 << (c - 0xdc))
		if err != nil {
			return err
		}
		return s.skipMany(n, depth)
	case 0xde, 0xdf: // map
		n, err := s.length(2 << (c - 0xde))
		if err != nil {
			return err
		}
		return s.skipMany(2*n, depth)
	}
	return errCode
}

func (s *scanner) skipMany(n uint64, depth int) error {
	if n > uint64(len(s.rest)) {
		return errTruncated
	}
	for range n {
		if err := s.skip(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) ext(start int, n uint64) error {
	if len(s.rest) == 0 {
		return errTruncated
	}
	code := s.rest[0]
	if err := s.drop(n + 1); err != nil {
		return err
	}
	if code != extUnknown && code != extRefined || code == extUnknown && n > 1 {
		s.foreign = append(s.foreign, span{start, len(s.rest)})
	}
	return nil
}

func (s *scanner) dropLength(size int) error {
	n, err := s.length(size)
	if err != nil {
		return err
	}
	return s.drop(n)
}

func (s *scanner) drop(n uint64) error {
	if n > uint64(len(s.rest)) {
		return errTruncated
	}
	s.rest = s.rest[n:]
	return nil
}

func (s *scanner) length(size int) (uint64, error) {
	if len(s.rest) < size {
		return 0, errTruncated
	}
	b := s.rest
	s.rest = s.rest[size:]
	switch size {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(binary.BigEndian.Uint16(b)), nil
	default:
		return uint64(binary.BigEndian.Uint32(b)), nil
	}
}
