package ui

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// schemas are the schemas of Go types as encoding/json writes them, by name.
type schemas map[string]any

// known are the schemas of types that write themselves.
var known = map[reflect.Type]map[string]any{
	reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
	reflect.TypeFor[metav1.Time]():     {"type": []string{"string", "null"}, "format": "date-time"},
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[any]():             {},
}

// of returns the schema of a type. Structs with a name are referred to.
func (s schemas) of(t reflect.Type) map[string]any {
	if out, ok := known[t]; ok {
		return out
	}
	switch t.Kind() {
	case reflect.Pointer:
		return orNull(s.of(t.Elem()))
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": s.of(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Struct:
		name := nameOf(t)
		if _, made := s[name]; !made {
			s[name] = nil // types may refer to themselves
			s[name] = s.object(t)
		}
		return map[string]any{"$ref": "#/components/schemas/" + name}
	}
	if t.ConvertibleTo(reflect.TypeFor[int64]()) {
		return map[string]any{"type": "integer"}
	}
	return map[string]any{}
}

// orNull permits null, too.
func orNull(schema map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// nameOf returns the name of a type, with its package unless it is this one.
func nameOf(t reflect.Type) string {
	of := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
	if of == "ui" {
		return t.Name()
	}
	return strings.ToUpper(of[:1]) + of[1:] + t.Name()
}

// object returns the schema of a struct.
func (s schemas) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range fieldsOf(t) {
		properties[f.name] = s.of(f.of)
		if !f.optional {
			required = append(required, f.name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// field is a field as encoding/json writes it.
type field struct {
	name     string
	of       reflect.Type
	optional bool
}

// fieldsOf returns the fields of a struct and of those that are embedded in it: of several with one
// name, the one that is the least deep.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for level := []reflect.Type{t}; len(level) > 0; {
		var below []reflect.Type
		above := len(out)
		for _, of := range level {
			for i := range of.NumField() {
				f := of.Field(i)
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch {
				case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
					below = append(below, f.Type)
				case name == "-", !f.IsExported(), slices.ContainsFunc(out[:above], func(o field) bool { return o.name == cmp.Or(name, f.Name) }):
				default:
					out = append(out, field{cmp.Or(name, f.Name), f.Type, strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")})
				}
			}
		}
		level = below
	}
	return out
}

// OpenAPI returns the OpenAPI document of the API. It is made of the types of the views.
func (s *Server) OpenAPI() map[string]any {
	all, paths := schemas{}, map[string]any{}
	problem := map[string]any{
		"description": "There is no such view, or the cluster refuses it.",
		"content":     content(all.of(reflect.TypeFor[Error]())),
	}
	for _, v := range s.views() {
		parameters := []any{}
		for part := range strings.SplitSeq(v.path, "/") {
			if strings.HasPrefix(part, "{") {
				parameters = append(parameters, parameter(strings.Trim(part, "{}"), "path"))
			}
		}
		for _, name := range v.query {
			parameters = append(parameters, parameter(name, "query"))
		}
		paths[apiPrefix+v.name+v.path] = map[string]any{"get": map[string]any{
			"operationId": v.name, "summary": v.summary, "parameters": parameters,
			"responses": map[string]any{
				"200":     map[string]any{"description": v.summary, "content": content(all.of(v.of))},
				"default": problem,
			},
		}}
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Landbridge's page", "version": "v1",
			"description": "The views of landbridge ui. Fields are added within v1; none is removed or gets another meaning.",
		},
		"paths":    paths,
		"security": []any{map[string]any{"token": []string{}}},
		"components": map[string]any{
			"schemas":         all,
			"securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}},
		},
	}
}

func content(schema map[string]any) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": schema}}
}

func parameter(name, in string) map[string]any {
	return map[string]any{"name": name, "in": in, "required": in == "path", "schema": map[string]any{"type": "string"}}
}

// openAPI serves the document.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.OpenAPI(), nil) }
