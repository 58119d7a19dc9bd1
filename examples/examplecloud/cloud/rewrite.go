package cloud

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// rewrite changes values of an object as the cloud normalises them.
func (e *effects) rewrite(k *kind, o object) {
	for how, fields := range e.normalise {
		for _, field := range fields {
			if value, ok := o[field]; ok {
				o[field] = normalise(how, value, k.elements[field])
			}
		}
	}
}

// normalise returns a value as the cloud stores it. Values that a rule is not for stay as they are.
func normalise(how string, value any, defaults object) any {
	switch value := value.(type) {
	case string:
		switch how {
		case api.NormaliseCase:
			return strings.ToLower(value)
		case api.NormaliseWhitespace:
			return strings.Join(strings.Fields(value), " ")
		case api.NormaliseJSON:
			return canonical(value)
		}
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = normalise(how, element, defaults)
		}
		if how == api.NormaliseOrder {
			slices.SortFunc(out, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
		}
		return out
	case map[string]any:
		out := maps.Clone(value)
		for name, member := range defaults {
			if how == api.NormaliseDefaults && out[name] == nil {
				out[name] = member
			}
		}
		return out
	}
	return value
}

// canonical returns JSON without spaces and with sorted keys. Other texts stay as they are.
func canonical(document string) string {
	var value any
	if decode([]byte(document), &value) != nil {
		return document
	}
	return text(value)
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(out)
}

// stamp sets when the object was changed.
func (k *kind) stamp(o object, at time.Time) {
	if k.stamped != "" {
		o[k.stamped] = at.UTC().Format(time.RFC3339Nano)
	}
	if k.expires {
		o["expires_at"] = at.Add(lifetime(o)).UTC().Format(time.RFC3339Nano)
	}
}

// answered returns an object as it is answered.
func (e *effects) answered(o object) object {
	if len(e.values) == 0 || o == nil {
		return o
	}
	out := maps.Clone(o)
	maps.Copy(out, e.values)
	return out
}

// refusal returns the error of an answer with a status, and sets its headers.
func (e *effects) refusal(header http.Header, status int, now time.Time) *api.Error {
	refused := &api.Error{Status: status, Code: cmp.Or(e.code, api.CodeInjected), Message: cmp.Or(e.message, "this fault was asked for")}
	if e.code == "" && status == http.StatusNotFound {
		refused.Code = api.CodeNotFound
	}
	switch {
	case e.retryAfter <= 0:
	case e.retryAtDate:
		header.Set("Retry-After", now.Add(e.clock+e.retryAfter).UTC().Format(http.TimeFormat))
	default:
		header.Set("Retry-After", strconv.Itoa(int((e.retryAfter+time.Second-1)/time.Second)))
	}
	return refused
}
