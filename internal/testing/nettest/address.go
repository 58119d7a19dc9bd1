package nettest

import "net"

// FreeAddress returns a local address that no process listens on.
func FreeAddress() (string, error) {
	a, err := free()
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

// FreePort returns a local port that no process listens on.
func FreePort() (int, error) {
	a, err := free()
	if err != nil {
		return 0, err
	}
	return a.Port, nil
}

func free() (*net.TCPAddr, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr), nil
}
