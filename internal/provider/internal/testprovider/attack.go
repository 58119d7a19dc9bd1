package testprovider

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// attack does what a hostile provider may try, "VERB ARGUMENT", and describes what came of it:
// "done: RESULT" or "refused: ERROR".
func attack(what string) string {
	verb, argument, _ := strings.Cut(what, " ")
	result, err := attacks[verb](argument)
	if err != nil {
		return "refused: " + err.Error()
	}
	return "done: " + result
}

var attacks = map[string]func(string) (string, error){
	"read": func(path string) (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, 4096))
		return string(b), err
	},
	"list": func(path string) (string, error) {
		entries, err := os.ReadDir(path)
		return fmt.Sprint(len(entries)), err
	},
	"write": func(path string) (string, error) { return "", os.WriteFile(path, []byte("tampered with"), 0o600) },
	"append": func(path string) (string, error) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return "", err
		}
		return "", f.Close()
	},
	"truncate": func(path string) (string, error) { return "", os.Truncate(path, 0) },
	"remove":   func(path string) (string, error) { return "", os.Remove(path) },
	"link": func(path string) (string, error) {
		return "", os.Link(path, filepath.Join(os.Getenv("TMPDIR"), "link"))
	},
	"run": func(path string) (string, error) {
		out, err := exec.Command(path).CombinedOutput()
		return string(out), err
	},
	"signal": func(pid string) (string, error) {
		var id int
		if _, err := fmt.Sscan(pid, &id); err != nil {
			return "", err
		}
		return "", syscall.Kill(id, 0)
	},
	"trace": func(pid string) (string, error) {
		var id int
		if _, err := fmt.Sscan(pid, &id); err != nil {
			return "", err
		}
		return "", syscall.PtraceAttach(id)
	},
	"connect": func(address string) (string, error) {
		network := "tcp"
		if strings.HasPrefix(address, "@") {
			network = "unix"
		}
		c, err := net.DialTimeout(network, address, 10*time.Second)
		if err != nil {
			return "", err
		}
		return "", c.Close()
	},
	// print writes megabytes without a line end to the process's own stdout and stderr.
	"print": func(megabytes string) (string, error) {
		var n int
		if _, err := fmt.Sscan(megabytes, &n); err != nil {
			return "", err
		}
		part := bytes.Repeat([]byte("x"), 1<<20)
		for range n {
			for _, f := range []*os.File{stdout, stderr} {
				if _, err := f.Write(part); err != nil {
					return "", err
				}
			}
		}
		return "", nil
	},
	"variable": func(name string) (string, error) { return os.Getenv(name), nil },
	// keep writes a file and reads it again.
	"keep": func(path string) (string, error) {
		path = os.ExpandEnv(path)
		if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
			return "", err
		}
		b, err := os.ReadFile(path)
		return string(b), err
	},
}
