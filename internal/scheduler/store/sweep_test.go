package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Only what remembers nothing, of resources that are not there, is swept.
func TestSweep(t *testing.T) {
	client := secrets(t)
	s := &store.Secrets{Client: client}
	interrupted := instance.Instance{Operation: &instance.Operation{ID: "op-1", Kind: instance.Create}}
	records := map[string]instance.Instance{
		"gone": {}, "there": {}, "unsure": {}, "full": anInstance(password), "interrupted": interrupted,
		"deposed": {Deposed: []instance.Deposed{anInstance(password).Depose("00000000")}},
	}
	for name, in := range records {
		save(t, s, key(name), store.Record{Owner: "uid-1", Instance: in})
	}
	// It was empty once.
	rec := save(t, s, key("again"), store.Record{Owner: "uid-1"})
	rec.Instance = anInstance(password)
	save(t, s, key("again"), rec)

	var asked []string
	n, err := (&store.Secrets{Client: client}).Sweep(t.Context(), func(_ context.Context, k store.Key) (bool, error) {
		asked = append(asked, k.Name)
		if k != key(k.Name) {
			t.Errorf("asked for %+v", k)
		}
		if k.Name == "unsure" {
			return false, errors.New("it is not known")
		}
		return k.Name == "there", nil
	})
	if n != 1 || err == nil || err.Error() != "it is not known" || len(asked) != 3 {
		t.Errorf("%d were swept, error %v, asked for %v", n, err, asked)
	}
	left, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, secret := range left.Items {
		got[secret.Annotations["landbridge.io/owner"]] = true
	}
	want := map[string]bool{
		"team/there": true, "team/unsure": true, "team/full": true, "team/interrupted": true, "team/deposed": true,
		"team/again": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}
