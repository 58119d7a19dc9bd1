package controllertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/controller"
)

// Run runs controllers until stop is called, which says how they ended; it is an error if that takes
// longer than the limit.
func Run(config *rest.Config, o controller.Options, limit time.Duration) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, rest.CopyConfig(config), o) }()
	return sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(limit):
			return errors.New("the controller does not stop")
		}
	})
}
