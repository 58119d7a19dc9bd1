package playground

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/kubernetes/pkg/controlplane/apiserver/samples/generic/server"

	"github.com/landbridge-io/landbridge/playground/internal/pki"
)

// newAPIServer returns a function that serves on listener until its context
// ends.
func newAPIServer(
	ctx context.Context, listener net.Listener, etcdEndpoint string, certs pki.Files, noCacheChecks bool,
) (func(context.Context) error, error) {
	if noCacheChecks {
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{
			string(features.DetectCacheInconsistency): false,
		}); err != nil {
			return nil, err
		}
	}
	loopback := net.IPv4(127, 0, 0, 1)
	opts := server.NewOptions()
	opts.Etcd.StorageConfig.Transport.ServerList = []string{etcdEndpoint}
	opts.SecureServing.Listener = listener
	opts.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	opts.SecureServing.BindAddress, opts.SecureServing.ExternalAddress = loopback, loopback
	opts.SecureServing.ServerCert.CertKey.CertFile = certs.ServerCert
	opts.SecureServing.ServerCert.CertKey.KeyFile = certs.ServerKey
	opts.GenericServerRunOptions.AdvertiseAddress = loopback
	// Bounds the wait for open watches to two seconds when it stops.
	opts.GenericServerRunOptions.ShutdownSendRetryAfter = true
	opts.Authentication.ClientCert.ClientCA = certs.CA
	opts.Authentication.ServiceAccounts.Issuers = []string{"https://kubernetes.default.svc"}
	opts.Authentication.ServiceAccounts.KeyFiles = []string{certs.ServiceAccountsKey}
	opts.ServiceAccountSigningKeyFile = certs.ServiceAccountsKey
	opts.Authorization.Modes = []string{"RBAC"}
	// Priority and fairness cost a tenth of each request, and there is one user.
	opts.Features.EnablePriorityAndFairness = false

	completedOptions, err := opts.Complete(ctx, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if errs := completedOptions.Validate(); len(errs) != 0 {
		return nil, fmt.Errorf("options: %w", utilerrors.NewAggregate(errs))
	}
	cfg, err := server.NewConfig(completedOptions)
	if err != nil {
		return nil, err
	}
	version := releaseVersion{cfg.ControlPlane.Generic.EffectiveVersion}
	cfg.ControlPlane.Generic.EffectiveVersion = version
	cfg.APIExtensions.GenericConfig.EffectiveVersion = version
	cfg.Aggregator.GenericConfig.EffectiveVersion = version
	// Upstream's sample says three, which makes each new CRD wait five seconds
	// for the other two servers before it is Established.
	cfg.APIExtensions.ExtraConfig.MasterCount = 1
	cfg.APIExtensions.ExtraConfig.ServiceResolver = localServices{}
	completedConfig, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	chain, err := server.CreateServerChain(completedConfig)
	if err != nil {
		return nil, err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return nil, err
	}
	return prepared.Run, nil
}

// localServices resolves Services of webhooks. There are no Services: every name resolves to this
// machine, at the requested port. TLS is checked as in any cluster.
type localServices struct{}

// ResolveEndpoint implements webhook.ServiceResolver.
func (localServices) ResolveEndpoint(_, _ string, port int32) (*url.URL, error) {
	return &url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))}, nil
}

// releaseVersion makes /version answer v1.37.0. The default without upstream's
// linker flags (v0.0.0-master+$Format:%H$) is not a version, and kubectl
// refuses it.
type releaseVersion struct {
	basecompatibility.EffectiveVersion
}

func (v releaseVersion) Info() *apimachineryversion.Info {
	info := v.EffectiveVersion.Info()
	info.GitVersion = "v" + v.BinaryVersion().WithPatch(0).String()
	info.GitCommit, info.GitTreeState = "", ""
	return info
}
