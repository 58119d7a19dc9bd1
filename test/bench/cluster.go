package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/landbridge-io/landbridge/internal/testing/nettest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
)

var providers = schema.GroupVersionResource{Group: "landbridge.io", Version: "v1alpha1", Resource: "terraformproviders"}

// cluster is a playground and a controller, each a separate process.
type cluster struct {
	dir        string
	config     *rest.Config
	client     dynamic.Interface
	apiserver  *exec.Cmd
	controller *exec.Cmd
	pprof      string // address of the controller's profiles; empty if not profiled
	metrics    string // address of the controller's metrics
	args       []string
}

// settings configures the controller.
type settings struct {
	program  string   // defaults to landbridge controller
	args     []string // for the program
	poll     time.Duration
	profiled bool
}

func start(ctx context.Context, bin string, s settings) (_ *cluster, err error) {
	c := &cluster{}
	if c.dir, err = os.MkdirTemp("", "landbridge-bench"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	// What the disk is busy with otherwise is no cost of a controller. Nor is it a cost of looks
	// that the API server compares its caches with etcd.
	c.apiserver = command(filepath.Join(bin, "playground"), "serve", "--data", c.dir, "--no-controllers",
		"--no-fsync", "--no-cache-checks", "--stop-on-stdin-close")
	// With less, the API server of more than some ten thousand resources does nothing but collect
	// garbage.
	c.apiserver.Env = append(os.Environ(), "GOMEMLIMIT=8GiB")
	if _, err = c.apiserver.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.apiserver.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = c.apiserver.Start(); err != nil {
		return nil, err
	}
	var ready struct{ Kubeconfig string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the playground does not start: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if err = json.Unmarshal(line, &ready); err != nil {
		return nil, err
	}
	if c.config, err = clientcmd.BuildConfigFromFlags("", ready.Kubeconfig); err != nil {
		return nil, err
	}
	c.config.QPS = -1
	log, err := os.Create(filepath.Join(c.dir, "controller.log"))
	if err != nil {
		return nil, err
	}
	kubeconfig, err := c.serviceAccount(ctx)
	if err != nil {
		return nil, err
	}
	if c.config, err = clientcmd.BuildConfigFromFlags("", kubeconfig); err != nil {
		return nil, err
	}
	c.config.QPS, c.config.WarningHandler = -1, rest.NoWarnings{}
	if c.client, err = dynamic.NewForConfig(c.config); err != nil {
		return nil, err
	}
	if c.metrics, err = nettest.FreeAddress(); err != nil {
		return nil, err
	}
	args := append(s.args, "--kubeconfig", kubeconfig, "--poll", s.poll.String(), "--leader-elect=false",
		"--metrics-address", c.metrics, "--metrics-secure=false", "--health-address", "0")
	if s.program == "" {
		s.program = filepath.Join(bin, "landbridge")
		args = append([]string{
			"controller", "--provider-mirror", filepath.Join(bin, "providers"), "--provider-cache",
			filepath.Join(c.dir, "providers"),
			"--destroys-per-minute", "0",
		}, args...)
	}
	if s.profiled {
		if c.pprof, err = nettest.FreeAddress(); err != nil {
			return nil, err
		}
		args = append(args, "--profile-address", c.pprof)
	}
	c.args = append([]string{s.program}, args...)
	if err = c.run(log); err != nil {
		return nil, err
	}
	return c, c.until(ctx, 30*time.Second, func() (bool, error) {
		_, err := c.client.Resource(providers).List(ctx, listAll)
		return err == nil, nil
	})
}

// run starts the controller.
func (c *cluster) run(log io.Writer) error {
	c.controller = command(c.args[0], c.args[1:]...)
	c.controller.Stdout, c.controller.Stderr = log, log
	return c.controller.Start()
}

// restart kills the controller and starts another one, with further arguments.
func (c *cluster) restart(args ...string) error {
	log := c.controller.Stdout
	if err := c.controller.Process.Kill(); err != nil {
		return err
	}
	_ = c.controller.Wait() // it was killed
	c.args = append(c.args, args...)
	return c.run(log)
}

// serviceAccount returns a kubeconfig of a service account with all permissions. Programs usually
// authenticate with a token; a certificate would cost the API server more to check.
func (c *cluster) serviceAccount(ctx context.Context) (string, error) {
	const namespace, name = "kube-system", "landbridge"
	kube, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return "", err
	}
	if err := c.until(ctx, 30*time.Second, func() (bool, error) {
		_, err := kube.CoreV1().Namespaces().Get(ctx, namespace, getNow)
		return err == nil, nil
	}); err != nil {
		return "", err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := kube.CoreV1().ServiceAccounts(namespace).Create(ctx, account, createNow); err != nil {
		return "", err
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
	if _, err := kube.RbacV1().ClusterRoleBindings().Create(ctx, binding, createNow); err != nil {
		return "", err
	}
	token, err := kube.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{}, createNow)
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.dir, "controller.kubeconfig")
	return path, clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: name,
		Clusters: map[string]*clientcmdapi.Cluster{
			name: {
				Server: c.config.Host, CertificateAuthority: c.config.CAFile, CertificateAuthorityData: c.config.CAData,
			},
		},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {Token: token.Status.Token}},
		Contexts:  map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
	}, path)
}

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd
}

// stop ends both processes and removes their files.
func (c *cluster) stop() {
	for _, p := range []*exec.Cmd{c.controller, c.apiserver} {
		if p != nil && p.Process != nil {
			_ = p.Process.Signal(syscall.SIGTERM)
			_ = p.Wait()
		}
	}
	_ = os.RemoveAll(c.dir)
}

func (c *cluster) usage() (u usage, err error) {
	if u.controller, err = cpu(c.controller.Process.Pid); err != nil {
		return u, err
	}
	if u.provider, err = ended(c.controller.Process.Pid); err != nil {
		return u, err
	}
	for _, pid := range processtest.Children(c.controller.Process.Pid) {
		if t, err := cpu(pid); err == nil {
			u.provider += t
		}
	}
	u.apiserver, err = cpu(c.apiserver.Process.Pid)
	return u, err
}

// memory returns the anonymous memory of controller and providers, in MiB.
func (c *cluster) memory() (controller, provider float64, err error) {
	if controller, err = anonymous(c.controller.Process.Pid); err != nil {
		return 0, 0, err
	}
	for _, pid := range processtest.Children(c.controller.Process.Pid) {
		if m, err := anonymous(pid); err == nil {
			provider += m
		}
	}
	return controller, provider, nil
}

// install applies a TerraformProvider, with an execution unless that is empty, and waits until it
// is healthy.
func (c *cluster) install(ctx context.Context, name, source, execution string, activate ...string) (time.Duration, error) {
	patterns := make([]any, len(activate))
	for i, a := range activate {
		patterns[i] = a
	}
	spec := map[string]any{"source": source, "activate": patterns}
	if execution != "" {
		spec["execution"] = execution
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "landbridge.io/v1alpha1", "kind": "TerraformProvider", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
	began := time.Now()
	if _, err := c.client.Resource(providers).Create(ctx, u, createNow); err != nil {
		return 0, err
	}
	err := c.until(ctx, 5*time.Minute, func() (bool, error) {
		u, err := c.client.Resource(providers).Get(ctx, name, getNow)
		return err == nil && objecttest.IsTrue(u, "Healthy"), nil
	})
	return time.Since(began), err
}

func (c *cluster) until(ctx context.Context, limit time.Duration, done func() (bool, error)) error {
	for deadline := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			return errors.New("it took too long; see " + filepath.Join(c.dir, "controller.log"))
		}
	}
}

// writes counts the write requests of all clients, including failed ones, without events and
// leases.
func (c *cluster) writes(ctx context.Context) (writes, error) {
	return c.writesBut(ctx, "leases", "events")
}

// writes are numbers of write requests, by the labels of their metric.
type writes map[string]int

func (w writes) total() int {
	total := 0
	for _, n := range w {
		total += n
	}
	return total
}

// since returns how many there were since then, and tells which on standard error.
func (w writes) since(before writes) int {
	for labels, n := range w {
		if n > before[labels] {
			fmt.Fprintf(os.Stderr, "bench: %d writes: %s\n", n-before[labels], labels)
		}
	}
	return w.total() - before.total()
}

// writesBut counts the write requests of all clients, including failed ones, without those for some
// resources.
func (c *cluster) writesBut(ctx context.Context, resources ...string) (writes, error) {
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return nil, err
	}
	out := writes{}
	err = metrics(ctx, client, c.config.Host, func(name, labels string, value float64) {
		if name != "apiserver_request_total" ||
			slices.ContainsFunc(resources, func(r string) bool {
				return strings.Contains(labels, `resource="`+r+`"`)
			}) {
			return
		}
		for _, verb := range []string{"POST", "PUT", "PATCH", "DELETE", "APPLY"} {
			if strings.Contains(labels, `verb="`+verb+`"`) {
				out[labels] += int(value)
			}
		}
	})
	return out, err
}

// metrics reads a program's metrics.
func metrics(ctx context.Context, client *http.Client, host string, each func(name, labels string, value float64)) error {
	url := host + "/metrics"
	resp, err := get(ctx, client, url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	scanner := bufio.NewScanner(resp.Body)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := scanner.Text()
		blank := strings.LastIndexByte(line, ' ')
		if blank < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		name, labels, _ := strings.Cut(line[:blank], "{")
		value, err := strconv.ParseFloat(line[blank+1:], 64)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", url, line, err)
		}
		each(name, labels, value)
	}
	return scanner.Err()
}
