package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ours has Landbridge's messages.
var ours = tfplugin.File_landbridge_tfplugin_proto.Messages()

// shared are the messages that several calls share, by the calls' own names. What has no field, or
// only diagnostics, is found without them.
var shared = map[string]protoreflect.Name{
	"Stop.Response": "StopResponse", "StopProvider.Response": "StopResponse",
	"ValidateResourceTypeConfig.Request":      "ConfigRequest",
	"ValidateDataSourceConfig.Request":        "ConfigRequest",
	"ValidateResourceConfig.Request":          "ConfigRequest",
	"ValidateDataResourceConfig.Request":      "ConfigRequest",
	"ValidateEphemeralResourceConfig.Request": "ConfigRequest",
	"ValidateActionConfig.Request":            "ConfigRequest",
	"ValidateStateStore.Request":              "ConfigRequest",
	"OpenEphemeralResource.Request":           "ConfigRequest",
	"PlanAction.Request":                      "ConfigRequest",
	"InvokeAction.Request":                    "ConfigRequest",
	"RenewEphemeralResource.Request":          "EphemeralRequest",
	"CloseEphemeralResource.Request":          "EphemeralRequest",
	"ReadStateBytes.Request":                  "StateRequest",
	"LockState.Request":                       "StateRequest",
	"UnlockState.Request":                     "StateRequest",
	"GetStates.Request":                       "StateRequest",
	"DeleteState.Request":                     "StateRequest",
	"ReadStateBytes.Response":                 "ReadStateBytesChunk",
	"WriteStateBytes.RequestChunk":            "WriteStateBytesChunk",
	"PrepareProviderConfig.Request":           "ValidateProviderConfigRequest",
	"PrepareProviderConfig.Response":          "ValidateProviderConfigResponse",
	"Configure.Request":                       "ConfigureProviderRequest",
	"GetProviderSchema.Response":              "GetProviderSchemaResponse",
}

// ownOfProtocol5 are the messages that protocol 5 does not share with protocol 6.
var ownOfProtocol5 = map[protoreflect.Name]protoreflect.Name{"GetProviderSchemaResponse": "GetProviderSchemaResponseV5"}

// values are the numbers of values of the enumerations, which are plain numbers in Landbridge's
// messages.
var values = map[string]int{
	"Diagnostic.Severity": 3, "StringKind": 2, "Deferred.Reason": 4,
	"Schema.NestedBlock.NestingMode": 6, "Schema.Object.NestingMode": 5,
}

// pair is a message of Terraform and Landbridge's for it.
type pair struct{ theirs, ours protoreflect.FullName }

// comparison compares one protocol.
type comparison struct {
	protocol int
	calls    int
	seen     map[pair]bool
	missing  []string
}

func (c *comparison) lacks(format string, args ...any) {
	c.missing = append(c.missing, fmt.Sprintf(format, args...))
}

// service compares the calls of a service.
func (c *comparison) service(s protoreflect.ServiceDescriptor) {
	for i := range s.Methods().Len() {
		m := s.Methods().Get(i)
		if !c.has(string(s.FullName()), string(m.Name())) {
			c.lacks("call %s", m.Name())
			continue
		}
		c.calls++
		c.top(m.Input())
		c.top(m.Output())
	}
}

// has reports whether Landbridge has a call.
func (c *comparison) has(service, name string) bool {
	for _, m := range tfplugin.Methods() {
		if full, ok := m.Name(c.protocol); ok && full == "/"+service+"/"+name {
			return true
		}
	}
	return false
}

// top compares a request or an answer.
func (c *comparison) top(theirs protoreflect.MessageDescriptor) {
	name := relative(theirs)
	own := shared[name]
	fields := theirs.Fields()
	switch {
	case own != "":
	case fields.Len() == 0:
		own = "Empty"
	case fields.Len() == 1 && fields.Get(0).Name() == "diagnostics" && fields.Get(0).Number() == 1:
		own = "DiagnosticsResponse"
	default:
		own = protoreflect.Name(strings.ReplaceAll(name, ".", ""))
	}
	if v5 := ownOfProtocol5[own]; v5 != "" && c.protocol == 5 {
		own = v5
	}
	found := ours.ByName(own)
	if found == nil {
		c.lacks("message %s", name)
		return
	}
	c.message(theirs, found)
}

// message compares messages, and those of their fields.
func (c *comparison) message(theirs, own protoreflect.MessageDescriptor) {
	p := pair{theirs.FullName(), own.FullName()}
	if c.seen[p] {
		return
	}
	c.seen[p] = true
	for i := range theirs.Fields().Len() {
		f := theirs.Fields().Get(i)
		if o, ok := f.Options().(*descriptorpb.FieldOptions); ok && o.GetDeprecated() {
			continue // was never used
		}
		is := own.Fields().ByNumber(f.Number())
		switch {
		case is == nil:
			c.lacks("field %s.%s (%d)", relative(theirs), f.Name(), f.Number())
		case kind(f) != kind(is) || f.Cardinality() != is.Cardinality() || f.IsMap() != is.IsMap():
			c.lacks("field %s.%s (%d): it is of the type %s", relative(theirs), f.Name(), f.Number(), kind(f))
		case f.Enum() != nil:
			c.enumeration(f.Enum())
		case f.IsMap():
			if f.MapValue().Message() != nil && is.MapValue().Message() != nil {
				c.message(f.MapValue().Message(), is.MapValue().Message())
			}
		case f.Message() != nil:
			c.message(f.Message(), is.Message())
		}
	}
}

// enumeration compares the values of an enumeration.
func (c *comparison) enumeration(e protoreflect.EnumDescriptor) {
	for i := values[relative(e)]; i < e.Values().Len(); i++ {
		c.lacks("value %s.%s (%d)", relative(e), e.Values().Get(i).Name(), e.Values().Get(i).Number())
	}
}

// kind returns the kind of a field. Enumerations are plain numbers in Landbridge's messages.
func kind(f protoreflect.FieldDescriptor) protoreflect.Kind {
	if f.Kind() == protoreflect.EnumKind {
		return protoreflect.Int32Kind
	}
	return f.Kind()
}

// relative returns the name of a message or an enumeration inside its package.
func relative(m protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(m.FullName()), string(m.ParentFile().Package())+".")
}
