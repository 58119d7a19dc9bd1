package plugin

import (
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/protobuf/proto"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
	"github.com/landbridge-io/landbridge/schema"
)

// ParseEntry is parseEntry, for the fuzzer.
func ParseEntry(raw []byte) bool {
	_, ok := parseEntry(raw)
	return ok
}

// LogLines logs text as a provider's stderr and returns the last lines.
func LogLines(log logr.Logger, text string, secrets ...string) []string {
	o := &output{log: log, limit: asked}
	o.open()
	o.redact.AddStrings(secrets...)
	o.readStderr(strings.NewReader(text))
	o.writer.end(time.Minute)
	return o.last()
}

// ReadSchema reads the bytes of an answer with schemas. It returns nil if they are none.
func ReadSchema(protocol int, raw []byte) *schema.Provider {
	a := &tfplugin.GetProviderSchemaResponse{}
	if protocol == 5 {
		a5 := &tfplugin.GetProviderSchemaResponseV5{}
		if proto.Unmarshal(raw, a5) != nil {
			return nil
		}
		a = lift(a5)
	} else if proto.Unmarshal(raw, a) != nil {
		return nil
	}
	answer, computed, err := fromProviderSchema(a)
	if err != nil {
		return nil
	}
	out, _ := schema.FromProtocol(protocol, answer, nil, computed)
	return out
}

// SchemaSeed returns the bytes of an answer with schemas.
func SchemaSeed() []byte {
	b, err := proto.Marshal(&tfplugin.GetProviderSchemaResponse{
		Provider: &tfplugin.Schema{Block: &tfplugin.Schema_Block{}},
		ResourceSchemas: map[string]*tfplugin.Schema{"x_y": {Version: 1, Block: &tfplugin.Schema_Block{
			Attributes: []*tfplugin.Schema_Attribute{{Name: "a", Type: []byte(`["list",["object",{"b":"string"}]]`), Optional: true}},
			BlockTypes: []*tfplugin.Schema_NestedBlock{{TypeName: "c", Nesting: 2, Block: &tfplugin.Schema_Block{}}},
		}}},
	})
	if err != nil {
		panic(err)
	}
	return b
}

// ExplainHandshake is explainHandshake.
func ExplainHandshake(line string) (Reason, string) { return explainHandshake(line) }

// Call is a call in flight that changes a resource.
type Call struct {
	TypeName string
	Tell     func(string)
}

// Progress logs a line of a provider twice: while calls are in flight, and after they have ended.
func Progress(calls []Call, secrets []string, line string) {
	o := &output{log: logr.Discard(), limit: asked}
	o.open()
	defer o.writer.end(time.Minute)
	o.redact.AddStrings(secrets...)
	var ends []func()
	for _, c := range calls {
		ends = append(ends, o.applies.begin(c.TypeName, c.Tell))
	}
	o.line("stderr", []byte(line))
	for _, end := range ends {
		end()
	}
	o.line("stderr", []byte(line))
}

// Refusal returns what is said of an error of a provider in the sandbox.
func Refusal(s *Server, text string) string { return refusal(s.process.sandbox, s.settings, text) }
