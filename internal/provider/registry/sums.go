package registry

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"strings"
)

// maxSums bounds the lines of a checksum document.
const maxSums = 10_000

// parseSums parses a SHA256SUMS document: the checksum, in lower-case hex, of each file.
func parseSums(document []byte) (map[string]string, *Error) {
	sums := map[string]string{}
	s := bufio.NewScanner(bytes.NewReader(document))
	for s.Scan() {
		fields := strings.Fields(s.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, problem(Invalid, "the checksum document has the line %s, which is not a checksum and a file name", clip(s.Text()))
		}
		sum, name := strings.ToLower(fields[0]), strings.TrimPrefix(fields[1], "*")
		if !isSHA256(sum) {
			return nil, problem(Invalid, "the checksum document has %s, which is not a SHA-256 checksum", clip(fields[0]))
		}
		if was, ok := sums[name]; ok && was != sum {
			return nil, problem(Invalid, "the checksum document has two checksums of %s", clip(name))
		}
		if sums[name] = sum; len(sums) > maxSums {
			return nil, problem(Invalid, "the checksum document has more than %d files", maxSums)
		}
	}
	if err := s.Err(); err != nil {
		return nil, problem(Invalid, "the checksum document cannot be read: %s", err)
	}
	return sums, nil
}

func isSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}
