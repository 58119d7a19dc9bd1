package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// stderr is that of the process; go-plugin puts another in its place.
var stderr = os.Stderr

// flooded is how many lines flood writes.
const flooded = 100_000

var kept [][]byte

// suffer does what may befall any call. What it returns is the answer's.
func suffer(do order) []*tfprotov6.Diagnostic {
	seconds, throttled := strings.CutPrefix(string(do), throttle)
	switch {
	case throttled:
		return refuse("429 Too Many Requests", "Retry-After: "+seconds, nil)
	case do == hang:
		select {}
	case do == grow:
		for range 1 << 10 { // a gigabyte, so that no machine suffers much if nobody ends it
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

// dawdle waits as long as the order says; true when it was told to stop.
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

// unreadable is no value at all.
func unreadable() *tfprotov6.DynamicValue { return &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}} }
