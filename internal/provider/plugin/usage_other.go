//go:build !linux

package plugin

import "github.com/landbridge-io/landbridge/internal/provider"

// Usage returns the number of calls only, because there is no /proc.
func (s *Server) Usage() provider.Usage { return provider.Usage{Calls: s.calls.Total()} }
