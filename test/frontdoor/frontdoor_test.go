package frontdoor_test

import (
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

var (
	// summary prints the closing line of `make front-door`.
	summary = flag.Bool("summary", false, "print how many commands of how many pages were run")
	only    = flag.String("pages", "", "the pages to run, separated by commas (default: all, and with -short the first two)")
)

// page is a page to run, in the order in which newcomers read them.
type page struct {
	file string
	// downloads are the providers that the page's cluster gets from their registry.
	downloads []string
	// treated are the commands that need what this test does not have, by the text on the page.
	treated map[string]treatment
}

// Commands that several pages have.
const (
	kind         = "kind load image-archive dist/landbridge-image_dev.tar                 # kind"
	docker       = "docker load --input dist/landbridge-image_dev.tar                     # Docker Desktop"
	ctr          = "ctr --namespace k8s.io images import dist/landbridge-image_dev.tar    # containerd, on each node"
	install      = "helm install landbridge deploy/chart --namespace landbridge-system --create-namespace"
	fromRegistry = "helm install landbridge oci://ghcr.io/landbridge-io/charts/landbridge --namespace landbridge-system --create-namespace"
)

// pages are in the order in which they are run. With -short, the first two are.
var pages = []page{
	{"README.md", []string{"random"}, map[string]treatment{kind: node, docker: node, ctr: node, install: node, fromRegistry: release}},
	{"docs/tutorial.md", []string{"kubernetes"}, nil},
	{"docs/plans.md", nil, nil},
	{"docs/modules.md", nil, nil},
	{"docs/install.md", []string{"random"}, map[string]treatment{
		kind: node, docker: node, ctr: node, install: node, fromRegistry: release,
		"helm upgrade landbridge deploy/chart --namespace landbridge-system --values values.yaml": node,
		"helm uninstall landbridge --namespace landbridge-system":                                 node,
		"kubectl apply --server-side -f deploy/install.yaml":                                      node,
		"kubectl apply --server-side -f " + latest:                                                release,
	}},
}

// treatment is why a command is carried out by other programs than those of the page, and how.
type treatment string

const (
	node    treatment = "there are no nodes: the image's program runs with the rendered Deployment's arguments, mounts and ServiceAccount"
	release treatment = "nothing is published yet: what the clone would publish, with a cluster of its own and the " +
		"test's own registry; " + node
)

// Figures of the closing line.
var commands, run, failed int

func TestMain(m *testing.M) {
	if f, ok := standIns[filepath.Base(os.Args[0])]; ok {
		if err := f(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	code := m.Run()
	if *summary {
		fmt.Printf("front door: %d commands on %d pages, %d failed\n", commands, run, failed)
	}
	os.Exit(code)
}

func TestFrontDoor(t *testing.T) {
	chosen := pages
	switch {
	case *only != "":
		chosen = slices.DeleteFunc(slices.Clone(pages), func(p page) bool { return !slices.Contains(strings.Split(*only, ","), p.file) })
		if len(chosen) == 0 {
			t.Fatalf("there is no page %s", *only)
		}
	case testing.Short():
		chosen = pages[:2]
	}
	c := newClone(t)
	var downloads []string
	for _, p := range chosen {
		downloads = append(downloads, p.downloads...)
	}
	i := newInternet(t, slices.Compact(slices.Sorted(slices.Values(downloads)))...)
	for _, p := range chosen {
		t.Run(p.file, func(t *testing.T) {
			run++
			t.Cleanup(func() {
				if t.Failed() {
					failed++
				}
			})
			c.reset(t)
			m := newMachine(t, c, i)
			if len(p.treated) > 0 {
				// The cluster that the reader has: what kubectl and helm use when nothing else is
				// said.
				m.owns(t, playgroundtest.New(t, playgroundtest.Options{}).Kubeconfig)
			}
			result := doctest.Test(t, filepath.Join(c.root, p.file), doctest.Options{
				Dir: c.dir, Environ: m.environ, Timeout: 30 * time.Minute,
				Replace: map[string]string{
					"127.0.0.1:8480": "127.0.0.1:" + m.examplecloudPort,
					"127.0.0.1:6444": "127.0.0.1:" + m.otherPort, "--port 6444": "--port " + m.otherPort,
				},
				Patterns: map[string]string{
					"<age>": `[0-9]+[smh]([0-9]+s)?`, "<seconds>": `[0-9.]+`,
				},
				Treatments: m.treatments(p),
			})
			c.left(t)
			commands += result.Commands
			for _, command := range result.Treated {
				fmt.Printf("%s: $ %s\n  %s\n", p.file, command, p.treated[command])
			}
		})
	}
}

// treatments returns those of a page.
func (m *machine) treatments(p page) map[string]doctest.Treatment {
	out := map[string]doctest.Treatment{}
	for command, how := range p.treated {
		out[command] = doctest.Treatment{How: string(how), Programs: m.standIns}
	}
	return out
}

// port returns a port that is not in use.
func port(t *testing.T) string {
	t.Helper()
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
