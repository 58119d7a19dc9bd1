package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// stderr is the process's; go-plugin replaces os.Stderr.
var stderr = os.Stderr

// flooded is the number of lines that flood writes.
const flooded = 100_000

var kept [][]byte

// suffer carries out an order that any call can have. It returns the response's diagnostics.
func suffer(do order) []*tfprotov6.Diagnostic {
	seconds, throttled := strings.CutPrefix(string(do), throttle)
	switch {
	case throttled:
		return refuse("429 Too Many Requests", "Retry-After: "+seconds, nil)
	case do == login:
		return refuse("Cannot log in", "password authentication failed for user \"admin\"", nil)
	case do == hang:
		select {}
	case do == grow:
		for range 1 << 10 { // at most a gigabyte, in case the process is not killed
			kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
			time.Sleep(10 * time.Millisecond)
		}
		select {}
	case do == flood:
		for i := range flooded {
			fmt.Fprintf(stderr, `{"@level":"error","@message":"flood","@module":"double","n":%d}`+"\n", i)
		}
	}
	return nil
}

// dawdle waits for the order's duration. It reports whether a stop was requested.
func dawdle(ctx context.Context, do order) bool {
	text, ok := strings.CutPrefix(string(do), polite)
	if !ok {
		return false
	}
	duration, err := time.ParseDuration(text)
	must(err)
	select {
	case <-time.After(duration):
		return false
	case <-ctx.Done():
		return true
	}
}

// unreadable returns a value that cannot be decoded.
func unreadable() *tfprotov6.DynamicValue { return &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}} }

// spelled quotes a value in the ways in which clouds and their clients do.
func spelled(value string) string {
	asJSON, err := json.Marshal(map[string]string{"password": value})
	must(err)
	var lines []string
	for rest := value; rest != ""; rest = rest[min(7, len(rest)):] {
		lines = append(lines, rest[:min(7, len(rest))])
	}
	return strings.Join([]string{
		"POST /login?password=" + url.QueryEscape(value), "GET /passwords/" + url.PathEscape(value),
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+value)), string(asJSON),
		fmt.Sprintf("%q", value), strings.Join(lines, "\n  "),
	}, "\n")
}
