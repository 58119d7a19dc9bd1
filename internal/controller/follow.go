package controller

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// follower makes writes of what is not of one shard dry runs: CRDs, ClusterRoles, admission
// policies, and the status of Landbridge's own kinds but ResourceQueries, which belong to the shard
// of their provider configuration. The holder of the first shard, which leads, makes them. The
// controllers of other shards so have the same code as the leader's.
type follower struct{ next http.RoundTripper }

// clusterWide are the API groups whose objects only the leader writes.
var clusterWide = []string{"apiextensions.k8s.io", "admissionregistration.k8s.io", "rbac.authorization.k8s.io", v1alpha1.Group}

// RoundTrip implements http.RoundTripper.
func (f follower) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isClusterWide(r.URL.Path) {
		return f.next.RoundTrip(r)
	}
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		r = r.Clone(r.Context())
		query := r.URL.Query()
		query.Set("dryRun", metav1.DryRunAll)
		r.URL.RawQuery = query.Encode()
	case http.MethodDelete: // its body has precedence over the query
		if r.Body != nil {
			r.Body.Close()
		}
		return &http.Response{
			Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   io.NopCloser(bytes.NewReader([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))),
		}, nil
	}
	return f.next.RoundTrip(r)
}

// isClusterWide reports whether only the leader writes what is at a path.
func isClusterWide(path string) bool {
	if !slices.ContainsFunc(clusterWide, func(group string) bool { return strings.HasPrefix(path, "/apis/"+group+"/") }) {
		return false
	}
	parts := strings.Split(path, "/") // /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/…
	return len(parts) < 7 || parts[4] != "namespaces" || parts[6] != "resourcequeries"
}

// WrappedRoundTripper lets client-go find the transport beneath.
func (f follower) WrappedRoundTripper() http.RoundTripper { return f.next }
