package memory_test

import (
	"errors"
	"testing"

	"github.com/landbridge-io/landbridge/internal/memory"
)

func TestLimit(t *testing.T) {
	const v2, v1 = "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"version 2":            {map[string]string{v2: "2147483648\n"}, 2 << 30},
		"version 2, unlimited": {map[string]string{v2: "max\n", v1: "5\n"}, 0},
		"version 1":            {map[string]string{v1: "1073741824\n"}, 1 << 30},
		"version 1, unlimited": {map[string]string{v1: "9223372036854771712\n"}, 0},
		"no control groups":    {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := memory.LimitIn(func(name string) ([]byte, error) {
				content, ok := c.files[name]
				if !ok {
					return nil, errors.New("no such file")
				}
				return []byte(content), nil
			})
			if got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
