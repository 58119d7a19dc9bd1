package references

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/utils/lru"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// maxPaths is how many paths of a kind are remembered. Users choose them.
const maxPaths = 100

// Paths remembers which paths the objects of one kind may have. The zero value is empty. It is safe
// for concurrent use.
type Paths struct {
	once    sync.Once
	checked *lru.Cache // by path: why no object has a field at it
}

// Lacks returns why no object of the kind ever has a field at a path; nil if they may have it.
func (p *Paths) Lacks(m *model.Resource, path string) error {
	p.once.Do(func() { p.checked = lru.New(maxPaths) })
	if checked, ok := p.checked.Get(path); ok {
		err, _ := checked.(error)
		return err
	}
	d, err := crd.Resource(m)
	if err != nil {
		return nil // the kind is served nevertheless
	}
	if err = crd.CheckPath(d, path); err != nil {
		err = fmt.Errorf("%w. The fields are listed by kubectl explain %s", err, explained(m))
	}
	p.checked.Add(path, err)
	return err
}

// explained returns the name of a kind for kubectl explain. What is no resource type needs its
// group, as a resource type may have the same name.
func explained(m *model.Resource) string {
	if m.Mode != model.Managed {
		return m.CRDName()
	}
	return strings.ToLower(m.Kind)
}
