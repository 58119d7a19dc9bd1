package playground

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

// etcd is a cluster of one in this process, on a unix socket.
type etcd struct {
	server   *embed.Etcd
	endpoint string
	sockets  string
}

// startEtcd starts etcd with its data in dir and returns when it serves.
func startEtcd(ctx context.Context, dir, logFile string, noFsync bool) (*etcd, error) {
	// The path of a unix socket is limited to 107 bytes, which a test's data
	// directory easily exceeds: the sockets have a short directory of their own.
	sockets, err := os.MkdirTemp("", "lb")
	if err != nil {
		return nil, err
	}
	socket := func(name string) url.URL { return url.URL{Scheme: "unix", Path: filepath.Join(sockets, name)} }
	client := socket("c")

	cfg := embed.NewConfig()
	cfg.Name = "playground"
	cfg.Dir = dir
	cfg.ListenClientUrls, cfg.ListenPeerUrls = []url.URL{client}, []url.URL{socket("p")}
	// Never dialled in a cluster of one, but it has to be host:port, and the
	// same at every start on one data directory.
	nowhere := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.AdvertiseClientUrls, cfg.AdvertisePeerUrls = nowhere, nowhere
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	// Elections have one candidate; the default timeouts cost half a second.
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.LogLevel = "error"
	if cfg.LogOutputs = []string{os.DevNull}; logFile != "" {
		cfg.LogOutputs = []string{logFile}
	}
	cfg.UnsafeNoFsync = noFsync
	cfg.EnableGRPCGateway = false
	cfg.QuotaBackendBytes = 8 << 30

	server, err := embed.StartEtcd(cfg)
	if err != nil {
		os.RemoveAll(sockets)
		return nil, fmt.Errorf("starting etcd: %w", err)
	}
	e := &etcd{server: server, endpoint: client.String(), sockets: sockets}
	select {
	case <-server.Server.ReadyNotify():
		return e, nil
	case err = <-server.Err():
	case <-server.Server.StopNotify():
		err = errors.New("stopped before it was ready")
	case <-ctx.Done():
		err = ctx.Err()
	}
	e.stop()
	return nil, fmt.Errorf("starting etcd: %w", err)
}

// stop flushes and closes the data. The endpoint must not be used any more.
func (e *etcd) stop() {
	e.server.Close()
	os.RemoveAll(e.sockets)
}
