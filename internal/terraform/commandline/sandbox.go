package commandline

import "github.com/landbridge-io/landbridge/internal/child"

// maxDownload is the size of the largest file that a program can write while it downloads, in
// bytes.
const maxDownload = 1 << 30

// sandbox returns what a program may do with files: it reads all but credentials for Kubernetes and
// what belongs to other runs, and writes only in the given folders. It returns nil if programs are
// not restricted.
func (r *Runner) sandbox(folders []string, downloads bool) *child.Sandbox {
	if !r.options.Sandbox.Applies() {
		return nil
	}
	hidden := append(child.CredentialPaths(), r.workspaces.current())
	out := &child.Sandbox{Hidden: append(hidden, r.options.Hidden...), Write: folders}
	if downloads {
		out.FileSize = maxDownload
	}
	return out
}
