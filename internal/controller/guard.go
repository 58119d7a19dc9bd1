package controller

import (
	"crypto/sha256"
	"crypto/tls"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	// admittedFor is how long a permission is remembered.
	admittedFor = time.Minute
	// admittedMax bounds how many are.
	admittedMax = 1000
)

// metricsOptions returns the options of the metrics endpoint: HTTPS for those that the API server
// permits to get /metrics, or plain HTTP for anybody.
func metricsOptions(o Options) metricsserver.Options {
	out := metricsserver.Options{BindAddress: o.MetricsAddress}
	if o.SecureMetrics {
		out.SecureServing, out.FilterProvider = true, guardMetrics
		out.CertDir = o.MetricsCertificates
		// HTTP/2 has had ways to exhaust a server that need no permission.
		out.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }}
	}
	return out
}

// guardMetrics returns a filter that asks the API server who sends a request, and whether they may.
// It does what controller-runtime's WithAuthenticationAndAuthorization does, which would link most
// of the API server's libraries.
func guardMetrics(config *rest.Config, client *http.Client) (metricsserver.Filter, error) {
	tokens, err := authentication.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	access, err := authorization.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	return func(log logr.Logger, next http.Handler) (http.Handler, error) {
		return &guard{tokens: tokens.TokenReviews(), access: access.SubjectAccessReviews(), log: log, next: next}, nil
	}, nil
}

// guard admits requests with a token whose user may use the path.
type guard struct {
	tokens authentication.TokenReviewInterface
	access authorization.SubjectAccessReviewInterface
	log    logr.Logger
	next   http.Handler

	mu sync.Mutex
	// admitted has until when requests are admitted without asking again. Tokens are not kept.
	admitted map[[sha256.Size]byte]time.Time
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		http.Error(w, "a bearer token is required", http.StatusUnauthorized)
		return
	}
	key := sha256.Sum256([]byte(r.Method + " " + r.URL.Path + " " + token))
	if !g.known(key) {
		if status, text := g.ask(r, token); status != http.StatusOK {
			http.Error(w, text, status)
			return
		}
		g.remember(key)
	}
	g.next.ServeHTTP(w, r)
}

// ask returns the status that a request deserves.
func (g *guard) ask(r *http.Request, token string) (status int, text string) {
	who, err := g.tokens.Create(r.Context(), &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token},
	}, metav1.CreateOptions{})
	if err != nil {
		g.log.Error(err, "Cannot determine who asks for metrics")
		return http.StatusInternalServerError, "authentication failed"
	}
	if !who.Status.Authenticated {
		return http.StatusUnauthorized, "the token is not valid"
	}
	user := who.Status.User
	extra := map[string]authorizationv1.ExtraValue{}
	for k, v := range user.Extra {
		extra[k] = authorizationv1.ExtraValue(v)
	}
	may, err := g.access.Create(r.Context(), &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: r.URL.Path, Verb: strings.ToLower(r.Method)},
	}}, metav1.CreateOptions{})
	switch {
	case err != nil:
		g.log.Error(err, "Cannot determine who may get metrics")
		return http.StatusInternalServerError, "authorization failed"
	case !may.Status.Allowed || may.Status.Denied:
		return http.StatusForbidden, "not permitted to " + strings.ToLower(r.Method) + " " + r.URL.Path
	}
	return http.StatusOK, ""
}

func (g *guard) known(key [sha256.Size]byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Before(g.admitted[key])
}

func (g *guard) remember(key [sha256.Size]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.admitted) >= admittedMax || g.admitted == nil {
		g.admitted = map[[sha256.Size]byte]time.Time{}
	}
	g.admitted[key] = time.Now().Add(admittedFor)
}
