package crd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// CheckPath returns an error unless objects of a kind can have a field at a path, such as
// status.atProvider.rule[0].id.
func CheckPath(d *apiextensionsv1.CustomResourceDefinition, path string) error {
	segments, err := fieldpath.Parse(path)
	if err != nil {
		return err
	}
	if len(segments) > 0 && slices.Contains([]string{"metadata", "apiVersion", "kind"}, segments[0].Field) {
		return nil // their schema is the API server's
	}
	at := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	for i, s := range segments {
		before := fieldpath.Segments(segments[:i])
		preserved := at.XPreserveUnknownFields != nil && *at.XPreserveUnknownFields
		switch {
		case at.Type == "array" && at.Items != nil && at.Items.Schema != nil:
			if s.Type != fieldpath.SegmentIndex {
				return fmt.Errorf("%s is a list. Write %s[0]%s", before, before, suffix(segments[i:]))
			}
			at = at.Items.Schema
		case s.Type == fieldpath.SegmentField && hasProperty(at, s.Field):
			next := at.Properties[s.Field]
			at = &next
		case preserved, at.AdditionalProperties != nil && at.AdditionalProperties.Schema == nil && at.AdditionalProperties.Allows:
			return nil // its fields are not known
		case at.AdditionalProperties != nil && at.AdditionalProperties.Schema != nil:
			at = at.AdditionalProperties.Schema
		case len(at.Properties) > 0:
			if near := nearest(s.Field, at.Properties); near != "" {
				return fmt.Errorf("there is no field %s (did you mean %s?)", fieldpath.Segments(segments[:i+1]),
					append(slices.Clone(before), fieldpath.Field(near)))
			}
			return fmt.Errorf("there is no field %s", fieldpath.Segments(segments[:i+1]))
		default:
			return fmt.Errorf("there is no field %s: %s has no fields", fieldpath.Segments(segments[:i+1]), before)
		}
	}
	return nil
}

func suffix(rest fieldpath.Segments) string {
	if text := rest.String(); strings.HasPrefix(text, "[") {
		return text
	}
	return "." + rest.String()
}

func hasProperty(at *apiextensionsv1.JSONSchemaProps, name string) bool {
	_, ok := at.Properties[name]
	return ok
}

// minBeginning is the length of a beginning that is not likely to be another word's.
const minBeginning = 4

// nearest returns the name that a misspelled one most likely means, or that begins with it; empty
// if none is alike.
func nearest(name string, of map[string]apiextensionsv1.JSONSchemaProps) string {
	best, below := "", 2+len(name)/4
	for _, candidate := range slices.Sorted(maps.Keys(of)) {
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(candidate), nil); d < below {
			best, below = candidate, d
		}
	}
	if best != "" || len(name) < minBeginning {
		return best
	}
	for _, candidate := range slices.Sorted(maps.Keys(of)) {
		if strings.HasPrefix(strings.ToLower(candidate), strings.ToLower(name)) {
			return candidate
		}
	}
	return ""
}
