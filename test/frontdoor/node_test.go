package frontdoor_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// nodeDir is the directory of a node: the images that were loaded, and the processes of pods.
type nodeDir string

// image returns the directory of an image.
func (n nodeDir) image(name string) string {
	return filepath.Join(string(n), "images", strings.NewReplacer("/", "_", ":", "_").Replace(name))
}

// imageConfig is what an image says about its process.
type imageConfig struct {
	Config struct {
		Entrypoint []string
		Env        []string
	} `json:"config"`
}

// descriptor is that of the OCI image format.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Annotations map[string]string `json:"annotations"`
	Platform    *struct{ OS, Architecture string }
}

type manifest struct {
	Manifests []descriptor `json:"manifests"`
	Config    descriptor   `json:"config"`
	Layers    []descriptor `json:"layers"`
}

// load unpacks the image for this machine of an archive of an OCI layout.
func (n nodeDir) load(archive string) error {
	blobs, err := readArchive(archive)
	if err != nil {
		return err
	}
	index, err := decode[manifest](blobs["index.json"])
	if err != nil || len(index.Manifests) != 1 {
		return fmt.Errorf("%s has %d images: %w", archive, len(index.Manifests), err)
	}
	blob := func(d descriptor) []byte { return blobs["blobs/"+strings.Replace(d.Digest, ":", "/", 1)] }
	name := index.Manifests[0].Annotations["io.containerd.image.name"]
	platforms, err := decode[manifest](blob(index.Manifests[0]))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(platforms.Manifests, func(d descriptor) bool {
		return d.Platform != nil && d.Platform.OS == "linux" && d.Platform.Architecture == runtime.GOARCH
	})
	if at < 0 {
		return fmt.Errorf("%s has no image for linux/%s", archive, runtime.GOARCH)
	}
	one, err := decode[manifest](blob(platforms.Manifests[at]))
	if err != nil {
		return err
	}
	dir := n.image(name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	for _, l := range one.Layers {
		if err := unpack(blob(l), filepath.Join(dir, "rootfs")); err != nil {
			return fmt.Errorf("%s: layer %s: %w", archive, l.Digest, err)
		}
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), blob(one.Config), 0o600)
}

// tag gives an image another name.
func (n nodeDir) tag(name, other string) error {
	if _, err := os.Stat(n.image(name)); err != nil {
		return fmt.Errorf("the image %s was not loaded: %w", name, err)
	}
	err := os.Symlink(n.image(name), n.image(other))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func decode[T any](content []byte) (out T, err error) {
	return out, json.Unmarshal(content, &out)
}

// readArchive returns the files of a tar archive.
func readArchive(file string) (map[string][]byte, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out := map[string][]byte{}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
}

// unpack writes the files of a compressed layer to a directory.
func unpack(layer []byte, dir string) error {
	z, err := gzip.NewReader(bytes.NewReader(layer))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
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
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, fs.FileMode(h.Mode).Perm()))
			}
		}
		if err != nil {
			return err
		}
	}
}

// run runs the pods of a Deployment instead of those before: its replicas, with its arguments, the
// directories of its mounts, and the token of its ServiceAccount. It returns when all of them are
// ready.
func (n nodeDir) run(u *unstructured.Unstructured) error {
	if err := n.stop(); err != nil {
		return err
	}
	var d appsv1.Deployment
	if err := kruntime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, &d, true); err != nil {
		return err
	}
	for replica := range int(*d.Spec.Replicas) {
		if err := n.runPod(&d, replica); err != nil {
			return err
		}
	}
	return nil
}

func (n nodeDir) runPod(d *appsv1.Deployment, replica int) error {
	pod := d.Spec.Template.Spec
	container := pod.Containers[0]
	image := n.image(container.Image)
	content, err := os.ReadFile(filepath.Join(image, "config.json"))
	if err != nil {
		return fmt.Errorf("the image %s is not on the node: %w", container.Image, err)
	}
	config, err := decode[imageConfig](content)
	if err != nil {
		return err
	}
	dir := filepath.Join(string(n), "pod-"+strconv.Itoa(replica))
	mounts := []string{}
	for _, m := range container.VolumeMounts {
		if m.MountPath == "/tmp" {
			continue // TMPDIR
		}
		mounts = append(mounts, m.MountPath, filepath.Join(dir, "volumes", m.Name))
		if err := os.MkdirAll(filepath.Join(dir, "volumes", m.Name), 0o755); err != nil {
			return err
		}
	}
	health, err := freeAddress()
	if err != nil {
		return err
	}
	env := append(slices.Clone(config.Config.Env), "TMPDIR="+dir, "KUBECONFIG="+filepath.Join(dir, "kubeconfig"))
	variables := []string{}
	for _, e := range container.Env {
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil && e.ValueFrom.FieldRef.FieldPath == "status.podIP" {
			e.Value = "127.0.0.1"
		}
		env, variables = append(env, e.Name+"="+e.Value), append(variables, "$("+e.Name+")", e.Value)
	}
	var args []string
	for _, a := range container.Args {
		a = strings.NewReplacer(append(variables, mounts...)...).Replace(a)
		switch flag, _, _ := strings.Cut(a, "="); flag {
		case "--health-address":
			a = flag + "=" + health
		case "--metrics-address":
			a = flag + "=127.0.0.1:0"
		}
		args = append(args, a)
	}
	if err := writeKubeconfig(filepath.Join(dir, "kubeconfig"), d.Namespace, pod.ServiceAccountName); err != nil {
		return err
	}
	// The network of the node is that of this machine.
	for _, name := range []string{"HTTPS_PROXY", "SSL_CERT_FILE"} {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, name+"="+os.Getenv(name))
	}
	log, err := os.Create(filepath.Join(filepath.Dir(string(n)), "pod-"+strconv.Itoa(replica)+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(image, "rootfs", config.Config.Entrypoint[0]), append(config.Config.Entrypoint[1:], args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ready(health, ended, log.Name())
}

// ready waits until a pod is ready.
func ready(health string, ended <-chan error, log string) error {
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-ended:
			content, _ := os.ReadFile(log)
			return fmt.Errorf("the container ended: %w\n%s", err, content)
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+health+"/readyz", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	content, _ := os.ReadFile(log)
	return fmt.Errorf("the container is not ready after five minutes\n%s", content)
}

// writeKubeconfig writes one with a token of a ServiceAccount.
func writeKubeconfig(file, namespace, account string) error {
	admin, err := restConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return err
	}
	token, err := client.CoreV1().ServiceAccounts(namespace).
		CreateToken(context.Background(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := rest.LoadTLSFiles(admin); err != nil {
		return err
	}
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"own": {Server: admin.Host, CertificateAuthorityData: admin.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{account: {Token: token.Status.Token}},
		Contexts:       map[string]*clientcmdapi.Context{"own": {Cluster: "own", AuthInfo: account, Namespace: namespace}},
		CurrentContext: "own",
	}, file)
}

// stop stops all pods as kubelet does, and waits until they have ended.
func (n nodeDir) stop() error {
	files, err := filepath.Glob(filepath.Join(string(n), "pod-*", "pid"))
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(string(content))
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		for deadline := time.Now().Add(time.Minute); alive(pid); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				_ = syscall.Kill(-pid, syscall.SIGKILL)
				return fmt.Errorf("the container with process %d did not end within a minute", pid)
			}
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// alive reports whether a process runs. A process that has ended may still have a parent that has
// not asked for it.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	_, err := os.Stat("/proc/self/exe")
	if err != nil {
		return true // not Linux
	}
	_, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
