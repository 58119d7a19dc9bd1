package clustertest

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ShowLog saves the controllers' log and reports where it is, if the test has failed.
func (c *Cluster) ShowLog(tb testing.TB) {
	tb.Helper()
	if tb.Failed() {
		tb.Logf("the controllers' log: %s", KeepLog(tb.Name(), c.Log))
	}
}

// KeepLog copies a log to where it outlives the test, and returns the path of the copy or why
// there is none.
func KeepLog(name, log string) string {
	in, err := os.Open(log)
	if err != nil {
		return err.Error()
	}
	defer in.Close()
	path := filepath.Join(os.TempDir(), "landbridge-"+strings.ReplaceAll(name, "/", "-")+".log")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err.Error()
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err.Error()
	}
	return path
}
