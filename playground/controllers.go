package playground

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

// startControllers starts the controllers of kube-controller-manager that a
// cluster without nodes needs. They run until ctx ends; the returned function
// waits for that.
func startControllers(ctx context.Context, cfg *rest.Config) (wait func(), err error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // priority and fairness in the server is the limit
	cfg.UserAgent = "playground-controllers"
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	typed := informers.NewSharedInformerFactory(client, 0)
	untyped := metadatainformer.NewSharedInformerFactory(metadataClient, 0)

	namespaces := namespace.NewNamespaceController(ctx, client, metadataClient,
		client.Discovery().ServerPreferredNamespacedResources,
		typed.Core().V1().Namespaces(), 5*time.Minute, corev1.FinalizerKubernetes)
	serviceAccounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx),
		typed.Core().V1().ServiceAccounts(), typed.Core().V1().Namespaces(),
		client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	roles := clusterroleaggregation.NewClusterRoleAggregation(typed.Rbac().V1().ClusterRoles(), client.RbacV1())
	informersStarted := make(chan struct{})
	collector, err := garbagecollector.NewGarbageCollector(ctx, client, metadataClient,
		restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(typed, untyped), informersStarted)
	if err != nil {
		return nil, err
	}

	var running sync.WaitGroup
	running.Go(func() { namespaces.Run(ctx, 5) })
	running.Go(func() { serviceAccounts.Run(ctx, 1) })
	running.Go(func() { roles.Run(ctx, 2) })
	running.Go(func() { collector.Run(ctx, 5, 30*time.Second) })
	// The period after which owner references to a new kind are effective.
	running.Go(func() { collector.Sync(ctx, client.Discovery(), time.Second) })
	typed.Start(ctx.Done())
	untyped.Start(ctx.Done())
	close(informersStarted)
	return func() {
		running.Wait()
		typed.Shutdown()
		untyped.Shutdown()
	}, nil
}
