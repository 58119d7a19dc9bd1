package sharding_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// limited returns an API server that refuses Secrets of more than a megabyte.
func limited() *fake.Clientset {
	kube := fake.NewClientset()
	kube.PrependReactor("*", "secrets", func(a clienttesting.Action) (bool, runtime.Object, error) {
		write, ok := a.(interface{ GetObject() runtime.Object })
		if !ok {
			return false, nil, nil
		}
		size := 0
		for _, value := range write.GetObject().(*corev1.Secret).Data {
			size += len(value)
		}
		if size > corev1.MaxSecretSize {
			return true, nil, kerrors.NewRequestEntityTooLargeError("too long")
		}
		return false, nil, nil
	})
	return kube
}

// A table that is larger than a Secret can be is stored and read, and its parts end with it.
func TestLargeTable(t *testing.T) {
	t.Parallel()
	secrets := limited().CoreV1().Secrets("system")
	replica := func() *sharding.Placement {
		return &sharding.Placement{
			Secrets: secrets, Name: "landbridge-shards", Key: "key", Shards: 3, Logger: logr.Discard(),
			Outdated: func(err error) { t.Error(err) },
		}
	}
	one, other := replica(), replica()
	if err := one.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []ownership.Access
	for i := range 2500 {
		all = append(all, ownership.Access{
			Configuration: fmt.Sprintf("aws.landbridge.io/ProviderConfig/team/n%d-%s", i, strings.Repeat("a", 240)),
			Account:       ownership.Account{Content: strings.Repeat("c", 64)},
		})
	}
	if err := (&sharding.Worker{Placement: one}).Place(t.Context(), all, []string{"aws_thing"}); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, secrets); got < 3 {
		t.Errorf("it is in %d Secrets", got)
	}
	if err := other.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := other.Now(); !got.Equal(one.Now()) || len(got.Configurations) != len(all) {
		t.Errorf("another replica reads %d configurations", len(got.Configurations))
	}
	for range 2 { // what was used at the last call stays once more
		if err := one.End(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := stored(t, secrets); got != 1 || len(one.Now().Configurations) != 0 {
		t.Errorf("%d configurations in %d Secrets are left", len(one.Now().Configurations), got)
	}
	head, err := secrets.Get(t.Context(), "landbridge-shards", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Store().Add(head); err != nil || !other.Now().Equal(one.Now()) {
		t.Errorf("the other replica does not hear of it: %v", err)
	}
}

func stored(t *testing.T, secrets interface {
	List(context.Context, metav1.ListOptions) (*corev1.SecretList, error)
}) int {
	t.Helper()
	list, err := secrets.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}
