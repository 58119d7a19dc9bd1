package frontdoor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	sigsyaml "sigs.k8s.io/yaml"
)

// stageVariable is the environment variable that has a stage, as JSON.
const stageVariable = "LANDBRIDGE_FRONT_DOOR"

// stage is what the programs that stand in for others know.
type stage struct {
	Dir                  string // of the node, and of what they tell each other
	Helm, Kubectl        string // the real programs
	Playground           string // makes other clusters
	Registry, RegistryCA string
}

func (s stage) node() nodeDir { return nodeDir(filepath.Join(s.Dir, "node")) }

// standIns are the programs that take the place of others for treated commands, by name. This
// test's own program is started by these names.
var standIns = map[string]func(args []string) error{
	"docker": loadImage, "kind": loadImage, "ctr": loadImage,
	"helm": helm, "post-renderer": postRender, "kubectl": kubectl,
}

func currentStage() (s stage, err error) {
	return s, json.Unmarshal([]byte(os.Getenv(stageVariable)), &s)
}

// loadImage loads the archive that is the last argument, whichever program loads it, into the node.
func loadImage(args []string) error {
	s, err := currentStage()
	if err != nil {
		return err
	}
	return s.node().load(args[len(args)-1])
}

// helm runs Helm. What the API server does not have, since it has no nodes, is left to the node.
func helm(args []string) error {
	s, err := currentStage()
	if err != nil {
		return err
	}
	switch i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, published) }); {
	case i >= 0:
		if args[i], err = s.publish(strings.TrimPrefix(args[i], published)); err != nil {
			return err
		}
		args = append(args, "--ca-file", s.RegistryCA)
		return s.elsewhere(func(s stage) error { return s.install(args) })
	case args[0] == "install" || args[0] == "upgrade":
		return s.install(args)
	case args[0] == "uninstall":
		return errors.Join(execute(s.Helm, args...), s.node().stop())
	default:
		return fmt.Errorf("nothing stands in for helm %s", args[0])
	}
}

// install runs Helm, and the Deployment.
func (s stage) install(args []string) error {
	self, err := exec.LookPath("post-renderer")
	if err != nil {
		return err
	}
	if err := execute(s.Helm, append(args, "--post-renderer", self)...); err != nil {
		return err
	}
	return s.start()
}

const (
	// published is where released charts are.
	published = "oci://ghcr.io/"
	// latest is where the manifests of the latest release are.
	latest = "https://github.com/landbridge-io/landbridge/releases/latest/download/install.yaml"
)

// publish makes a release of the clone's chart and of the loaded image, and returns where the chart
// is.
func (s stage) publish(name string) (string, error) {
	const version = "1.0.0"
	if err := execute(s.Helm, "package", filepath.Join("deploy", "chart"), "--version", version, "--app-version",
		"v"+version, "--destination", s.Dir); err != nil {
		return "", err
	}
	dir, base := filepath.Split(name)
	if err := execute(s.Helm, "push", filepath.Join(s.Dir, base+"-"+version+".tgz"),
		"oci://"+s.Registry+"/"+strings.TrimSuffix(dir, "/"), "--ca-file", s.RegistryCA); err != nil {
		return "", err
	}
	return "oci://" + s.Registry + "/" + name,
		s.node().tag("ghcr.io/landbridge-io/landbridge:dev", "ghcr.io/landbridge-io/landbridge:v"+version)
}

// elsewhere does something with another cluster and node, on which the same images are, and stops
// them.
func (s stage) elsewhere(do func(stage) error) (err error) {
	cmd := exec.Command(s.Playground, "serve", "--no-fsync", "--stop-on-stdin-close")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stdin.Close(), cmd.Wait()) }()
	var message struct {
		Kubeconfig string `json:"kubeconfig"`
	}
	if err := json.NewDecoder(stdout).Decode(&message); err != nil {
		return err
	}
	images := filepath.Join(string(s.node()), "images")
	s.Dir = filepath.Join(s.Dir, "elsewhere")
	if err := errors.Join(os.RemoveAll(s.Dir), os.MkdirAll(string(s.node()), 0o755),
		os.Symlink(images, filepath.Join(string(s.node()), "images"))); err != nil {
		return err
	}
	content, err := json.Marshal(s)
	if err != nil {
		return err
	}
	// For the programs that do it.
	if err := errors.Join(os.Setenv("KUBECONFIG", message.Kubeconfig), os.Setenv(stageVariable, string(content))); err != nil {
		return err
	}
	return errors.Join(do(s), s.node().stop())
}

// postRender passes on the manifests that the API server has kinds for, and puts the others where
// start finds them.
func postRender([]string) error {
	s, err := currentStage()
	if err != nil {
		return err
	}
	served, err := s.split(os.Stdin)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(served)
	return err
}

// kubectl applies the file of the last argument.
func kubectl(args []string) error {
	s, err := currentStage()
	if err != nil {
		return err
	}
	file := args[len(args)-1]
	apply := func(s stage) error {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		served, err := s.split(in)
		if err != nil {
			return err
		}
		file := filepath.Join(s.Dir, "served.yaml")
		if err := os.WriteFile(file, served, 0o600); err != nil {
			return err
		}
		if err := execute(s.Kubectl, append(slices.Clone(args[:len(args)-1]), file)...); err != nil {
			return err
		}
		return s.start()
	}
	if file == latest {
		file = filepath.Join("deploy", "install.yaml")
		return s.elsewhere(apply)
	}
	return apply(s)
}

// split returns the manifests whose kinds the API server has, and writes the others to a file.
func (s stage) split(in io.Reader) ([]byte, error) {
	config, err := restConfig()
	if err != nil {
		return nil, err
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, err := servedKinds(d)
	if err != nil {
		return nil, err
	}
	var served, others bytes.Buffer
	for decoder := yaml.NewYAMLOrJSONDecoder(in, 4096); ; {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if len(u.Object) == 0 {
			continue
		}
		content, err := sigsyaml.Marshal(u.Object)
		if err != nil {
			return nil, err
		}
		out := &others
		// The kinds of the definitions that come with them are served by then.
		if gvk := u.GroupVersionKind(); kinds[gvk] || gvk.Group == "landbridge.io" {
			out = &served
		}
		fmt.Fprintf(out, "---\n%s", content)
	}
	return served.Bytes(), os.WriteFile(s.unserved(), others.Bytes(), 0o600)
}

func (s stage) unserved() string { return filepath.Join(s.Dir, "unserved.yaml") }

// start runs the Deployment among the manifests that the API server has no kinds for.
func (s stage) start() error {
	in, err := os.Open(s.unserved())
	if err != nil {
		return err
	}
	defer in.Close()
	for decoder := yaml.NewYAMLOrJSONDecoder(in, 4096); ; {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); err != nil {
			return fmt.Errorf("the Deployment is missing: %w", err)
		}
		if u.GetKind() == "Deployment" {
			return s.node().run(u)
		}
	}
}

func servedKinds(d discovery.DiscoveryInterface) (map[schema.GroupVersionKind]bool, error) {
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	out := map[schema.GroupVersionKind]bool{}
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range l.APIResources {
			out[gv.WithKind(r.Kind)] = true
		}
	}
	return out, nil
}

// restConfig is that of the kubeconfig that kubectl would use.
func restConfig() (*rest.Config, error) {
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
}

func execute(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(program), strings.Join(args, " "), err)
	}
	return nil
}
