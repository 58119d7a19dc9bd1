package ui

import "context"

// Follow follows the cluster until ctx ends, for programs that use views without the page.
func (s *Server) Follow(ctx context.Context) { s.follower.run(ctx) }

// Find returns the objects that a search finds. It waits until all existing objects are known.
func (s *Server) Find(ctx context.Context, query string) (Search, error) {
	c, err := s.listed(ctx)
	return SearchIn(c, query), err
}

// Attention returns what needs attention. It waits until all existing objects are known.
func (s *Server) Attention(ctx context.Context) (Attention, error) {
	c, err := s.listed(ctx)
	return AttentionOf(c, s.now()), err
}

// listed returns the content of the index, as soon as all existing objects are in it.
func (s *Server) listed(ctx context.Context) (Content, error) {
	for {
		_, changed := s.index.Version()
		if c := s.index.Content(); c.Listed {
			return c, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Content{}, ctx.Err()
		}
	}
}
