package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"

	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

const remoteHelp = `With a cluster, the providers are those of its TerraformProviders; their programs run on this
machine. They are found where the controller finds them (status.sources of the TerraformProvider), or as
--provider-mirror, --provider-registry or --provider-installation say. They are configured as the
ProviderConfig or ClusterProviderConfig says, whose Secrets you must be allowed to read. Without a cluster, --provider
names the programs, and --configuration files with the same kinds of objects.`

// remoteFlags select the providers through which remote objects are read.
type remoteFlags struct {
	providerFlags
	clusterFlags
	binaries, sources, env []string
	files                  []string
	installed              []string
	configuration          string
	system                 string
	// need is which providers of the cluster are started, unless installed names them. Nil: all.
	need *need
}

func (f *remoteFlags) add(cmd *cobra.Command) {
	f.providerFlags.add(cmd)
	f.clusterFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.binaries, "provider", nil, "work without a cluster, with this provider: its program, a "+
		"directory that holds it, or its address, such as hashicorp/random or hashicorp/random@3.9.0")
	flags.StringArrayVar(&f.sources, "source", nil, "the source of the --provider in the same place, such as "+
		"hashicorp/random (default: from the binary's place in a mirror, else hashicorp/NAME)")
	flags.StringArrayVar(&f.env, "provider-env", nil, "environment variable for a --provider, as NAME or NAME=VALUE; no others are passed")
	flags.StringSliceVar(&f.files, "configuration", nil, "manifest with a provider configuration, and the Secrets "+
		"it refers to, for --provider: a file, a directory, or - for standard input")
	flags.StringVar(&f.configuration, "provider-config", model.ClusterProviderConfigKind+"/default",
		"provider configuration to use, as KIND/NAME")
	flags.StringVar(&f.system, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where states are stored")
	f.addPrograms(cmd)
	cmd.MarkFlagsMutuallyExclusive("provider", "terraform-provider")
}

// addPrograms adds the flags that say which providers of a cluster are used, and where their
// programs are.
func (f *remoteFlags) addPrograms(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.addSources(cmd)
	flags.StringArrayVar(&f.installed, "terraform-provider", nil, "name of a TerraformProvider in the cluster (default: all)")
}

// reference returns the provider configuration of --provider-config.
func (f *remoteFlags) reference() (importer.Configuration, error) {
	kind, name, ok := strings.Cut(f.configuration, "/")
	if !ok || name == "" || kind != model.ProviderConfigKind && kind != model.ClusterProviderConfigKind {
		return importer.Configuration{}, fmt.Errorf("--provider-config %s: must be %s/NAME or %s/NAME",
			f.configuration, model.ClusterProviderConfigKind, model.ProviderConfigKind)
	}
	return importer.Configuration{Kind: kind, Name: name}, nil
}

// remote gives access to remote objects.
type remote struct {
	flags *remoteFlags
	// cluster and client are nil without a cluster.
	cluster   *cluster.Reader
	client    client.Client
	namespace string
	providers []*remoteProvider
	// unopened are the providers of the cluster that cannot be used here.
	unopened []unopened
	pool     *pool.Pool
	secrets  *redact.Redactor
	leases   []*pool.Lease
	opened   map[openKey]*importer.ConfiguredProvider
	// modules are the objects of modules; nil until they are read.
	modules *cluster.ModuleObjects
	// err gets notes for the user.
	err io.Writer
}

// unopened is a provider that cannot be used on this machine, with the reason.
type unopened struct {
	source string
	err    error
}

type openKey struct {
	provider      *remoteProvider
	configuration importer.Configuration
}

// remoteProvider is one provider, not configured yet.
type remoteProvider struct {
	// title is its name for the user, and installed that of its TerraformProvider, if it has one.
	title, installed string

	source string
	// path is that of the program, if it is given.
	path     string
	model    *model.Provider
	launcher provider.Launcher
	// activate are the patterns of what the cluster serves.
	activate terraformprovider.Patterns
	given    *local.Configurations
}

// terraformProvider connects to the cluster, and returns one of its TerraformProviders.
func (r *remote) terraformProvider(ctx context.Context, name string) (*v1alpha1.TerraformProvider, error) {
	if err := r.connect(); err != nil {
		return nil, err
	}
	found, err := r.cluster.Providers(ctx, name)
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// connect connects to the cluster.
func (r *remote) connect() error {
	config, namespace, err := r.flags.clusterFlags.config()
	if err != nil {
		return fmt.Errorf("%w; to work without one, name a provider with --provider", err)
	}
	if r.namespace == "" {
		r.namespace = namespace
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	if r.client, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	core, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return err
	}
	stored := &store.Secrets{Client: core.Secrets(r.flags.system)}
	attached, err := r.flags.from.Attached()
	if err != nil {
		return err
	}
	r.cluster = &cluster.Reader{
		Client: r.client, Installer: r.flags.from.Offline(), Attached: attached,
		StartTimeout: r.flags.timeout, Stored: stored,
	}
	installer, err := r.flags.from.Installer()
	if err == nil && installer.Registry != nil {
		r.cluster.Downloads = installer
	}
	if !r.flags.from.Given() { // then providers come from where the controller has them from
		r.cluster.Recorded = &cluster.Recorded{CacheDir: r.cluster.Installer.CacheDir, Credentials: &r.flags.from.Registries}
	}
	return err
}

// open finds the providers. withCluster connects to the cluster even if they are given.
func (f *remoteFlags) open(cmd *cobra.Command, withCluster bool) (_ *remote, err error) {
	r := &remote{
		flags: f, err: cmd.ErrOrStderr(), namespace: f.namespace, secrets: &redact.Redactor{},
		pool: pool.New(pool.Options{KeepTrying: true}), opened: map[openKey]*importer.ConfiguredProvider{},
	}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if len(f.binaries) == 0 || withCluster {
		if err := r.connect(); err != nil {
			return nil, err
		}
	}
	if r.namespace == "" {
		r.namespace = "default"
	}
	if len(f.binaries) == 0 {
		if len(f.files)+len(f.sources)+len(f.env) > 0 {
			return nil, errors.New("--configuration, --source and --provider-env require --provider; the cluster has its own configurations")
		}
		return r, r.fromCluster(cmd.Context())
	}
	return r, r.fromBinaries(cmd)
}

// openedAtOnce bounds the providers that run at once while they are asked for their schemas. One
// that does not start delays the others no longer than its own timeout.
const openedAtOnce = 4

func (r *remote) fromCluster(ctx context.Context) error {
	all, err := r.cluster.Providers(ctx, r.flags.installed...)
	if err != nil {
		// Without permission to list definitions, packaged kinds are not reported.
		if groups, listErr := r.cluster.Packaged(ctx); listErr == nil && len(groups) > 0 {
			return fmt.Errorf("%w; the kinds of %s are served by programs made for their providers: name the "+
				"provider's own program with --provider, and give the group, and other names that are not the usual "+
				"ones, in a file with --config",
				err, strings.Join(groups, ", "))
		}
		return err
	}
	needed, others := all, []v1alpha1.TerraformProvider(nil)
	if len(r.flags.installed) == 0 {
		needed, others = r.flags.need.split(all)
	}
	err = r.start(ctx, needed)
	if len(others) > 0 && !r.flags.need.satisfied(r.providers) {
		err = errors.Join(err, r.start(ctx, others))
	}
	if len(r.providers) == 0 {
		return err
	}
	return nil
}

// start starts providers of the cluster to read their schemas, and adds them to those of this
// machine.
func (r *remote) start(ctx context.Context, all []v1alpha1.TerraformProvider) error {
	done := showProgress(r.flags.cmd, "Starting the providers of "+plural(len(all), "TerraformProvider"))
	defer done()
	opened, errs := make([]*cluster.InstalledProvider, len(all)), make([]error, len(all))
	var group errgroup.Group
	group.SetLimit(openedAtOnce)
	for i := range all {
		group.Go(func() error {
			opened[i], errs[i] = r.cluster.Open(ctx, &all[i])
			return nil
		})
	}
	_ = group.Wait()
	done()
	var problems []error
	for i := range all {
		source := all[i].Spec.Source
		if a, err := install.ParseAddress(source); err == nil {
			source = a.String()
		}
		p, err := opened[i], errs[i]
		if a := r.cluster.Attached.Find(source); a != nil {
			noteAttached(r.err, a)
		}
		if err != nil {
			if e := (*install.Error)(nil); errors.As(err, &e) && (e.Reason == install.NotFound || e.Reason == install.Unsupported) {
				err = fmt.Errorf("%w. Name a directory that has its program on this machine with --provider-mirror", err)
			}
			problems = append(problems, err)
			r.unopened = append(r.unopened, unopened{source, err})
			continue
		}
		r.providers = append(r.providers, &remoteProvider{
			title: terraformProviderTitle(p.Name), installed: p.Name, source: source, model: p.Model,
			launcher: p.Launcher, activate: p.Activate,
		})
	}
	return errors.Join(problems...)
}

// terraformProviderTitle returns the title of a provider of the cluster.
func terraformProviderTitle(name string) string { return "TerraformProvider " + name }

func (r *remote) fromBinaries(cmd *cobra.Command) error {
	env, err := environment(r.flags.env)
	if err != nil {
		return err
	}
	sources, err := local.ReadSources(r.flags.files, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if len(r.flags.sources) > len(r.flags.binaries) {
		return errors.New("--source is given more often than --provider")
	}
	for i, where := range r.flags.binaries {
		p, err := r.flags.providerFlags.open(cmd.Context(), where, env)
		if err != nil {
			return err
		}
		source := ""
		if i < len(r.flags.sources) {
			source = r.flags.sources[i]
		}
		if source, err = sourceOf(source, p); err != nil {
			return err
		}
		given, messages := local.ReadConfigurations(p.model, sources, r.secrets)
		if messages.HasErrors() {
			return errors.New(messages.String())
		}
		r.providers = append(r.providers, &remoteProvider{
			title: "provider " + p.model.Name, source: source, path: p.path, model: p.model,
			launcher: p.launcher(r.flags.timeout, env), given: given,
		})
	}
	return nil
}

// configured returns a provider with one of its configurations. It is only started if look is set.
func (r *remote) configured(
	ctx context.Context, p *remoteProvider, c importer.Configuration, look bool,
) (*importer.ConfiguredProvider, error) {
	key := openKey{p, c}
	if out, ok := r.opened[key]; ok {
		return out, nil
	}
	out := &importer.ConfiguredProvider{Model: p.model, Configuration: c, Secrets: r.secrets}
	if look {
		config, err := r.configuration(ctx, p, c)
		if err != nil {
			return nil, err
		}
		if err := r.configure(ctx, p, out, config); err != nil {
			return nil, err
		}
	}
	if r.cluster != nil {
		out.Owners = r.owners(p, c, r.namespace)
	}
	r.opened[key] = out
	return out, nil
}

// configure starts a provider with a configuration.
func (r *remote) configure(ctx context.Context, p *remoteProvider, out *importer.ConfiguredProvider, config cty.Value) error {
	key := pool.Prepare(pool.Configuration{Launcher: p.launcher, Config: config})
	acquire := func(ctx context.Context) (*pool.Lease, error) {
		lease, diags := r.pool.Acquire(ctx, key)
		if !diags.HasErrors() {
			return lease, nil
		}
		lines := make([]string, 0, len(diags))
		for _, d := range diags.Errors() {
			lines = append(lines, d.Format(p.model.UserPath))
		}
		return nil, fmt.Errorf("%s, %s/%s: %s", p.title, out.Configuration.Kind, out.Configuration.Name,
			r.secrets.Replacer().ReplaceInLine(strings.Join(lines, "; ")))
	}
	done := showProgress(r.flags.cmd, "Configuring the "+p.title)
	lease, err := acquire(ctx)
	done()
	if err != nil {
		return err
	}
	r.leases = append(r.leases, lease)
	out.Server, out.Executor = lease.Server(), engine.New(lease.Server())
	out.Lease = func(ctx context.Context) (*importer.ConfiguredProvider, func(), error) {
		lease, err := acquire(ctx)
		if err != nil {
			return nil, nil, err
		}
		leased := *out
		leased.Server, leased.Executor = lease.Server(), engine.New(lease.Server())
		return &leased, lease.Release, nil
	}
	return nil
}

// owners returns the owners of objects with a configuration, or with another one for the same
// account. It reads each type once.
func (r *remote) owners(
	p *remoteProvider, c importer.Configuration, namespace string,
) func(context.Context, *model.Resource) (*discovery.Owners, error) {
	known := map[*model.Resource]*discovery.Owners{}
	accounts := map[providerconfig.Reference]ownership.Account{}
	account := func(ctx context.Context, ref providerconfig.Reference) ownership.Account {
		out, ok := accounts[ref]
		if !ok {
			out = r.cluster.Account(ctx, p.model, p.launcher, ref, r.secrets)
			accounts[ref] = out
		}
		return out
	}
	own := cluster.ManagedResource{
		Owner: discovery.Owner{Namespace: namespace}, ConfigurationKind: c.Kind, ConfigurationName: c.Name,
	}.Configuration()
	return func(ctx context.Context, m *model.Resource) (*discovery.Owners, error) {
		if out, ok := known[m]; ok {
			return out, nil
		}
		all, err := r.cluster.Resources(ctx, m)
		if err != nil {
			return nil, err
		}
		var owners []discovery.Owner
		same := func(ref providerconfig.Reference) bool {
			return ref == own || account(ctx, own).Same(account(ctx, ref))
		}
		for _, x := range all {
			if same(x.Configuration()) {
				owners = append(owners, x.Owner)
			}
		}
		contained, err := r.ofModules(ctx)
		if err != nil {
			return nil, err
		}
		owners = append(owners, contained.Owners(m, same)...)
		known[m] = discovery.NewOwners(owners)
		return known[m], nil
	}
}

// ofModules returns the objects of modules, which it reads once. Without permission to read them,
// they are left out, which a note tells.
func (r *remote) ofModules(ctx context.Context) (cluster.ModuleObjects, error) {
	if r.modules != nil {
		return *r.modules, nil
	}
	out, err := r.cluster.Modules(ctx)
	if errors.Is(err, cluster.ErrNotReadable) {
		fmt.Fprintf(r.err, "Note: which objects modules have is not known: %s. Ask for permission to get the "+
			"Secrets of namespace %s.\n", err, r.flags.system)
		out, err = nil, nil
	}
	if err == nil {
		r.modules = &out
	}
	return out, err
}

func (r *remote) configuration(ctx context.Context, p *remoteProvider, c importer.Configuration) (cty.Value, error) {
	if p.given != nil {
		v, err := p.given.Find(c.Kind, r.namespace, c.Name)
		return v, err
	}
	return r.cluster.Configuration(ctx, p.model, providerconfig.Reference{Kind: c.Kind, Namespace: r.namespace, Name: c.Name}, r.secrets)
}

// close stops the providers.
func (r *remote) close() {
	for _, l := range r.leases {
		l.Release()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = r.pool.Close(ctx) // all answers have arrived
}

// matching returns the resource types of a provider that patterns name.
func matching(p *model.Provider, patterns []string) ([]*model.Resource, error) {
	var out []*model.Resource
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		for _, pattern := range patterns {
			ok, err := path.Match(pattern, t)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			if ok {
				out = append(out, p.Resources[t])
				break
			}
		}
	}
	return out, nil
}
