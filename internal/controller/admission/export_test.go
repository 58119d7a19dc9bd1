package admission

import "context"

// Lead is lead.
func (w *Webhooks) Lead(ctx context.Context) error { return w.lead(ctx) }
