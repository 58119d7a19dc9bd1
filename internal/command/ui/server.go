package ui

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

// apiPrefix is before the addresses of the API.
const apiPrefix = "/api/v1/"

// maxBody bounds what a form may send, in bytes.
const maxBody = 1 << 20

// Options says what the page is about.
type Options struct {
	// Config has the person's permissions.
	Config *rest.Config
	// Namespace is that of the person's context. System is that of the controller.
	Namespace, System string
	// Namespaces are further ones that are looked at if the person may not list namespaces.
	Namespaces []string
	// Program does what needs providers on the person's machine; nil if there is none.
	Program *Program
}

// Server is the page.
type Server struct {
	secrets
	index    *Index
	client   *status.Client
	reader   *explain.Reader
	follower *follower
	streams  chan struct{}
	ended    chan struct{}
	opened   atomic.Uint64 // pages
	now      func() time.Time
	records  func(context.Context) ([]state.History, error)
	// timeline reads the change record of a resource.
	timeline func(context.Context, explain.Key) *Timeline
	// program runs commands, at most maxCommands at the same time. namespace is the person's.
	program   *Program
	commands  chan struct{}
	namespace string
	// system is the namespace of the controller.
	system string
	// person is who has signed in; empty on the person's own machine.
	person string
}

// New returns the page of a cluster. It does not connect yet.
func New(o Options) (*Server, error) {
	c, err := status.NewClient(o.Config)
	if err != nil {
		return nil, err
	}
	reader, err := explain.NewReader(o.Config, o.System)
	if err != nil {
		return nil, err
	}
	index := NewIndex()
	f, err := newFollower(o.Config, index, c, reader, append([]string{o.Namespace}, o.Namespaces...))
	if err != nil {
		return nil, err
	}
	out := newServer(index)
	stored, err := state.Open(o.Config, o.System)
	if err != nil {
		return nil, err
	}
	out.client, out.reader, out.follower, out.program, out.namespace, out.system = c, reader, f, o.Program, o.Namespace, o.System
	of := &records{secrets: stored.Stored.Client, now: out.now, ended: out.ended}
	out.records, out.timeline = of.all, of.of
	return out, nil
}

func newServer(index *Index) *Server {
	return &Server{
		secrets: newSecrets(), index: index, streams: make(chan struct{}, maxStreams), ended: make(chan struct{}),
		now: time.Now, commands: make(chan struct{}, maxCommands),
	}
}

// Address is where a person opens the page, with the token.
func (s *Server) Address(l net.Listener) string {
	return "http://" + l.Addr().String() + "/?token=" + s.token
}

// Serve serves the page until ctx ends. The listener must be one of this machine alone.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return fmt.Errorf("the page is for this machine alone: %s is not a loopback address", l.Addr())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	followed := make(chan struct{})
	go func() { defer close(followed); s.follower.run(ctx) }()
	server := newHTTPServer(ctx, s.Handler(l.Addr().String()))
	stop := context.AfterFunc(ctx, func() {
		close(s.ended)
		shutDown(server)
	})
	defer stop()
	err := server.Serve(l)
	cancel()
	<-followed
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// newHTTPServer returns a server whose requests end with ctx.
func newHTTPServer(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx },
	}
}

// shutDown gives requests a second to end.
func shutDown(server *http.Server) {
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
}

// view is a view of the page, and of the API.
type view struct {
	// name is that of the template, and of the API below its prefix. path is behind it in both.
	name, path string
	// at is the path of the page; "" if it is name and path.
	at string
	// of is the type of the model, and summary what it is. query are the parameters.
	of      reflect.Type
	summary string
	query   []string
	model   func(*http.Request) (title string, model any, _ error)
}

const object = "/{kind}/{namespace}/{name}"

func (s *Server) views() []view {
	return []view{
		{
			name: "attention", at: "/{$}", of: reflect.TypeFor[Attention](),
			summary: "What needs attention, the most urgent first.", model: s.needsAttention,
		},
		{
			name: "estate", of: reflect.TypeFor[Estate](), summary: "All objects that a filter selects.",
			query: append(slices.Clone(fields), "page"), model: s.estate,
		},
		{name: "resources", path: object, of: reflect.TypeFor[Resource](), summary: "One object.", model: s.resource},
		{
			name: "dependencies", path: object, of: reflect.TypeFor[Dependencies](),
			summary: "What an object depends on, and what depends on it.", model: s.dependencies,
		},
		{name: "search", of: reflect.TypeFor[Search](), summary: "The objects that have a text.", query: []string{"q"}, model: s.search},
		{name: "plans", of: reflect.TypeFor[Plans](), summary: "The plans that wait for approval.", model: s.plans},
		{name: "providers", of: reflect.TypeFor[Providers](), summary: "The providers, with configurations and kinds.", model: s.providers},
		{
			name: "upgrades", of: reflect.TypeFor[Upgrades](),
			summary: "The newer versions of providers; with plan=NAME, what landbridge upgrade plan finds.",
			query:   []string{"plan"}, model: s.upgrades,
		},
		{
			name: "import", of: reflect.TypeFor[Import](), summary: "The objects of a resource type that exist, and " +
				"who manages them.",
			query: []string{"type"}, model: s.imports,
		},
		{
			name: "figures", of: reflect.TypeFor[Figures](),
			summary: "What the change records tell of the last day, by the hour.", model: s.figures,
		},
	}
}

// Handler returns the page as it is served at an address, such as 127.0.0.1:8080.
func (s *Server) Handler(address string) http.Handler {
	return newGuard(s.secrets, address, s.mux())
}

// mux returns the page, without what decides who may see it.
func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	for _, v := range s.views() {
		at := v.at
		if at == "" {
			at = "/" + v.name + v.path
		}
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
			version, _ := s.index.Version()
			title, model, err := v.model(r)
			s.write(w, r, page{View: v.name, Title: title, Version: version, Model: model}, err)
		})
		mux.HandleFunc("GET "+apiPrefix+v.name+v.path, func(w http.ResponseWriter, r *http.Request) {
			_, model, err := v.model(r)
			writeJSON(w, model, err)
		})
	}
	mux.HandleFunc("POST /plans/approve", s.approve)
	mux.HandleFunc("POST /import/manifests", s.manifests)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET "+apiPrefix+"openapi.json", s.openAPI)
	mux.Handle("GET /static/", http.FileServerFS(static))
	return http.MaxBytesHandler(mux, maxBody)
}

func (s *Server) needsAttention(*http.Request) (string, any, error) {
	return "Needs attention", AttentionOf(s.index.Content(), s.now()), nil
}

func (s *Server) estate(r *http.Request) (string, any, error) {
	return "Estate", EstateOf(s.index.Content(), filterOf(r.URL.Query())), nil
}

func (s *Server) dependencies(r *http.Request) (string, any, error) {
	c, snapshot, err := s.readSnapshot(r.Context(), r.PathValue("kind"), r.PathValue("namespace"), r.PathValue("name"))
	if err != nil {
		return r.PathValue("name"), nil, err
	}
	leftOut := s.reader.Add(r.Context(), snapshot, keysOf(c.Users().Of(snapshot.Subject)))
	return "Dependencies of " + snapshot.Subject.String(), DependenciesOf(c, snapshot, leftOut), nil
}

func (s *Server) search(r *http.Request) (string, any, error) {
	return "Search", SearchIn(s.index.Content(), r.URL.Query().Get("q")), nil
}

func (s *Server) plans(*http.Request) (string, any, error) {
	return "Plans", PlansOf(s.index.Content()), nil
}

func (s *Server) providers(*http.Request) (string, any, error) {
	return "Providers", ProvidersOf(s.index.Content()), nil
}

var (
	//go:embed static
	static embed.FS
	//go:embed *.html
	pages embed.FS
)

// templates are those of views, with the layout.
var templates = func() map[string]*template.Template {
	out := map[string]*template.Template{}
	functions := template.FuncMap{"mark": mark, "slug": slug}
	for _, name := range []string{
		"attention", "estate", "resources", "dependencies", "search", "plans", "providers", "upgrades", "import",
		"manifests", "figures", "login", "error",
	} {
		out[name] = template.Must(template.New("").Funcs(functions).ParseFS(pages, "layout.html", "parts.html", name+".html"))
	}
	return out
}()

// slug returns a text as a part of a class: its letters, in lower case.
func slug(s any) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(fmt.Sprint(s)))
}

// mark is the shape that tells a health without colours.
func mark(h status.Health) string {
	if m := marks[h]; m != "" {
		return m
	}
	return "?"
}

var marks = map[status.Health]string{
	status.Ready: "✓", status.Paused: "‖", status.Changing: "↻", status.Unseen: "○", status.Waiting: "◆",
	status.Retrying: "△", status.Failed: "✕",
}

// page is what the layout needs.
type page struct {
	View, Title string
	// Path is the address of the view, with its query.
	Path    string
	Version uint64
	// Number tells pages apart: a browser has requests for one address wait for each other.
	Number uint64
	// Form is the secret of forms.
	Form  string
	Query string
	Model any
	// Results are what became of approvals.
	Results []Result
	// Person is who has signed in.
	Person string
}

// Still reports whether the view does not follow the cluster.
func (p page) Still() bool {
	m, ok := p.Model.(interface{ Still() bool })
	return ok && m.Still()
}

// Current returns the view's mark in the navigation.
func (p page) Current(view string) string {
	if p.View == view {
		return "page"
	}
	return "false"
}

// write writes a view as HTML: as a whole page, or if htmx asks for it anew, the view alone.
func (s *Server) write(w http.ResponseWriter, r *http.Request, p page, err error) {
	code := http.StatusOK
	if err != nil {
		code = statusOf(err)
		p.View, p.Model = "error", err.Error()
	}
	p.Number = s.opened.Add(1)
	p.Person = s.person
	p.Path, p.Form, p.Query = r.URL.RequestURI(), s.form, r.URL.Query().Get("q")
	if r.Method != http.MethodGet {
		p.Path = "/plans"
	}
	name := "layout"
	if r.Header.Get("HX-Request") != "" {
		name = "view"
	}
	var out bytes.Buffer
	if err := templates[p.View].ExecuteTemplate(&out, name, p); err != nil {
		http.Error(w, "The view cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = out.WriteTo(w) // the browser is gone
}

func writeJSON(w http.ResponseWriter, model any, err error) {
	if err != nil {
		writeError(w, statusOf(err), err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(model) // the reader is gone
}

// Error is the answer of the API if there is no view.
type Error struct {
	Error string `json:"error"`
}

func writeError(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(Error{text}) // the reader is gone
}

// statusOf returns the status of an answer with an error: the cluster's, if it refuses something.
func statusOf(err error) int {
	switch {
	case kerrors.IsNotFound(err):
		return http.StatusNotFound
	case kerrors.IsForbidden(err), kerrors.IsUnauthorized(err):
		return http.StatusForbidden
	default:
		return http.StatusBadGateway
	}
}
