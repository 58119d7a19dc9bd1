package model

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// PlainCredential is a value that looks like a credential, in a field that is not sensitive. So it
// is not in a Secret, and is shown in spec, plans and status.
type PlainCredential struct {
	// Path is where the value is, in the user's spelling, from what was searched:
	// auth[0].clientSecret.
	Path string
	// Field is Terraform's name of the field with those that it is in, by which a configuration
	// names it: auth.client_secret.
	Field string
	// URL is set if the value is a URL with a password.
	URL bool
}

// Reason says why the value looks like a credential, after its path.
func (c PlainCredential) Reason() string {
	if c.URL {
		return "is a URL with a password"
	}
	return "has the name of a credential"
}

// credentialName matches names of fields with credentials. Names of files and of Secrets, and
// public keys, are none.
var credentialName = regexp.MustCompile(`(^|_)(passwords?|passwd|passphrase|secrets?|tokens?|credentials?|apikey|nkey|psk|authorization|` +
	`(secret|client|private|api|access|shared|preshared|auth|encryption|signing)_key|` +
	`(credentials?|key|token|secret|password)(_file)?_(data|json|pem|base64|value))$`)

// upperCase is where a word begins in a name in camel case.
var upperCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// NamesCredential reports whether a field of the name usually has a credential. The name may be in
// any case.
func NamesCredential(name string) bool {
	name = strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(upperCase.ReplaceAllString(name, "${1}_$2"))
	return credentialName.MatchString(strings.ToLower(name))
}

// PlainCredentials returns the values in v, of the type t as spec has it, that look like
// credentials in plain text, at every depth: by the name of their field or key, or because they are
// URLs with passwords.
func PlainCredentials(t *Type, v any) []PlainCredential {
	var out []PlainCredential
	plainCredentials(t, v, PlainCredential{}, "", &out)
	return out
}

// plainCredentials adds what is found in a value. name is that of the field or key that it is in.
func plainCredentials(t *Type, v any, at PlainCredential, name string, out *[]PlainCredential) {
	if t != nil && t.Singleton {
		t = t.Element
	}
	switch v := v.(type) {
	case string:
		at.URL = hasPassword(v)
		if v != "" && (at.URL || NamesCredential(name)) {
			*out = append(*out, at)
		}
	case []any:
		for i, x := range v {
			plainCredentials(t.element(), x, PlainCredential{Path: fmt.Sprintf("%s[%d]", at.Path, i), Field: at.Field}, name, out)
		}
	case map[string]any:
		if t == nil || t.Kind != Object {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				plainCredentials(t.element(), v[key], PlainCredential{Path: fmt.Sprintf("%s[%q]", at.Path, key), Field: at.Field}, key, out)
			}
			return
		}
		for _, f := range t.Object.Settable() {
			if x, ok := v[f.InputName()]; ok && f.Input && !f.Secret() {
				plainCredentials(f.Type, x, PlainCredential{Path: dotted(at.Path, f.InputName()), Field: dotted(at.Field, f.Name)}, f.Name, out)
			}
		}
	}
}

// UnmarkedCredentials returns the fields of a type that have the name of a credential, and are not
// sensitive, at every depth, as PlainCredential.Field.
func UnmarkedCredentials(t *Type) []string {
	var out []string
	var walk func(t *Type, prefix string)
	walk = func(t *Type, prefix string) {
		for t != nil && t.Kind != Object {
			t = t.Element
		}
		if t == nil {
			return
		}
		for _, f := range t.Object.All {
			switch {
			case !f.Input || f.Secret():
			case holdsText(f.Type):
				if NamesCredential(f.Name) {
					out = append(out, dotted(prefix, f.Name))
				}
			default:
				walk(f.Type, dotted(prefix, f.Name))
			}
		}
	}
	walk(t, "")
	return out
}

// holdsText reports whether a field has a text, or several.
func holdsText(t *Type) bool {
	for t.Element != nil {
		t = t.Element
	}
	return t.Kind == String
}

// hasPassword reports whether a text is a URL with a password.
func hasPassword(text string) bool {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return false
	}
	password, _ := u.User.Password()
	return u.Host != "" && password != ""
}

func dotted(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
