package providerconfig

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// defaultLifetime is the lifetime of tokens that have none of their own.
const defaultLifetime = time.Hour

// IssuedToken is a token of a ServiceAccount.
type IssuedToken struct {
	Value   string
	Expires time.Time
}

// TokenRequester requests a token of a ServiceAccount.
type TokenRequester func(ctx context.Context, namespace, name string, audiences []string, lifetime time.Duration) (IssuedToken, error)

// RequestTokens returns a TokenRequester that asks the API server.
func RequestTokens(c client.Client) TokenRequester {
	return func(ctx context.Context, namespace, name string, audiences []string, lifetime time.Duration) (IssuedToken, error) {
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
			Audiences: audiences, ExpirationSeconds: ptr.To(int64(lifetime / time.Second)),
		}}
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		err := c.SubResource("token").Create(ctx, account, request)
		switch {
		case kerrors.IsNotFound(err):
			return IssuedToken{}, errors.New("there is no such ServiceAccount")
		case kerrors.IsForbidden(err):
			return IssuedToken{}, fmt.Errorf("the controller may not: bind the ClusterRole landbridge-tokens to it in namespace %s", namespace)
		case err != nil:
			return IssuedToken{}, err
		}
		return IssuedToken{Value: request.Status.Token, Expires: request.Status.ExpirationTimestamp.Time}, nil
	}
}

// tokenSpec is an entry of spec.serviceAccountTokens. That of a ProviderConfig has the namespace of
// the configuration.
type tokenSpec = managed.ClusterServiceAccountToken

// tokenSpecs reads spec.serviceAccountTokens.
func tokenSpecs(of Reference, spec map[string]any, l provider.Launcher) ([]tokenSpec, error) {
	raw, given := spec[model.ServiceAccountTokens]
	if !given || raw == nil {
		return nil, nil
	}
	var in struct {
		Tokens []tokenSpec `json:"serviceAccountTokens"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{model.ServiceAccountTokens: raw}, &in); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	variables := map[string]bool{}
	for i, t := range in.Tokens {
		if of.Namespace != "" {
			in.Tokens[i].ServiceAccountReference.Namespace = of.Namespace // a namespaced configuration has tokens of its own namespace only
		}
		if t.Env != "" && t.FileEnv != "" {
			return nil, fmt.Errorf("the token %s has both env and fileEnv; use one of them", t.Name)
		}
		variable := t.Env + t.FileEnv
		if variable == "" {
			continue
		}
		private, ok := l.(provider.PrivateLauncher)
		switch {
		case !ok:
			return nil, fmt.Errorf("the provider of the token %s is linked into the controller and has no "+
				"environment of its own; use $(tokenFile.%s) in an argument", t.Name, t.Name)
		case private.Reserved(variable):
			return nil, fmt.Errorf("the environment variable %s of the token %s is reserved, or set by the "+
				"TerraformProvider; use another one", variable, t.Name)
		case variables[variable]:
			return nil, fmt.Errorf("two tokens have the environment variable %s; use another one", variable)
		}
		variables[variable] = true
	}
	return in.Tokens, nil
}

func lifetime(t tokenSpec) time.Duration {
	if t.ExpirationSeconds == nil {
		return defaultLifetime
	}
	return time.Duration(*t.ExpirationSeconds) * time.Second
}

// placeholder stands in arguments for the path of the file with a token.
func placeholder(name string) string { return "$(tokenFile." + name + ")" }

// withFiles returns arguments with the paths of files in place of placeholders.
func withFiles(config cty.Value, paths map[string]string) (cty.Value, error) {
	var pairs []string
	for name, path := range paths {
		pairs = append(pairs, placeholder(name), path)
	}
	replacer := strings.NewReplacer(pairs...)
	return cty.Transform(config, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
			return v, nil
		}
		return cty.StringVal(replacer.Replace(v.AsString())), nil
	})
}
