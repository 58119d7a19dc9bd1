package upjettest

import "strings"

// acronyms are those of Upjet that the types of our providers have.
var acronyms = map[string]string{"id": "ID", "ip": "IP", "ssh": "SSH", "tls": "TLS", "uuid": "UUID", "dns": "DNS", "rdns": "Rdns"}

// camel returns a name with a capital for each word. Acronyms are those of kinds, not of fields.
func camel(snake string, withAcronyms bool) string {
	var b strings.Builder
	for _, word := range strings.Split(snake, "_") {
		if known := acronyms[word]; withAcronyms && known != "" {
			b.WriteString(known)
			continue
		}
		// As after a word, a letter after a digit is a capital.
		upper := true
		for _, c := range word {
			if upper {
				b.WriteString(strings.ToUpper(string(c)))
			} else {
				b.WriteRune(c)
			}
			upper = c >= '0' && c <= '9'
		}
	}
	return b.String()
}

// FieldName returns the name of a field: ip_range is ipRange, b64_std is b64Std.
func FieldName(attribute string) string {
	name := camel(attribute, false)
	first, rest, more := strings.Cut(attribute, "_")
	if !more {
		return strings.ToLower(name[:1]) + name[1:]
	}
	head := strings.ToLower(camel(first, false))
	return head + camel(rest, false)
}

// groupKind returns the short group and the kind of a resource type: hcloud_ssh_key is Key in the
// group ssh, and random_string is String in the group of the provider itself.
func groupKind(resourceType string) (group, kind string) {
	words := strings.Split(resourceType, "_")
	if len(words) > 2 {
		return words[1], camel(strings.Join(words[2:], "_"), true)
	}
	return "", camel(words[1], true)
}
