package pool

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// several is the number of namespaces, and of resources, whose errors together prove something
	// about a provider configuration that as many use.
	several = 2
	// usedFor is how long a resource counts as a user of a configuration after it has used it.
	usedFor = 2 * time.Hour
)

// witnesses are resources, up to several of each of several namespaces, and when they were seen
// last. Its zero value is empty.
type witnesses map[string]map[provider.User]time.Time

// add adds a resource. Those that were last seen before since are forgotten.
func (w *witnesses) add(u provider.User, now, since time.Time) {
	for namespace, in := range *w {
		for x, seen := range in {
			if seen.Before(since) {
				delete(in, x)
			}
		}
		if len(in) == 0 {
			delete(*w, namespace)
		}
	}
	if *w == nil {
		*w = witnesses{}
	}
	in := (*w)[u.Namespace]
	if in == nil {
		if len(*w) >= several {
			return
		}
		in = map[provider.User]time.Time{}
		(*w)[u.Namespace] = in
	}
	if _, known := in[u]; known || len(in) < several {
		in[u] = now
	}
}

// prove reports whether witnesses are from several namespaces, and several resources, as far as
// there are so many users.
func (w witnesses) prove(users witnesses) bool {
	return len(w) >= min(several, len(users)) && w.resources() >= min(several, users.resources())
}

func (w witnesses) resources() (n int) {
	for _, in := range w {
		n += len(in)
	}
	return n
}
