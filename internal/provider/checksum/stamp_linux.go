package checksum

import (
	"os"
	"syscall"
)

func stampOf(f *os.File) (stamp, error) {
	var s syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &s); err != nil {
		return stamp{}, err
	}
	return stamp{device: s.Dev, inode: s.Ino, size: s.Size, modified: s.Mtim.Nano(), changed: s.Ctim.Nano()}, nil
}
