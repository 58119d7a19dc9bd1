package testprovider

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// hangAfterHandshake announces a socket and never answers on it.
func hangAfterHandshake() error {
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s")
	if _, err := net.Listen("unix", path); err != nil {
		return err
	}
	fmt.Printf("1|6|unix|%s|grpc|\n", path)
	time.Sleep(time.Hour)
	return nil
}
