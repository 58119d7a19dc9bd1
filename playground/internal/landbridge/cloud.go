package landbridge

import (
	"context"
	"fmt"
	"net"
	"time"
)

// cloudTimeout bounds the start of the example cloud, which takes some milliseconds on a quiet
// machine.
const cloudTimeout = time.Minute

// StartCloud starts the example cloud, and returns when it listens on the address. data is the file
// that it keeps everything in.
func StartCloud(ctx context.Context, binary, address, data, log string) (*Process, error) {
	probe, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the example cloud cannot listen on %s: %w; name another address with --examplecloud-address", address, err)
	}
	probe.Close()
	p, err := start("the example cloud", log, binary, "--addr", address, "--data", data)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cloudTimeout)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			conn.Close()
			return p, nil
		}
		select {
		case <-p.Done():
			return nil, p.Err()
		case <-ctx.Done():
			_ = p.Stop()
			return nil, fmt.Errorf("the example cloud does not listen on %s: %w", address, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
