package plugin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// logged returns a log line of a provider's SDK about an ApplyResourceChange call.
func logged(level, module, typeName, message string) string {
	return fmt.Sprintf(`{"@level":%q,"@message":%q,"@module":%q,"@timestamp":"2026-01-02T03:04:05.678Z","tf_provider_addr":"provider",`+
		`"tf_req_id":"0b2c","tf_resource_type":%q,"tf_rpc":"ApplyResourceChange"}`, level, message, module, typeName)
}

func TestProgress(t *testing.T) {
	cases := map[string]struct {
		calls []string // types of the calls in flight
		line  string
		want  []string // what is told, as "call: text"
	}{
		"information":              {[]string{"a"}, logged("info", "provider", "a", "Waiting"), []string{"0 a: Waiting"}},
		"a warning of a subsystem": {[]string{"a"}, logged("warn", "provider.cloud", "a", "Waiting"), []string{"0 a: Waiting"}},
		"of one of two types":      {[]string{"a", "b"}, logged("info", "provider", "b", "Waiting"), []string{"1 b: Waiting"}},
		"of one of two of a type":  {[]string{"a", "a"}, logged("info", "provider", "a", "Waiting"), nil},
		"without a subscriber":     {nil, logged("info", "provider", "a", "Waiting"), nil},
		"of a call that reads": {
			[]string{"a"},
			strings.ReplaceAll(logged("info", "provider", "a", "Waiting"), "ApplyResourceChange", "ReadResource"), nil,
		},
		"of no call":                  {[]string{"a"}, `{"@level":"info","@message":"Waiting","@module":"provider"}`, nil},
		"for debugging":               {[]string{"a"}, logged("debug", "provider", "a", "GET /v1/things"), nil},
		"an error, which is answered": {[]string{"a"}, logged("error", "provider", "a", "no"), nil},
		"the SDK's":                   {[]string{"a"}, logged("info", "sdk.framework", "a", "Calling"), nil},
		"plain text":                  {[]string{"a"}, "2026/01/02 03:04:05 [INFO] Waiting", nil},
		"a secret of the provider": {
			[]string{"a"}, logged("info", "provider", "a", "with hunter22 of course"), []string{
				"0 a: with (sensitive value) of course",
			},
		},
		"several lines": {[]string{"a"}, logged("info", "provider", "a", "one\n  two"), []string{"0 a: one two"}},
		"as long as it likes": {
			[]string{"a"}, logged("info", "provider", "a", strings.Repeat("ä", 150)), []string{
				"0 a: " + strings.Repeat("ä", 100) + "…",
			},
		},
		"one who does not want to know": {[]string{"-a"}, logged("info", "provider", "a", "Waiting"), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			tells := make([]plugin.Call, 0, len(tc.calls))
			for i, typeName := range tc.calls {
				call := plugin.Call{TypeName: strings.TrimPrefix(typeName, "-")}
				if call.TypeName == typeName {
					call.Tell = func(text string) { got = append(got, fmt.Sprintf("%d %s: %s", i, typeName, text)) }
				}
				tells = append(tells, call)
			}
			plugin.Progress(tells, []string{"hunter22"}, tc.line)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}
