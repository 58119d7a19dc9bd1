package landbridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// uiTimeout bounds the start of the page.
const uiTimeout = time.Minute

// StartUI starts the page of landbridge ui, and returns its address when it is served. The log has
// the address, too, so only its owner may read it.
func StartUI(ctx context.Context, binary, kubeconfig, log string) (_ *Process, address string, err error) {
	if err := os.Remove(log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	p, err := start("the page", log, binary, "ui", "--kubeconfig", kubeconfig)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, uiTimeout)
	defer cancel()
	for {
		content, err := os.ReadFile(log)
		if err != nil {
			return nil, "", errors.Join(err, p.Stop())
		}
		if line, _, whole := strings.Cut(string(content), "\n"); whole {
			if address, ok := strings.CutPrefix(line, "Open "); ok {
				return p, address, nil
			}
		}
		select {
		case <-p.Done():
			return nil, "", fmt.Errorf("the page is not served: %s", strings.TrimSpace(string(content)))
		case <-ctx.Done():
			return nil, "", errors.Join(fmt.Errorf("the page is not served within %s: %s", uiTimeout, strings.TrimSpace(string(content))), p.Stop())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
