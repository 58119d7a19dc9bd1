package chart_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/tools/release/chart"
	"github.com/landbridge-io/landbridge/tools/xpkg/image"
)

// unpacked is an image in a directory.
type unpacked struct {
	rootfs     string
	entrypoint []string
	env        []string
}

// unpack makes the image from Landbridge's program and unpacks it.
func unpack(t *testing.T) unpacked {
	t.Helper()
	program, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	arch, err := exec.Command("go", "env", "GOARCH").Output()
	if err != nil {
		t.Fatal(err)
	}
	index, err := image.Index(image.Options{
		Version: "v0.0.0", TimeZones: filepath.Join(strings.TrimSpace(string(goroot)), "lib", "time", "zoneinfo.zip"),
		Platforms: []image.Platform{{
			OS: "linux", Architecture: strings.TrimSpace(string(arch)),
			Programs: map[string]string{"landbridge": program},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	// What runs is what was written.
	dir := filepath.Join(t.TempDir(), "layout")
	if err := image.Write(index, "registry.example/landbridge:v0.0.0", dir, dir+".tar"); err != nil {
		t.Fatal(err)
	}
	written, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := written.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	platforms, err := written.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if manifest, err = platforms.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	one, err := platforms.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := one.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	u := unpacked{rootfs: filepath.Join(t.TempDir(), "rootfs"), entrypoint: config.Config.Entrypoint, env: config.Config.Env}
	in := mutate.Extract(one)
	defer in.Close()
	if err := extract(in, u.rootfs); err != nil {
		t.Fatal(err)
	}
	return u
}

// extract writes the files and directories of an archive, with their owners.
func extract(in io.Reader, dir string) error {
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
			var content []byte
			if err == nil {
				content, err = io.ReadAll(r)
			}
			if err == nil {
				err = os.WriteFile(path, content, 0o600)
			}
		}
		if err := errors.Join(err, os.Chown(path, h.Uid, h.Gid), syscall.Chmod(path, uint32(h.Mode))); err != nil {
			return err
		}
	}
}

// container is a running container of a pod.
type container struct {
	id     string
	log    string
	exited chan error
}

// node runs pods: it does what kubelet does for those of the chart.
type node struct {
	c     *clustertest.Cluster
	image unpacked
	// volumes are the directories of the volumes that pods have in common, by name.
	volumes map[string]string
}

// run runs the first container of a pod. Pods have the network of this machine, so args replaces
// addresses.
func (n *node) run(t *testing.T, name string, pod *corev1.PodSpec, namespace string, args ...string) *container {
	t.Helper()
	dir, main := t.TempDir(), pod.Containers[0]
	mounts := []object{
		{"destination": "/proc", "type": "proc", "source": "proc"},
		{"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
		bind("/etc/resolv.conf", "/etc/resolv.conf", true),
		bind("/etc/hosts", "/etc/hosts", true),
		bind(n.credentials(t, pod.ServiceAccountName, namespace), "/var/run/secrets/kubernetes.io/serviceaccount", true),
	}
	for _, m := range main.VolumeMounts {
		source := n.volumes[m.Name]
		if source == "" { // an emptyDir
			source = filepath.Join(dir, "volumes", m.Name)
			if err := errors.Join(os.MkdirAll(source, 0o700), os.Chown(source, 0, int(*pod.SecurityContext.FSGroup)),
				syscall.Chmod(source, 0o2775)); err != nil {
				t.Fatal(err)
			}
		}
		mounts = append(mounts, bind(source, m.MountPath, m.ReadOnly))
	}
	config := object{
		"ociVersion": "1.0.2", "hostname": name,
		"root":   object{"path": n.image.rootfs, "readonly": *main.SecurityContext.ReadOnlyRootFilesystem},
		"mounts": mounts,
		"process": object{
			"user": object{
				"uid": *pod.SecurityContext.RunAsUser, "gid": *pod.SecurityContext.RunAsGroup,
				"additionalGids": []int64{*pod.SecurityContext.FSGroup},
			},
			"args":            append(slices.Clone(n.image.entrypoint), n.args(t, main.Args, args)...),
			"env":             append(slices.Clone(n.image.env), n.env(t)...),
			"cwd":             "/",
			"noNewPrivileges": !*main.SecurityContext.AllowPrivilegeEscalation,
			"capabilities":    object{}, // all are dropped
		},
		"linux": object{"namespaces": []object{{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}}},
	}
	content, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	k := &container{
		id: "landbridge-test-" + filepath.Base(filepath.Dir(dir)) + "-" + name, log: filepath.Join(dir, "log"),
		exited: make(chan error, 1),
	}
	log, err := os.Create(k.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("runc", "run", "--bundle", dir, k.id)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("runc is needed (apt-get install runc): %v", err)
	}
	go func() { k.exited <- cmd.Wait(); close(k.exited) }()
	t.Cleanup(func() {
		_ = exec.Command("runc", "delete", "--force", k.id).Run()
		<-k.exited
		if t.Failed() {
			content, _ := os.ReadFile(k.log)
			t.Logf("the log of %s:\n%s", name, tail(content))
		}
	})
	return k
}

// args returns a container's arguments with replaced flags, all of which it must have.
func (n *node) args(t *testing.T, have, replace []string) []string {
	t.Helper()
	out := slices.Clone(have)
	for _, r := range replace {
		flag, _, _ := strings.Cut(r, "=")
		i := slices.IndexFunc(out, func(a string) bool { return strings.HasPrefix(a, flag+"=") })
		if i < 0 {
			t.Fatalf("the container has no argument %s: %q", flag, have)
		}
		out[i] = r
	}
	return out
}

// env returns the variables with the address of the API server.
func (n *node) env(t *testing.T) []string {
	t.Helper()
	u, err := url.Parse(n.c.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port}
}

// credentials returns a directory with the token of a ServiceAccount.
func (n *node) credentials(t *testing.T, account, namespace string) string {
	t.Helper()
	config := rest.CopyConfig(n.c.Config)
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"token": []byte(n.token(t, account, namespace)), "ca.crt": config.CAData, "namespace": []byte(namespace),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// token returns a token of a ServiceAccount.
func (n *node) token(t *testing.T, account, namespace string) string {
	t.Helper()
	kube, err := kubernetes.NewForConfig(n.c.Config)
	if err != nil {
		t.Fatal(err)
	}
	token, err := kube.CoreV1().ServiceAccounts(namespace).
		CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// stop stops a container as kubelet does, and waits until it has ended. It must end without an
// error.
func (k *container) stop(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("runc", "kill", k.id, "TERM").CombinedOutput(); err != nil {
		t.Fatalf("runc kill: %v\n%s", err, out)
	}
	k.wait(t)
}

// wait waits until a container has ended without an error.
func (k *container) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-k.exited:
		if err != nil {
			t.Errorf("the container ended with %v", err)
		}
	case <-time.After(waittest.Limit):
		t.Errorf("the container did not end within %s", waittest.Limit)
	}
}

func bind(source, destination string, readOnly bool) object {
	options := []string{"bind", "nosuid", "nodev"}
	if readOnly {
		options = append(options, "ro")
	}
	return object{"destination": destination, "type": "bind", "source": source, "options": options}
}

func tail(log []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-40):], []byte("\n"))
}

// podOf returns the pod of a workload in a rendering.
func podOf(t *testing.T, r *chart.Rendered, kind string) *corev1.PodSpec {
	t.Helper()
	for _, m := range r.Manifests {
		if m.Object.GetKind() != kind {
			continue
		}
		typed, err := decode(m.Object)
		if err != nil {
			t.Fatal(err)
		}
		return &template(t, typed).Spec
	}
	t.Fatalf("the chart has no %s", kind)
	return nil
}
