package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// repository describes a repository to create.
type repository struct {
	name string
	// provider has the arguments of init that select the provider.
	provider func(context.Context) ([]string, error)
	cloud    func(ctx context.Context, dir string) (*cloud, error)
	// create and change are manifests.
	create, change string
	// documentation has the HCL examples of the provider's documentation; references are inferred
	// from them.
	documentation string
	// rebuild obtains the provider's program and schema, as the repository's Makefile does.
	rebuild bool
	// inProcess links the provider into the program.
	inProcess bool
	// upgrade has the arguments of make upgrade, if the provider is downloaded.
	upgrade func(context.Context) (string, error)
}

// repositories lists all repositories. Providers come from Go modules, a mirror and paths; those
// that are linked from Go modules and directories.
var repositories = append(slices.Clone(asPlugins), linked()...)

// linked returns the repositories whose programs link the provider.
func linked() []repository {
	var out []repository
	for _, r := range asPlugins {
		r.inProcess, r.documentation, r.rebuild = true, "", true
		if form, ok := strings.CutPrefix(r.name, "examplecloud-"); ok {
			r = exampleRepository(form)
			r.inProcess = true
			r.provider = checkout(form)
		} else {
			r.provider, r.upgrade = testedModule(r.name)
		}
		r.name += inProcessSuffix
		out = append(out, r)
	}
	return out
}

const inProcessSuffix = "-in-process"

// asPlugins lists the repositories whose programs run the provider as a process.
var asPlugins = []repository{
	{
		name: "hcloud", provider: module("github.com/hetznercloud/terraform-provider-hcloud@v1.68.0"), cloud: hetzner,
		create: `
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default}
stringData: {token: TOKEN}
---
apiVersion: hcloud.example.org/v1alpha1
kind: ClusterProviderConfig
metadata: {name: default}
spec:
  endpoint: ENDPOINT
  pollInterval: 50ms
  tokenSecretRef: {name: token, namespace: default, key: token}
---
apiVersion: hcloud.example.org/v1alpha1
kind: Volume
metadata: {name: data, namespace: default}
spec: {forProvider: {name: data, size: 10, location: fsn1}}
`,
		change: `
apiVersion: hcloud.example.org/v1alpha1
kind: Volume
metadata: {name: data, namespace: default}
spec: {forProvider: {name: data, size: 20, location: fsn1}}
`,
	},
	{
		name: "random", provider: mirror("random", "hashicorp/random", "--provider-version", "~> 3.7"), cloud: noCloud, rebuild: true,
		create: `
apiVersion: random.example.org/v1alpha1
kind: Pet
metadata: {name: pet, namespace: default}
spec: {forProvider: {}}
---
apiVersion: random.example.org/v1alpha1
kind: Password
metadata: {name: password, namespace: default}
spec:
  forProvider: {length: 24, special: false}
  writeConnectionSecretToRef: {name: password}
`,
		change: `
apiVersion: random.example.org/v1alpha1
kind: Password
metadata: {name: password, namespace: default}
spec:
  forProvider: {length: 32, special: false}
  writeConnectionSecretToRef: {name: password}
`,
	},
	{
		name: "local", provider: binary("local"), cloud: files, rebuild: true,
		create: `
apiVersion: local.example.org/v1alpha1
kind: File
metadata: {name: greeting, namespace: default}
spec: {forProvider: {filename: FILE, content: hello}}
`,
		change: `
apiVersion: local.example.org/v1alpha1
kind: File
metadata: {name: greeting, namespace: default}
spec: {forProvider: {filename: FILE, content: hello again}}
`,
	},
	{
		name: "time", provider: module("github.com/hashicorp/terraform-provider-time@v0.14.2"), cloud: noCloud, rebuild: true,
		create: `
apiVersion: time.example.org/v1alpha1
kind: Offset
metadata: {name: expiry, namespace: default}
spec: {forProvider: {baseRfc3339: "2030-01-01T00:00:00Z", offsetDays: 7}}
`,
		change: `
apiVersion: time.example.org/v1alpha1
kind: Offset
metadata: {name: expiry, namespace: default}
spec: {forProvider: {baseRfc3339: "2030-01-01T00:00:00Z", offsetDays: 30}}
`,
	},
	exampleRepository(examplecloudtest.SDKv2),
	exampleRepository(examplecloudtest.Framework5),
	withReferences(exampleRepository(examplecloudtest.Framework6)),
}

// withReferences returns a repository with references inferred from documentation, and uses them.
func withReferences(r repository) repository {
	r.documentation = `
resource "examplecloud_thing" "example" {
  name = "example"
}

resource "examplecloud_datastore" "example" {
  name             = "example"
  hci_cluster_uuid = examplecloud_thing.example.id
}
`
	r.cloud = exampleCloud(2)
	r.create += `---
apiVersion: examplecloud.example.org/v1alpha1
kind: Datastore
metadata: {name: data, namespace: default}
spec: {forProvider: {name: data, hciClusterUuidRef: {name: web}, clusterInfo: {id: c-1}}}
`
	return r
}

func exampleRepository(form string) repository {
	const thing = `
apiVersion: examplecloud.example.org/v1alpha1
kind: Thing
metadata: {name: web, namespace: default}
`
	return repository{
		name: "examplecloud-" + form, cloud: exampleCloud(1),
		provider: func(ctx context.Context) ([]string, error) {
			path, err := testbin.Build(ctx, examplecloudtest.ProviderProgram(form))
			return []string{"--provider", path}, err
		},
		create: `
apiVersion: examplecloud.example.org/v1alpha1
kind: ClusterProviderConfig
metadata: {name: default}
spec: {endpoint: ENDPOINT}
---` + thing + "spec: {forProvider: {name: web, region: us-east-1, size: 1}}\n",
		change: thing + "spec: {forProvider: {name: web, region: us-east-1, size: 2}}\n",
	}
}

// module returns a provider that the repository builds from its Go module.
func module(at string) func(context.Context) ([]string, error) {
	return func(context.Context) ([]string, error) { return []string{"--provider", at}, nil }
}

// testedModule returns a provider by the Go module that its tests use, and that version of it.
func testedModule(name string) (provider func(context.Context) ([]string, error), upgrade func(context.Context) (string, error)) {
	find := func(ctx context.Context) (at, version string, err error) {
		p, err := providertest.Get(name)
		if err != nil {
			return "", "", err
		}
		at, err = p.Module(ctx)
		return at, p.Version, err
	}
	provider = func(ctx context.Context) ([]string, error) {
		at, version, err := find(ctx)
		return []string{"--provider", at, "--provider-version", version}, err
	}
	upgrade = func(ctx context.Context) (string, error) {
		at, _, err := find(ctx)
		_, version, _ := strings.Cut(at, "@")
		return "TO=" + version, err
	}
	return provider, upgrade
}

// checkout returns the example cloud's provider by the directory of its main package.
func checkout(form string) func(context.Context) ([]string, error) {
	return func(context.Context) ([]string, error) {
		root, err := testbin.Root()
		dir := filepath.Join(root, "examples", "examplecloud", "cmd", "terraform-provider-examplecloud-"+form)
		return []string{"--provider", dir, "--provider-name", "examplecloud", "--provider-version", "3.0.0"}, err
	}
}

// binary returns a provider by its path.
func binary(name string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		path, err := build(ctx, name)
		return []string{"--provider", path}, err
	}
}

// mirror returns a provider by its address.
func mirror(name, source string, more ...string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		path, err := build(ctx, name)
		if err != nil {
			return nil, err
		}
		// MIRROR/HOST/NAMESPACE/TYPE/VERSION/PLATFORM/PROGRAM
		for range 6 {
			path = filepath.Dir(path)
		}
		return append([]string{"--provider", source, "--provider-mirror", path}, more...), nil
	}
}

func build(ctx context.Context, name string) (string, error) {
	p, err := providertest.Get(name)
	if err != nil {
		return "", err
	}
	return p.Build(ctx)
}
