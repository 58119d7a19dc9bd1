package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

func newProviderLockCommand() *cobra.Command {
	from := sources.Flags{ConfigFile: true}
	var platforms []string
	cmd := &cobra.Command{
		Use:   "lock SOURCE[@CONSTRAINT]...",
		Short: "Print TerraformProviders that are bound to one version, its checksums and its signer",
		Long: `Print TerraformProviders that are bound to one version, its checksums and its signer, to be kept in version
control. The newest version that meets the constraint is downloaded for each platform and verified, as the controller does it. The checksums
are those of all platforms, as far as the registry or mirror tells them.`,
		Example: `  landbridge provider lock hashicorp/random@'~> 3.7' hashicorp/time > providers.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachProvider(cmd, &from, platforms, args, func(_ context.Context, p downloaded) error {
				manifest, err := lockManifest(p)
				if err == nil {
					_, err = cmd.OutOrStdout().Write(manifest)
				}
				return err
			})
		},
	}
	from.Add(cmd.Flags())
	addPlatforms(cmd, &platforms)
	return cmd
}

func addPlatforms(cmd *cobra.Command, platforms *[]string) {
	cmd.Flags().StringSliceVar(platforms, "platform", []string{"linux_amd64", "linux_arm64"}, "platforms of the packages")
}

// downloaded is a version of a provider.
type downloaded struct {
	address install.Address
	source  string
	lock    install.Lock
	// packages are the paths of its packages, by platform.
	packages map[string]string
}

// eachProvider downloads and verifies a version of each provider for all platforms, and calls do
// with it.
func eachProvider(
	cmd *cobra.Command, from *sources.Flags, platforms, providers []string, do func(context.Context, downloaded) error,
) error {
	cache, err := os.MkdirTemp("", "landbridge-providers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	for _, source := range providers {
		done := showProgress(cmd, "Downloading "+source)
		p, err := download(cmd.Context(), from, cache, platforms, source)
		done()
		if err != nil {
			return err
		}
		if err := do(cmd.Context(), p); err != nil {
			return err
		}
	}
	return nil
}

// download downloads a version of a provider, SOURCE or SOURCE@CONSTRAINT.
func download(ctx context.Context, from *sources.Flags, cache string, platforms []string, source string) (downloaded, error) {
	source, constraint, _ := strings.Cut(source, "@")
	address, problem := install.ParseAddress(source)
	if problem != nil {
		problem.Source = source
		return downloaded{}, problem
	}
	p := downloaded{address: address, source: source, packages: map[string]string{}}
	for n, platform := range platforms {
		i, err := from.Installer()
		if err != nil {
			return downloaded{}, err
		}
		i.CacheDir, i.Platform, i.Private = cache, platform, true
		if n > 0 {
			constraint = p.lock.Version
		}
		b, err := i.Find(ctx, install.Request{Source: source, Constraint: constraint, Version: p.lock.Version})
		if err != nil {
			return downloaded{}, fmt.Errorf("%s: %w", platform, err)
		}
		p.packages[platform] = b.Package
		if b.Lock == nil { // a mirror has no signatures
			b.Lock = &install.Lock{Version: b.Version, Hashes: b.Checksums, Origin: "the mirror " + strings.Join(i.Mirrors, ", ")}
		}
		if n == 0 {
			p.lock = *b.Lock
			continue
		}
		if b.Lock.Key != p.lock.Key {
			return downloaded{},
				fmt.Errorf("%s %s: the packages for %s and %s are signed by different keys, %q and %q", source,
					p.lock.Version, platforms[0], platform, p.lock.Key, b.Lock.Key)
		}
		p.lock.Hashes = append(p.lock.Hashes, b.Lock.Hashes...)
	}
	slices.Sort(p.lock.Hashes)
	p.lock.Hashes = slices.Compact(p.lock.Hashes)
	return p, nil
}

// lockManifest returns the TerraformProvider of a version.
func lockManifest(p downloaded) ([]byte, error) {
	o := &v1alpha1.TerraformProvider{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "TerraformProvider"},
		ObjectMeta: metav1.ObjectMeta{Name: p.address.Type},
		Spec:       v1alpha1.TerraformProviderSpec{Source: p.source, Version: p.lock.Version, Checksums: p.lock.Hashes},
	}
	signed := "not signed"
	if p.lock.Key != "" {
		signed = "signed by " + strings.TrimSpace(p.lock.Signer+" "+p.lock.Key)
		o.Spec.Trust = &v1alpha1.ProviderTrust{Keys: []string{p.lock.Key}}
	}
	raw, err := crd.YAML(o)
	if err != nil {
		return nil, err
	}
	return append([]byte(fmt.Sprintf("---\n# from %s, %s\n", p.lock.Origin, signed)), raw...), nil
}
