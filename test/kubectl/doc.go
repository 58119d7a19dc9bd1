// Command kubectl is Kubernetes' own, for the pages and tests that show what users see. It is
// built here so that they need nothing that is not pinned; it adds nothing of its own.
package main
