package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// Recorded finds providers in the sources that the controller has recorded in the status of their
// TerraformProviders.
type Recorded struct {
	// CacheDir is the directory for downloaded and unpacked providers.
	CacheDir string
	// Credentials has the user's credentials and authorities. Its sources are not used.
	Credentials *registry.Client
}

// Locations returns the recorded sources of a TerraformProvider that can be used on this machine,
// and descriptions of directories that do not exist on it.
func Locations(p *v1alpha1.TerraformProvider) (usable []registry.Location, missing []string) {
	for _, s := range p.Status.Sources {
		l := registry.Location(s)
		if l.Type == registry.FilesystemMirror {
			if _, err := os.Stat(l.Path); err != nil {
				missing = append(missing, l.String())
				continue
			}
		}
		usable = append(usable, l)
	}
	return usable, missing
}

// find finds the binary of a TerraformProvider whose sources are recorded.
func (r *Recorded) find(ctx context.Context, p *v1alpha1.TerraformProvider) (install.Binary, error) {
	i, err := r.installer(p)
	if err != nil {
		return install.Binary{}, err
	}
	if i.Registry == nil {
		return i.Install(ctx, p.Spec.Source, p.Spec.Version)
	}
	request, _ := terraformprovider.Request(p)
	return i.Find(ctx, request)
}

// installer returns an installer for the recorded sources of a TerraformProvider. It has no
// registry if all sources are directories.
func (r *Recorded) installer(p *v1alpha1.TerraformProvider) (*install.Installer, error) {
	locations, missing := Locations(p)
	var folders []string
	for _, l := range locations {
		if l.Type == registry.FilesystemMirror {
			folders = append(folders, l.Path)
		}
	}
	switch {
	case len(locations) == 0:
		return nil, fmt.Errorf("the controller has the provider in %s, which does not exist on this machine. "+
			"Name a directory that has its program with --provider-mirror, or a registry with --provider-registry", strings.Join(missing, " and "))
	case len(folders) == len(locations):
		return &install.Installer{CacheDir: r.CacheDir, Mirrors: folders, Hosts: locations[0].Hosts}, nil
	}
	return &install.Installer{CacheDir: r.CacheDir, Registry: r.Credentials.At(locations)}, nil
}

// Groups returns the API groups that kinds of a TerraformProvider may have, without its schema. It
// is empty if they are not known.
func Groups(p *v1alpha1.TerraformProvider) []string {
	var out []string
	add := func(c config.Provider) {
		group := c.Group
		if group == "" {
			group = defaultGroup(p.Spec.Source)
		}
		out = append(out, group)
		for _, r := range c.Resources {
			if r.Group != "" {
				out = append(out, r.Group)
			}
		}
		for _, o := range c.Overrides {
			if o.Group != "" {
				out = append(out, o.Group)
			}
		}
	}
	add(p.Spec.Config())
	if is := p.Status.Installed; is != nil && is.Configuration != nil {
		var c v1alpha1.TerraformProviderSpec
		if json.Unmarshal(is.Configuration.Raw, &c) != nil {
			return nil
		}
		add(c.Config())
	}
	if slices.Contains(out, "") {
		return nil
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// defaultGroup returns the group of a provider's kinds if nothing else is configured; empty if it
// is not known without the program.
func defaultGroup(source string) string {
	if name := TypeOf(source); name != "" {
		return model.DefaultGroup(name)
	}
	return ""
}

// TypeOf returns a provider's name, such as random, by its source; empty if it cannot be told.
func TypeOf(source string) string {
	if a, err := install.ParseAddress(source); err == nil {
		return a.Type
	}
	name, _ := install.ParseBinaryName(source)
	return name
}
