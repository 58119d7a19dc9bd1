package commandline

import "github.com/landbridge-io/landbridge/internal/child"

// sandbox returns what a program may do with files: it reads all but credentials for Kubernetes and what belongs to other
// runs, and writes only in the given folders. It returns nil if programs are not restricted.
func (r *Runner) sandbox(folders []string) *child.Sandbox {
	if !r.options.Sandbox.Applies() {
		return nil
	}
	hidden := append(child.CredentialPaths(), r.workspaces.current())
	return &child.Sandbox{Hidden: append(hidden, r.options.Hidden...), Write: folders}
}
