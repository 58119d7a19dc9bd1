//go:build !linux

package plugin

import "github.com/landbridge-io/landbridge/internal/provider"

// Usage counts calls only where there is no /proc.
func (s *Server) Usage() provider.Usage { return provider.Usage{Calls: s.calls.Total()} }
