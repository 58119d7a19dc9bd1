package landbridge

import "time"

// Options configures StartController.
type Options struct {
	Binary     string        // of the landbridge command
	Kubeconfig string        // of the cluster to work in
	Mirror     string        // directory with providers, in the layout of filesystem mirrors; empty for the public registry
	Cache      string        // directory for unpacked providers
	Log        string        // file the controller logs to, appended to
	Poll       time.Duration // how often unchanged resources are looked at
	Args       []string      // further flags, which win over those of the other options
}

// StartController starts the controller and returns at once.
func StartController(o Options) (*Process, error) {
	args := []string{
		"controller",
		"--kubeconfig", o.Kubeconfig,
		"--provider-cache", o.Cache,
		"--poll", o.Poll.String(),
		// There is no other controller in this cluster, and no monitoring.
		"--leader-elect=false", "--metrics-address=0", "--health-address=0",
		// The example providers show their objects at once.
		"--creation-grace-period=-1s",
	}
	if o.Mirror != "" {
		args = append(args, "--provider-mirror", o.Mirror)
	}
	return start("the controller", o.Log, o.Binary, append(args, o.Args...)...)
}
