package provider_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// TestTroubleOf has the words of clouds and databases, as their providers pass them on.
func TestTroubleOf(t *testing.T) {
	for name, c := range map[string]struct {
		summary, detail string
		want            provider.Trouble
		words           string
	}{
		"PostgreSQL": {
			"error detecting capabilities",
			`error connecting to PostgreSQL server db (scheme: postgres): pq: password authentication failed for user "admin"`,
			provider.Unauthenticated, "password authentication failed",
		},
		"MySQL": {
			"failed to connect to MySQL",
			"Error 1045 (28000): Access denied for user 'root'@'10.0.0.1' (using password: YES)",
			provider.Unauthenticated, "Access denied for user",
		},
		"SQL Server": {
			"unable to open tcp connection", "mssql: Login failed for user 'sa'.", provider.Unauthenticated,
			"Login failed for user",
		},
		"AWS": {
			"reading EC2 VPC",
			"operation error EC2: DescribeVpcs, https response error StatusCode: 401, RequestID: 1, api error " +
				"AuthFailure: AWS was not able to validate the provided access credentials",
			provider.Unauthenticated, "StatusCode: 401",
		},
		"AWS, STS": {
			"api error InvalidClientTokenId: The security token included in the request is invalid.", "",
			provider.Unauthenticated, "InvalidClientTokenId",
		},
		"Google": {
			"Error reading Instance", "googleapi: Error 401: Request had invalid authentication credentials.",
			provider.Unauthenticated, "Error 401",
		},
		"gRPC": {"rpc error: code = Unauthenticated desc = token", "", provider.Unauthenticated, "code = Unauthenticated"},
		"HTTP": {"unexpected response", "GET https://x/y: 401 Unauthorized", provider.Unauthenticated, "401 Unauthorized"},
		"refused": {
			"creating database", `dial tcp 10.0.0.1:5432: connect: connection refused`, provider.Unreachable,
			"connection refused",
		},
		"no name":          {"reading", "dial tcp: lookup db.example.org on 10.0.0.2:53: no such host", provider.Unreachable, "no such host"},
		"starting":         {"pq: the database system is starting up", "", provider.Unreachable, "the database system is starting up"},
		"a permission":     {"creating", "AuthorizationFailed: The client does not have authorization to perform action", "", ""},
		"permission, HTTP": {"creating", "403 Forbidden", "", ""},
		"a number":         {"creating", "invalid size 401", "", ""},
		"not found":        {"reading", "404 Not Found", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			diags := diagnostic.Diagnostics{{Severity: diagnostic.Error, Summary: c.summary, Detail: c.detail}}
			if got, words := provider.TroubleOf(diags, provider.Said{}); got != c.want || words != c.words {
				t.Errorf("got %q, %q; want %q, %q", got, words, c.want, c.words)
			}
			diags[0].Attribute = cty.GetAttrPath("endpoint")
			if got, _ := provider.TroubleOf(diags, provider.Said{}); got != "" {
				t.Errorf("an error about an attribute is %q", got)
			}
		})
	}
}
