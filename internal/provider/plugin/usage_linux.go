package plugin

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// clockTick is the unit of the kernel's processor times, the same on every Linux.
const clockTick = 10 * time.Millisecond

// Usage returns the resource usage of the provider's process, from /proc.
func (s *Server) Usage() provider.Usage {
	u := provider.Usage{Calls: s.calls.Total()}
	select {
	case <-s.process.done:
		if state := s.process.state; state != nil {
			u.CPU = state.UserTime() + state.SystemTime()
		}
		return u
	default:
	}
	dir := "/proc/" + strconv.Itoa(s.PID())
	if stat, err := os.ReadFile(dir + "/stat"); err == nil {
		// The second field is the program's name in parentheses, and may contain any character.
		if i := bytes.LastIndexByte(stat, ')'); i >= 0 {
			if fields := bytes.Fields(stat[i+1:]); len(fields) > 12 {
				user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
				system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
				u.CPU = time.Duration(user+system) * clockTick
			}
		}
	}
	if statm, err := os.ReadFile(dir + "/statm"); err == nil {
		if fields := bytes.Fields(statm); len(fields) > 1 {
			pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			u.ResidentBytes = pages * int64(os.Getpagesize())
		}
	}
	return u
}
