// Command probe does what a provider's program needs of its image.
package main

import (
	"crypto/x509"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if uid, gid := os.Getuid(), os.Getgid(); uid != 2000 || gid != 2000 {
		log.Fatalf("it runs as %d:%d", uid, gid)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		log.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		log.Fatal(err)
	}
	// Providers read files at home, and keep others in the cache.
	if _, err := os.ReadDir(home); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, "landbridge", "file"), nil, 0o600); err != nil {
		log.Fatal(err)
	}
	// Plugins are reached by sockets in the directory for temporary files.
	socket, err := net.Listen("unix", filepath.Join(os.TempDir(), "socket"))
	if err != nil {
		log.Fatal(err)
	}
	if err := socket.Close(); err != nil {
		log.Fatal(err)
	}
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		log.Fatal(err)
	}
	if pool, err := x509.SystemCertPool(); err != nil || pool.Equal(x509.NewCertPool()) {
		log.Fatalf("there are no certificates: %v", err)
	}
	fmt.Println("it runs")
}
