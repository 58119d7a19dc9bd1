package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/schema"
)

// operated is a cluster with the roles of deploy/rbac, a resource, and users. The API server is a
// real one, which decides about permissions; pods and their logs are answered by a stand-in, since
// it has neither pods nor nodes.
type operated struct {
	client.Client
	server     *playgroundtest.Server
	kubeconfig string // of the user
	thing      *unstructured.Unstructured
	pods       pods
}

// pods stand in for those of a cluster, and for its kubelets.
type pods struct {
	mu   sync.Mutex
	list []corev1.Pod
	// logs are by pod, or by pod and "previous".
	logs map[string]string
}

const userName = "jane"

func newOperated(t *testing.T) *operated {
	t.Helper()
	o := &operated{server: playgroundtest.New(t, playgroundtest.Options{}), pods: pods{logs: map[string]string{}}}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apiextensionsv1.AddToScheme, corev1.AddToScheme, rbacv1.AddToScheme, coordinationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if o.Client, err = client.New(o.server.Config, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	o.make(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: clustertest.System}})
	for _, u := range clustertest.Manifests(t, filepath.Join("..", "..", "deploy", "rbac", "roles.yaml")) {
		o.make(t, u)
	}
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	kind := p.Resources["cloud_thing"]
	definition, err := crd.Resource(kind)
	if err != nil {
		t.Fatal(err)
	}
	definition.Labels = map[string]string{"landbridge.io/provider": "cloud"}
	o.make(t, definition)
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{}}}}
	u.SetGroupVersionKind(kind.GroupVersionKind())
	u.SetNamespace("default")
	u.SetName("web")
	waittest.Eventually(t, "the kind is served", func(context.Context) bool { return o.Create(t.Context(), u) == nil })
	o.thing = u
	o.make(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "things"}, Rules: []rbacv1.PolicyRule{
		{
			APIGroups: []string{kind.GroupVersionKind().Group, "apiextensions.k8s.io", "landbridge.io"},
			Resources: []string{"*"}, Verbs: []string{"get", "list"},
		},
	}})
	o.make(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "things"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "things"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: userName}},
	})
	front := httptest.NewServer(o.front(t))
	t.Cleanup(front.Close)
	user := clientcmdapi.NewConfig()
	user.Clusters["c"] = &clientcmdapi.Cluster{Server: front.URL}
	user.AuthInfos["u"] = &clientcmdapi.AuthInfo{Impersonate: userName}
	user.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: "default"}
	user.CurrentContext = "c"
	o.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*user, o.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *operated) make(t *testing.T, u client.Object) {
	t.Helper()
	if err := o.Create(t.Context(), u); err != nil && !kerrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// permit binds the user to a Role in the controller's namespace.
func (o *operated) permit(t *testing.T, role string) {
	t.Helper()
	o.make(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: role}, RoleRef: rbacv1.RoleRef{
			APIGroup: rbacv1.GroupName, Kind: "Role", Name: role,
		},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: userName}},
	})
}

// front is a proxy of the API server. A request about pods that is permitted, and that the API
// server has no resource for, is answered by the stand-in.
func (o *operated) front(t *testing.T) http.Handler {
	t.Helper()
	transport, err := rest.TransportFor(o.server.Config)
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(o.server.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server) }, FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }, // such as after Ctrl-C
		ModifyResponse: func(r *http.Response) error {
			_, pod, isPods := strings.Cut(r.Request.URL.Path, "/api/v1/namespaces/"+clustertest.System+"/pods")
			if !isPods || r.StatusCode != http.StatusNotFound {
				return nil
			}
			r.Body.Close()
			answer, status := o.pods.answer(r.Request.Context(), strings.TrimSuffix(strings.TrimPrefix(pod, "/"), "/log"), r.Request.URL.Query())
			r.StatusCode, r.Body, r.ContentLength = status, answer, -1
			r.Header = http.Header{"Content-Type": {"application/json"}}
			return nil
		},
	}
}

// answer is that of a list of pods, or of the log of one.
func (p *pods) answer(ctx context.Context, pod string, query url.Values) (io.ReadCloser, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	whole := func(o any, status int) (io.ReadCloser, int) {
		raw, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		return io.NopCloser(bytes.NewReader(raw)), status
	}
	refused := func(message string) (io.ReadCloser, int) {
		status := kerrors.NewBadRequest(message).ErrStatus
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		return whole(status, http.StatusBadRequest)
	}
	switch {
	case pod == "" && query.Get("labelSelector") == "app.kubernetes.io/name=landbridge":
		return whole(corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: p.list}, http.StatusOK)
	case query.Get("container") != "controller":
		return refused("a container name must be specified")
	}
	if query.Get("previous") == "true" {
		pod += " previous"
	}
	text, ok := p.logs[pod]
	if !ok {
		return refused("container \"controller\" in pod \"" + pod + "\" is not available")
	}
	if query.Get("follow") != "true" {
		return io.NopCloser(strings.NewReader(text)), http.StatusOK
	}
	r, w := io.Pipe() // it does not end
	go func() {
		_, _ = io.WriteString(w, text)
		<-ctx.Done()
		w.Close()
	}()
	return r, http.StatusOK
}

// add adds a pod with a log. previous is that before its last restart; "" if it was not restarted.
func (p *pods) add(name, log, previous string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := corev1.ContainerStatus{Name: "controller", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	if p.logs[name] = log; previous != "" {
		p.logs[name+" previous"] = previous
		state.RestartCount, state.LastTerminationState.Terminated = 1, &corev1.ContainerStateTerminated{ExitCode: 1}
	}
	if log == "" {
		state.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	}
	p.list = append(p.list, corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: clustertest.System, Name: name,
			Annotations: map[string]string{"kubectl.kubernetes.io/default-container": "controller"},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "proxy"}, {Name: "controller"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "proxy"}, state}},
	})
}

// logLine is a line of the controller's log about the resource, some seconds after noon.
func logLine(second int, message string) string {
	return fmt.Sprintf(`{"level":"info","ts":"2026-01-02T12:00:%02dZ","msg":%q,"object":"Thing.cloud.landbridge.io","namespace":"default","name":"web"}`+"\n", second, message)
}

// The log of the pods is read with the Role for it, in the order of time, and refused otherwise.
func TestLogsOfPods(t *testing.T) {
	t.Parallel()
	o := newOperated(t)
	logs := func(args ...string) (out, said string, err error) {
		return run(t, append([]string{"logs", "thing/web", "--kubeconfig", o.kubeconfig}, args...)...)
	}
	const ask = " in namespace landbridge-system. Ask for the Role landbridge-logs in that namespace " +
		"(rbac.logReaders of the chart), or name a file with --file"
	refused := func(want string, args ...string) {
		t.Helper()
		if out, said, err := logs(args...); out != "" || err == nil || err.Error() != want {
			t.Errorf("got %v, want %s\n%s%s", err, want, out, said)
		}
	}
	refused("you may not list pods" + ask)
	refused("you may not list pods"+ask, "-f")
	o.make(t, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: "lists"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"},
		}},
	})
	o.permit(t, "lists")
	waittest.Eventually(t, "pods may be listed", func(context.Context) bool {
		_, _, err := logs()
		return err != nil && !strings.Contains(err.Error(), "may not")
	})
	refused("namespace landbridge-system has no pods with the labels app.kubernetes.io/name=landbridge. Name the " +
		"controller's namespace with --system-namespace, or its log with --file")
	o.pods.add("landbridge-c", "", "")
	refused("no container of the controller's pods in namespace landbridge-system has started. See why: kubectl get pods -n landbridge-system")
	o.pods.add("landbridge-a", logLine(2, "two")+logLine(5, "five"), logLine(1, "one"))
	o.pods.add("landbridge-b", logLine(3, "three")+logLine(4, "four")+logLine(6, "six"), "")
	refused("you may not read the log of pods" + ask)
	refused("you may not read the log of pods"+ask, "-f")

	o.permit(t, "landbridge-logs")
	told := func(numbers ...string) (out string) {
		for _, n := range numbers {
			second := map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}[n]
			out += fmt.Sprintf("2026-01-02 12:00:%02d.000  %s\n", second, n)
		}
		return out
	}
	all := told("one", "two", "three", "four", "five", "six")
	waittest.Eventually(t, "the log may be read", func(context.Context) bool { _, _, err := logs(); return err == nil })
	if out, said, err := logs(); err != nil || out != all || said != "" {
		t.Errorf("%v, %s\n%s", err, said, cmp.Diff(all, out))
	}

	// A pod whose log is gone is left out, and one of another resource says nothing.
	o.pods.add("landbridge-d", "gone", "")
	delete(o.pods.logs, "landbridge-d")
	const gone = `The log of pod landbridge-d is left out: container "controller" in pod "landbridge-d" is not available.`
	if out, said, err := logs(); err != nil || out != all || strings.TrimSpace(said) != gone {
		t.Errorf("%v, %s\n%s", err, said, cmp.Diff(all, out))
	}

	// A pod that comes later is followed, too.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, w := io.Pipe()
	root := newRootCommand()
	root.SetArgs([]string{"logs", "thing/web", "-f", "--kubeconfig", o.kubeconfig})
	root.SetOut(w)
	root.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx); w.Close() }()
	got := make([]byte, len(all))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != all {
		t.Errorf("%v\n%s", err, cmp.Diff(all, string(got)))
	}
	o.pods.add("landbridge-e", logLine(7, "seven"), "")
	got = make([]byte, len(told("seven")))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != told("seven") {
		t.Errorf("%v\n%s", err, got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("after Ctrl-C: %s", err)
	}

	// A control plane without nodes has no pods at all.
	if _, _, err := run(t, "logs", "thing/web", "-n", "default", "--kubeconfig", o.server.Kubeconfig); err == nil ||
		err.Error() != "the cluster has no pods. Name the controller's log with --file" {
		t.Errorf("got %v", err)
	}
}

// explain names the replica that works on a resource with the Role for it, and says what may not be
// read otherwise.
func TestExplainReplicas(t *testing.T) {
	t.Parallel()
	o := newOperated(t)
	now := metav1.NowMicro()
	for name, holder := range map[string]string{
		"landbridge.landbridge.io":         "replicas with 2 shards, by configuration and type",
		"shard-0.landbridge.landbridge.io": "landbridge-a_1", "shard-1.landbridge.landbridge.io": "landbridge-b_2",
	} {
		o.make(t, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: name}, Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, RenewTime: &now, LeaseDurationSeconds: ptr.To[int32](3600),
		}})
	}
	o.make(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: "landbridge-shards"}, Data: map[string][]byte{
		"table.json": []byte(
			`{"serial":1,"shards":2,"configurations":{"cloud.landbridge.io/ClusterProviderConfig//default":{"shard":1,"content":"hash"}}}`,
		),
	}})
	explained := func(parts ...string) bool {
		out, said, err := run(t, "explain", "thing/web", "--kubeconfig", o.kubeconfig)
		if err != nil {
			t.Fatal(err, said)
		}
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Logf("%q is not in\n%s", part, out)
				return false
			}
		}
		return true
	}
	if !explained("controller: Unknown\n", "Whether it runs is not known: you may not list Leases in namespace landbridge-system.") {
		t.Error("without a permission")
	}
	o.make(t, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: "leases"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"list"},
		}},
	})
	o.permit(t, "leases")
	waittest.Eventually(t, "Leases are enough to know the shards", func(context.Context) bool {
		return explained("controller: Ready\n", "All 2 shards have a replica. Which shard it belongs to is not "+
			"known: you may not get the Secret landbridge-shards in namespace landbridge-system.")
	})
	o.permit(t, "landbridge-replicas")
	waittest.Eventually(t, "the Role is enough to know the replica", func(context.Context) bool {
		return explained("   └─ shard 1 (of ClusterProviderConfig default): Ready\n", "         landbridge-b works on it.\n")
	})
}

// --watch explains the resource again when something has changed, and ends when it is ready.
func TestExplainWatch(t *testing.T) {
	t.Parallel()
	o := newOperated(t)
	r, w := io.Pipe()
	root := newRootCommand()
	root.SetArgs([]string{"explain", "thing/web", "--watch", "--kubeconfig", o.kubeconfig})
	root.SetOut(w)
	root.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(t.Context()); w.Close() }()
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(r); in.Scan(); {
			lines <- in.Text()
		}
	}()
	shown := 0 // explanations
	expect := func(want string) {
		t.Helper()
		for late := time.After(time.Minute); ; {
			select {
			case <-late:
				t.Fatalf("never: %s", want)
			case line, ok := <-lines:
				switch {
				case line == want:
					return
				case !ok:
					t.Fatalf("it ended before: %s", want)
				case strings.HasPrefix(line, "└─ controller: "):
					shown++
				}
			}
		}
	}
	conditions := func(ready string) {
		t.Helper()
		at := time.Now().UTC().Format(time.RFC3339)
		waittest.Eventually(t, "the status is written", func(context.Context) bool {
			u := o.thing.DeepCopy()
			if o.Get(t.Context(), client.ObjectKeyFromObject(u), u) != nil {
				return false
			}
			_ = unstructured.SetNestedSlice(u.Object, []any{
				map[string]any{"type": "Ready", "status": ready, "reason": "Available", "lastTransitionTime": at},
				map[string]any{
					"type": "Synced", "status": ready, "reason": "ReconcileError",
					"message": "create failed: no quota", "lastTransitionTime": at,
				},
			}, "status", "conditions")
			_ = unstructured.SetNestedField(u.Object, u.GetGeneration(), "status", "observedGeneration")
			return o.Status().Update(t.Context(), u) == nil
		})
	}
	expect("Thing default/web: Unseen")
	time.Sleep(3 * time.Second) // in which nothing changes
	conditions("False")
	expect("Thing default/web is not ready, and is tried again: create failed: no quota.")
	expect("  landbridge retry thing.cloud.landbridge.io/web -n default")
	conditions("True")
	expect("Thing default/web is ready.")
	expect("Nothing has to be done.")
	for range lines {
	}
	if err := <-ended; err != nil || shown > 4 {
		t.Errorf("%d explanations, %v", shown, err)
	}
}
