package provider_test

import (
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// TestThrottled has the words of each cloud's own errors, as its provider passes them on.
func TestThrottled(t *testing.T) {
	for name, c := range map[string]struct {
		summary, detail string
		wait            time.Duration
	}{
		"AWS, EC2": {
			summary: "creating EC2 Instance: operation error EC2: RunInstances, https response error StatusCode: " +
				"503, RequestID: 3d0c5a52, api error RequestLimitExceeded: Request limit exceeded.",
		},
		"AWS, IAM": {
			summary: "reading IAM Role (x): operation error IAM: GetRole, exceeded maximum number of attempts, 25, " +
				"https response error StatusCode: 400, api error Throttling: Rate exceeded",
		},
		"AWS, most": {
			summary: "updating x",
			detail: "operation error SSM: PutParameter, failed to get rate limit token, https response error " +
				"StatusCode: 400, ThrottlingException: Rate exceeded",
		},
		"AWS, Lambda": {summary: "TooManyRequestsException: Rate Exceeded.\n{ RespMetadata: { StatusCode: 429 } }"},
		"AWS, S3": {
			summary: "putting S3 Bucket ACL: operation error S3: PutBucketAcl, https response error StatusCode: " +
				"503, api error SlowDown: Please reduce your request rate.",
		},
		"AWS, DynamoDB": {
			summary: "ProvisionedThroughputExceededException: The level of configured provisioned throughput for " +
				"the table was exceeded.",
		},
		"Azure, go-azure-sdk": {
			summary: "retrieving Resource Group \"x\": unexpected status 429 (429 Too Many Requests) with error: " +
				"SubscriptionRequestsThrottled: Number of 'read' requests for subscription '0' exceeded the limit " +
				"of '1' for time interval '00:00:01'. Please try again after '17' seconds.",
			wait: 17 * time.Second,
		},
		"Azure, autorest": {
			summary: "compute.VirtualMachinesClient#Get: Failure responding to request: StatusCode=429 -- Original " +
				"Error: autorest/azure: Service returned an error. Status=429 Code=\"OperationNotAllowed\" " +
				"Message=\"The server rejected the request because too many requests have been received for this " +
				"subscription.\" Retry-After: 300",
			wait: 5 * time.Minute,
		},
		"Google, rate": {summary: "Error reading Instance: googleapi: Error 403: Rate Limit Exceeded, rateLimitExceeded"},
		"Google, user": {summary: "googleapi: Error 403: User Rate Limit Exceeded, userRateLimitExceeded"},
		"Google, quota": {
			summary: "Error creating Address: googleapi: Error 429: Quota exceeded for quota metric 'Queries' and " +
				"limit 'Queries per minute' of service 'compute.googleapis.com'",
		},
		"Google, gRPC": {
			summary: "rpc error: code = ResourceExhausted desc = Quota exceeded for quota metric 'Admin requests' " +
				"and limit 'Admin requests per minute' of service 'spanner.googleapis.com'",
		},
		"Hetzner": {summary: "API request failed", detail: "limit of 3600 requests per hour reached (rate_limit_exceeded, 1f2e3d)"},
		"DigitalOcean": {
			summary: "Error retrieving droplet: GET https://api.digitalocean.com/v2/droplets/1: 429 (request " +
				"\"abc\") Too many requests",
		},
		"DigitalOcean, old": {summary: "GET https://api.digitalocean.com/v2/droplets: 429 API Rate limit exceeded."},
		"GitHub": {
			summary: "GET https://api.github.com/repos/x/y: 403 API rate limit exceeded for user ID 1. [rate " +
				"reset in 13m22s]",
		},
		"GitHub, secondary": {
			summary: "POST https://api.github.com/orgs/x/teams: 403 You have exceeded a secondary rate limit. " +
				"Please wait a few minutes before you try again. [retry after 58s]",
			wait: 58 * time.Second,
		},
		"Cloudflare": {
			summary: "failed to make http request",
			detail: "More than 1200 requests per 300 seconds reached. Please wait and consider throttling your " +
				"request speed (10100)",
		},
		"Okta":   {summary: "the API returned an error: E0000047: API call exceeded rate limit due to too many requests."},
		"Oracle": {summary: "429-TooManyRequests, Too many requests for the user"},
		"Alibaba": {
			summary: "[ERROR] terraform-provider-alicloud: [SDK alibaba-cloud-sdk-go ERROR]: SDK.ServerError " +
				"ErrorCode: Throttling.User Message: Request was denied due to user flow control.",
		},
		"OpenStack": {
			summary: "Error creating openstack_compute_instance_v2: Expected HTTP response code [200 202] when " +
				"accessing [POST https://x/servers], but got 429 instead",
		},
		"Datadog": {
			summary: "error getting monitor: 429 Too Many Requests: {\"errors\": [\"Rate limit of 100 requests in " +
				"60 seconds reached. Please try again later.\"]}",
		},
		"Vault": {
			summary: "error reading from Vault: Error making API request. URL: GET https://vault/v1/x Code: 429. " +
				"Errors: * request path \"x\": rate limit quota exceeded",
		},
		"Nutanix": {
			summary: "error while fetching VM: status: 429 TOO MANY REQUESTS, error-response: Request throttled, " +
				"retry in 500 ms",
			wait: 500 * time.Millisecond,
		},
		"a header": {
			summary: "unexpected response", detail: "HTTP/1.1 503 Service Unavailable\nRetry-After: 12\n",
			wait: 12 * time.Second,
		},
		"the bare status": {summary: "API error", detail: "HTTP 429"},
	} {
		t.Run(name, func(t *testing.T) {
			diags := diagnostic.Diagnostics{{Severity: diagnostic.Error, Summary: c.summary, Detail: c.detail}}
			if wait, ok := provider.Throttled(diags, provider.Said{}); !ok || wait != c.wait {
				t.Errorf("got %v, %s; want true, %s", ok, wait, c.wait)
			}
			diags[0].Severity = diagnostic.Warning
			if _, ok := provider.Throttled(diags, provider.Said{}); ok {
				t.Error("a warning does not slow calls down")
			}
		})
	}
}

func TestNotThrottled(t *testing.T) {
	for name, d := range map[string]diagnostic.Diagnostic{
		"an attribute of that name":   {Summary: "Invalid value", Detail: "throttling_burst_limit must be at least 0"},
		"a type of that name":         {Summary: "Error creating cloudflare_rate_limit: zone not found"},
		"a setting":                   {Summary: "rate_limit must be between 1 and 1000"},
		"about an attribute":          {Summary: "rate limit exceeded", Detail: "429 Too Many Requests", Attribute: cty.GetAttrPath("rate")},
		"a quota":                     {Summary: "googleapi: Error 403: Quota 'CPUS' exceeded. Limit: 24.0 in region us-east1., quotaExceeded"},
		"an account's limit":          {Summary: "api error VpcLimitExceeded: The maximum number of VPCs has been reached."},
		"a number":                    {Summary: "instance i-429 not found", Detail: "no object 429 in region 1429"},
		"something else to try again": {Summary: "conflict", Detail: "another operation is in progress, try again in 10 seconds"},
		"not found":                   {Summary: "StatusCode: 404, NotFound"},
		"slow":                        {Summary: "this slows down the database"},
		"nothing":                     {},
	} {
		d.Severity = diagnostic.Error
		if _, ok := provider.Throttled(diagnostic.Diagnostics{d}, provider.Said{}); ok {
			t.Errorf("%s: taken for throttling: %s", name, d.Summary)
		}
	}
}
