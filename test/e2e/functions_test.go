package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"text/template"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// The protocol of Crossplane's functions, as far as compositions need it.
const (
	functionProtocol = "apiextensions.fn.proto.v1"
	functionService  = functionProtocol + ".FunctionRunnerService"
)

// functionMessages are the messages of the protocol, each with its fields by number. A field is a
// type and a name.
var functionMessages = map[string]map[int32][2]string{
	"RunFunctionRequest": {
		1: {"RequestMeta", "meta"}, 2: {"State", "observed"}, 3: {"State", "desired"}, 4: {"Struct", "input"},
		5: {"Struct", "context"},
	},
	"RunFunctionResponse": {1: {"ResponseMeta", "meta"}, 2: {"State", "desired"}, 3: {"Result[]", "results"}, 4: {"Struct", "context"}},
	"RequestMeta":         {1: {"string", "tag"}},
	"ResponseMeta":        {1: {"string", "tag"}},
	"State":               {1: {"Resource", "composite"}, 2: {"Resource{}", "resources"}},
	"Resource":            {1: {"Struct", "resource"}, 2: {"bytes{}", "connection_details"}, 3: {"Ready", "ready"}},
	"Result":              {1: {"Severity", "severity"}, 2: {"string", "message"}},
}

var functionEnums = map[string][]string{
	"Ready":    {"READY_UNSPECIFIED", "READY_TRUE", "READY_FALSE"},
	"Severity": {"SEVERITY_UNSPECIFIED", "SEVERITY_FATAL", "SEVERITY_WARNING", "SEVERITY_NORMAL"},
}

// functionDescriptor describes the protocol.
var functionDescriptor = func() protoreflect.FileDescriptor {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("run_function.proto"), Package: proto.String(functionProtocol), Syntax: proto.String("proto3"),
		Dependency: []string{"google/protobuf/struct.proto"},
	}
	for name, values := range functionEnums {
		enum := &descriptorpb.EnumDescriptorProto{Name: proto.String(name)}
		for i, value := range values {
			enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(value), Number: proto.Int32(int32(i))})
		}
		file.EnumType = append(file.EnumType, enum)
	}
	for name, fields := range functionMessages {
		message := &descriptorpb.DescriptorProto{Name: proto.String(name)}
		for number, field := range fields {
			message.Field = append(message.Field, functionField(message, number, field[0], field[1]))
		}
		file.MessageType = append(file.MessageType, message)
	}
	out, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		panic(err)
	}
	return out
}()

// functionField returns a field of a message. A type that ends with [] is a list, one that ends
// with {} a map.
func functionField(message *descriptorpb.DescriptorProto, number int32, kind, name string) *descriptorpb.FieldDescriptorProto {
	field := &descriptorpb.FieldDescriptorProto{
		Name: &name, Number: &number, Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(),
	}
	if element, ok := strings.CutSuffix(kind, "[]"); ok {
		field.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		kind = element
	}
	if element, ok := strings.CutSuffix(kind, "{}"); ok {
		field.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		entry := &descriptorpb.DescriptorProto{
			Name: proto.String(protoEntryName(name)), Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
		}
		entry.Field = []*descriptorpb.FieldDescriptorProto{
			functionField(entry, 1, "string", "key"), functionField(entry, 2, element, "value"),
		}
		message.NestedType = append(message.NestedType, entry)
		field.TypeName = proto.String(fmt.Sprintf(".%s.%s.%s", functionProtocol, message.GetName(), entry.GetName()))
		return field
	}
	switch {
	case kind == "string":
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
	case kind == "bytes":
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
	case kind == "Struct":
		field.TypeName = proto.String(".google.protobuf.Struct")
	case functionEnums[kind] != nil:
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
		field.TypeName = proto.String("." + functionProtocol + "." + kind)
	default:
		field.TypeName = proto.String("." + functionProtocol + "." + kind)
	}
	return field
}

// protoEntryName returns the name that a map's entries have: the field's, in camel case.
func protoEntryName(field string) string {
	var out []byte
	upper := true
	for _, c := range []byte(field) {
		switch {
		case c == '_':
			upper = true
		case upper:
			out, upper = append(out, bytes.ToUpper([]byte{c})...), false
		default:
			out = append(out, c)
		}
	}
	return string(out) + "Entry"
}

// functionMessage returns a message with the content, which is in protobuf's JSON.
func functionMessage(name protoreflect.Name, content any) (proto.Message, error) {
	message := dynamicpb.NewMessage(functionDescriptor.Messages().ByName(name))
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	return message, protojson.Unmarshal(raw, message)
}

// functionContent is the reverse of functionMessage.
func functionContent(message proto.Message) (out m, err error) {
	raw, err := protojson.Marshal(message)
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(raw, &out)
}

// function is a function of a pipeline: a request, as protobuf's JSON, to the response.
type function func(request m) (response m, err error)

// serveFunction serves a function until stop is called.
func serveFunction(f function) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: functionService, HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "RunFunction",
			Handler: func(
				_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor,
			) (any, error) {
				in := dynamicpb.NewMessage(functionDescriptor.Messages().ByName("RunFunctionRequest"))
				if err := decode(in); err != nil {
					return nil, err
				}
				request, err := functionContent(in)
				if err != nil {
					return nil, err
				}
				response, err := f(request)
				if err != nil {
					response = m{"desired": request["desired"], "results": []any{m{"severity": "SEVERITY_FATAL", "message": err.Error()}}}
				}
				if meta, ok := request["meta"]; ok {
					response["meta"] = meta
				}
				return functionMessage("RunFunctionResponse", response)
			},
		}},
	}, struct{}{})
	go func() { _ = server.Serve(listener) }() // ends with Stop
	return listener.Addr().String(), server.Stop, nil
}

// callFunction calls the function of a connection.
func callFunction(ctx context.Context, conn *grpc.ClientConn, request m) (m, error) {
	in, err := functionMessage("RunFunctionRequest", request)
	if err != nil {
		return nil, err
	}
	out := dynamicpb.NewMessage(functionDescriptor.Messages().ByName("RunFunctionResponse"))
	if err := conn.Invoke(ctx, "/"+functionService+"/RunFunction", in, out); err != nil {
		return nil, err
	}
	return functionContent(out)
}

// renderTemplate renders the resources of a Go template, and the status of the composite. It does
// what compositions in examples need of function-go-templating.
func renderTemplate(request m) (m, error) {
	const nameAnnotation = "gotemplating.fn.crossplane.io/composition-resource-name"
	inline, _ := field(request, "input", "inline").(m)
	source, _ := inline["template"].(string)
	parsed, err := template.New("").Parse(source)
	if err != nil {
		return nil, err
	}
	var rendered bytes.Buffer
	if err := parsed.Execute(&rendered, request); err != nil {
		return nil, err
	}
	composite, _ := field(request, "observed", "composite", "resource").(m)
	resources := m{}
	desired := m{"resources": resources}
	for documents := yaml.NewYAMLOrJSONDecoder(&rendered, 4096); ; {
		var object m
		if err := documents.Decode(&object); errors.Is(err, io.EOF) {
			return m{"desired": desired, "context": request["context"]}, nil
		} else if err != nil {
			return nil, err
		}
		annotations, _ := field(object, "metadata", "annotations").(m)
		name, _ := annotations[nameAnnotation].(string)
		switch {
		case len(object) == 0:
		case name != "":
			delete(annotations, nameAnnotation)
			resources[name] = m{"resource": object}
		case object["apiVersion"] == composite["apiVersion"] && object["kind"] == composite["kind"]:
			desired["composite"] = m{"resource": m{"status": object["status"]}}
		default:
			return nil, fmt.Errorf("a %s has no annotation %s", object["kind"], nameAnnotation)
		}
	}
}

// reportReady reports the resources as ready whose condition Ready is true, or which exist and have
// no conditions. It does what compositions in examples need of function-auto-ready.
func reportReady(request m) (m, error) {
	desired, _ := request["desired"].(m)
	resources, _ := desired["resources"].(m)
	for name, x := range resources {
		observed, _ := field(request, "observed", "resources", name, "resource").(m)
		ready := observed != nil && observed["kind"] == "Secret"
		conditions, _ := field(observed, "status", "conditions").([]any)
		for _, c := range conditions {
			c, _ := c.(m)
			ready = ready || c["type"] == "Ready" && c["status"] == "True"
		}
		if ready {
			x.(m)["ready"] = "READY_TRUE"
		}
	}
	return m{"desired": desired, "context": request["context"]}, nil
}

// field returns the value at a path of objects, or nil.
func field(object m, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object, path...)
	return value
}
