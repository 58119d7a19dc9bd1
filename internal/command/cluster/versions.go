package cluster

import (
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// Sources returns an installer that searches the versions of a TerraformProvider where its program
// is found.
func (c *Reader) Sources(p *v1alpha1.TerraformProvider) (*install.Installer, error) {
	switch {
	case c.Recorded != nil && len(p.Status.Sources) > 0:
		return c.Recorded.installer(p)
	case c.Downloads != nil:
		return c.Downloads, nil
	}
	return c.Installer, nil
}
