package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// protocol6 is a part of the protocol, with places for additions.
const protocol6 = `syntax = "proto3";
package tfplugin6;
service Provider {
  rpc PlanResourceChange(PlanResourceChange.Request) returns (PlanResourceChange.Response);
  rpc StopProvider(StopProvider.Request) returns (StopProvider.Response);
  CALL
}
message DynamicValue { bytes msgpack = 1; bytes json = 2; }
message StopProvider { message Request {} message Response { string Error = 1; } }
message Deferred {
  enum Reason { UNKNOWN = 0; RESOURCE_CONFIG_UNKNOWN = 1; PROVIDER_CONFIG_UNKNOWN = 2; ABSENT_PREREQ = 3; VALUE }
  Reason reason = 1;
}
message PlanResourceChange {
  message Request { string type_name = 1; DynamicValue prior_state = 2; KIND prior_private = 5; bytes planned_private = 9; FIELD }
  message Response { DynamicValue planned_state = 1; Deferred deferred = 6; }
}
`

func TestRun(t *testing.T) {
	for name, test := range map[string]struct {
		replace []string
		want    []string
	}{
		"nothing": {want: []string{"contract drift: 2 calls, 6 messages, 0 missing"}},
		"a field": {
			[]string{"FIELD", "bool hurry = 10;"},
			[]string{
				"protocol 6: field PlanResourceChange.Request.hurry (10)",
				"contract drift: 2 calls, 6 messages, 1 missing",
			},
		},
		"another type": {
			[]string{"KIND", "int64"}, []string{
				"protocol 6: field PlanResourceChange.Request.prior_private (5): it is of the type int64",
				"contract drift: 2 calls, 6 messages, 1 missing",
			},
		},
		"several values": {
			[]string{"FIELD", "repeated bytes private = 9;", "bytes planned_private = 9;", ""},
			[]string{
				"protocol 6: field PlanResourceChange.Request.private (9): it is of the type bytes",
				"contract drift: 2 calls, 6 messages, 1 missing",
			},
		},
		"a value": {
			[]string{"VALUE", "TIRED = 4;"},
			[]string{"protocol 6: value Deferred.Reason.TIRED (4)", "contract drift: 2 calls, 6 messages, 1 missing"},
		},
		"a call": {[]string{"CALL", "rpc Dance(StopProvider.Request) returns (StopProvider.Response);"},
			[]string{"protocol 6: call Dance", "contract drift: 2 calls, 6 messages, 1 missing"}},
		"deprecated": {[]string{"FIELD", "bool hurry = 10 [deprecated = true];"}, []string{"contract drift: 2 calls, 6 messages, 0 missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			content := strings.NewReplacer(append(test.replace, "FIELD", "", "VALUE", "", "CALL", "", "KIND", "bytes")...).Replace(protocol6)
			for file, text := range map[string]string{
				"tfplugin6.proto": content,
				"tfplugin5.proto": "syntax = \"proto3\";\npackage tfplugin5;\nservice Provider {}\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			missing, err := run(t.Context(), dir, &out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" || missing != len(test.want)-1 {
				t.Errorf("missing %d; -want, +got:\n%s", missing, diff)
			}
		})
	}
}
