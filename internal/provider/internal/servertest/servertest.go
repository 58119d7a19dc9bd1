package servertest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
)

// own are the methods of provider.Server that are not calls.
var own = []string{"ProtocolVersion", "Schema", "Done", "Close"}

// only6 are the calls that protocol 5 does not have.
var only6 = []string{
	"ValidateStateStoreConfig", "ConfigureStateStore", "ReadStateBytes", "WriteStateBytes",
	"GetStates", "DeleteState", "LockState", "UnlockState",
}

// optional are the calls that a provider in Go need not implement.
var optional = append([]string{
	"ValidateListResourceConfig", "ListResource", "ValidateActionConfig", "PlanAction", "InvokeAction",
}, only6...)

// calls returns the names of all calls of the protocol.
func calls() []string {
	var out []string
	t := reflect.TypeFor[provider.Server]()
	for i := range t.NumMethod() {
		if name := t.Method(i).Name; !slices.Contains(own, name) {
			out = append(out, name)
		}
	}
	return out
}

// Walk makes every call of a server of testprovider.Walk or Walk5 and checks that request and
// answer arrive completely. file is the file with the provider's records.
func Walk(t *testing.T, s provider.Server, file string) {
	protocol := s.ProtocolVersion()
	for _, name := range calls() {
		t.Run(name, func(t *testing.T) {
			request, answer, err := call(t, s, name)
			if protocol == 5 && slices.Contains(only6, name) {
				if !provider.IsUnimplemented(err) {
					t.Fatalf("got error %v, want Unimplemented: protocol 5 does not have this call", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := expected(answer, name, protocol); cmp.Diff(want, answer, options...) != "" {
				t.Errorf("answer (-want +got):\n%s", cmp.Diff(want, answer, options...))
			}
			records, err := testprovider.Records(file)
			if err != nil {
				t.Fatal(err)
			}
			var got json.RawMessage
			for _, r := range records {
				if r.Method == name {
					got = r.Request
				}
			}
			want, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, want), decode(t, got)); diff != "" {
				t.Errorf("the provider got another request (-want +got):\n%s", diff)
			}
		})
	}
}

// Bare makes every call of a server of testprovider.Bare or Bare5 and checks that exactly the calls
// that the provider does not implement are rejected. terraform-plugin-go's server rejects some of
// them with an error diagnostic.
func Bare(t *testing.T, s provider.Server) {
	for _, name := range calls() {
		t.Run(name, func(t *testing.T) {
			_, answer, err := call(t, s, name)
			raw, jsonErr := json.Marshal(answer)
			if jsonErr != nil {
				t.Fatal(jsonErr)
			}
			refused := provider.IsUnimplemented(err) || bytes.Contains(raw, []byte(`"Severity":1`))
			if lacks := slices.Contains(optional, name); refused != lacks {
				t.Errorf("got %s and error %v; rejection expected: %v", raw, err, lacks)
			}
		})
	}
}

// Gone makes every call of a server that has ended and checks that each fails with Unavailable, and
// that no call was sent.
func Gone(t *testing.T, s provider.Server) {
	for _, name := range calls() {
		_, _, err := call(t, s, name)
		switch {
		case provider.IsUnimplemented(err):
		case !provider.IsUnavailable(err) || !provider.IsNotSent(err):
			t.Errorf("%s: got error %v, want Unavailable, and that the call was not sent", name, err)
		}
	}
}

// call makes one call by name, with a filled request, and reads streams to the end.
func call(t *testing.T, s provider.Server, name string) (request, answer any, err error) {
	t.Helper()
	method := reflect.ValueOf(s).MethodByName(name)
	in := fill(method.Type().In(1).Elem(), s.ProtocolVersion(), "request")
	if m, ok := in.Interface().(*tfprotov6.MoveResourceStateRequest); ok {
		// terraform-plugin-go's own server drops it.
		m.SourceIdentitySchemaVersion = 0
	}
	if w, ok := in.Interface().(*tfprotov6.WriteStateBytesStream); ok {
		chunks := []*tfprotov6.WriteStateBytesChunk{
			testprovider.Fill[tfprotov6.WriteStateBytesChunk](6, "one"), testprovider.Fill[tfprotov6.WriteStateBytesChunk](6, "two"),
		}
		w.Chunks = func(yield func(*tfprotov6.WriteStateBytesChunk, []*tfprotov6.Diagnostic) bool) {
			for _, c := range chunks {
				if !yield(c, nil) {
					return
				}
			}
		}
		request = chunks
	} else {
		request = in.Interface()
	}
	out := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), in})
	if e, _ := out[1].Interface().(error); e != nil {
		return request, nil, e
	}
	answer = out[0].Interface()
	switch a := answer.(type) {
	case *tfprotov6.ListResourceServerStream:
		answer = slices.Collect(a.Results)
	case *tfprotov6.InvokeActionServerStream:
		answer = slices.Collect(a.Events)
	case *tfprotov6.ReadStateBytesStream:
		answer = slices.Collect(a.Chunks)
	}
	return request, answer, nil
}

func expected(answer any, name string, protocol int) any {
	switch answer.(type) {
	case []tfprotov6.ListResourceResult:
		return testprovider.ListResults(protocol)
	case []tfprotov6.InvokeActionEvent:
		return testprovider.ActionEvents(protocol)
	case []tfprotov6.ReadStateByteChunk:
		return testprovider.StateChunks()
	default:
		return fill(reflect.TypeOf(answer).Elem(), protocol, name).Interface()
	}
}

func fill(t reflect.Type, protocol int, seed string) reflect.Value {
	return testprovider.FillType(t, protocol, seed)
}

func decode(t *testing.T, raw json.RawMessage) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %q", err, raw)
	}
	return v
}

var options = []cmp.Option{
	cmpopts.EquateEmpty(),
	cmp.Exporter(func(reflect.Type) bool { return true }),
}
