package main

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// unchanged is what was measured while nothing changed.
type unchanged struct {
	n         float64 // number of looks
	used      usage
	apiserver []time.Duration // what the API server used in each second
	took      time.Duration   // how long it was measured
	memory    float64         // largest one of controller and provider, in MiB
	writes    int             // of all clients together
	floor     readTime        // of one Read that is called directly
}

// without returns the usage of the looks, without what the API server uses when it is idle.
func (u unchanged) without(idle idleness) usage {
	out := u.used
	out.apiserver = time.Duration(float64(max(0, usual(u.apiserver)-idle.apiserver)) * u.took.Seconds())
	return out
}

// round is how long looks are measured between two measurements of the floor.
const round = 3 * time.Second

// looksBesideFloor measures looks at unchanged resources for as long as window, and the floor. The
// speed of a machine changes within seconds, so the time is divided into rounds of a few seconds,
// and the floor, measured before and after each of them, is the mean.
func (c *cluster) looksBesideFloor(ctx context.Context, bin string, window time.Duration) (u unchanged, _ error) {
	d, err := newDirect(ctx, bin)
	if err != nil {
		return unchanged{}, err
	}
	defer d.close(ctx)
	rounds := max(1, int(window/round))
	for i := range rounds + 1 {
		floor, err := d.floor(ctx)
		if err != nil {
			return unchanged{}, err
		}
		u.floor.client += floor.client / time.Duration(rounds+1)
		u.floor.provider += floor.provider / time.Duration(rounds+1)
		if i == rounds {
			break
		}
		if err := c.addLooks(ctx, &u, window/time.Duration(rounds)); err != nil {
			return unchanged{}, err
		}
	}
	if u.n == 0 {
		return unchanged{}, errors.New("no resource was looked at")
	}
	return u, nil
}

// addLooks measures the looks of a round.
func (c *cluster) addLooks(ctx context.Context, u *unchanged, length time.Duration) error {
	looks, err := c.reconciles(ctx)
	if err != nil {
		return err
	}
	before, err := c.usage()
	if err != nil {
		return err
	}
	began := time.Now()
	apiserver, err := c.apiserverSeconds(length, func() error {
		controller, provider, err := c.memory()
		u.memory = max(u.memory, controller+provider)
		return err
	})
	if err != nil {
		return err
	}
	u.apiserver = append(u.apiserver, apiserver...)
	after, err := c.usage()
	if err != nil {
		return err
	}
	u.took += time.Since(began)
	looksAfter, err := c.reconciles(ctx)
	u.n += looksAfter - looks
	u.used = u.used.add(after.sub(before))
	return err
}

// checkpointed waits until the checkpoint has the marks of n resources. It is saved once after many
// were created, and is no cost of looks.
func (c *cluster) checkpointed(ctx context.Context, n int) error {
	const each = 16 // bytes of a mark
	secrets := c.client.Resource(corev1.SchemeGroupVersion.WithResource("secrets"))
	return c.until(ctx, 5*time.Minute, func() (bool, error) {
		time.Sleep(time.Second)
		list, err := secrets.List(ctx, metav1.ListOptions{FieldSelector: "type=landbridge.io/checkpoint"})
		if err != nil {
			return false, err
		}
		marks := 0
		for _, s := range list.Items {
			saved, _, _ := unstructured.NestedString(s.Object, "data", "marks")
			marks += base64.StdEncoding.DecodedLen(len(saved)) / each
		}
		return marks >= n, nil
	})
}

// reconciles returns the number of reconciles until now, looks included.
func (c *cluster) reconciles(ctx context.Context) (float64, error) {
	return c.sum(ctx, "controller_runtime_reconcile_total", `controller="managed/`)
}

// lookedAt waits until there were n looks. The first one at a new resource plans once more, while
// later ones are what goes on for good.
func (c *cluster) lookedAt(ctx context.Context, n int) error {
	before, err := c.reconciles(ctx)
	if err != nil {
		return err
	}
	return c.until(ctx, 20*time.Minute, func() (bool, error) {
		time.Sleep(time.Second)
		now, err := c.reconciles(ctx)
		return now-before >= float64(n), err
	})
}
