package client

import (
	"cmp"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// setting is one of the settings in the environment: http.extraHeader, for some or all addresses.
type setting struct {
	pattern *url.URL // nil is for all
	value   string
}

// maxSettings is the largest number of settings that are read.
const maxSettings = 1000

// readSettings reads the settings of GIT_CONFIG_COUNT, GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n. One
// that would have no effect is an error.
func readSettings(env func(string) string) ([]setting, error) {
	text := env("GIT_CONFIG_COUNT")
	if text == "" {
		return nil, nil
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 0 || count > maxSettings {
		return nil, fatalf("bogus count in GIT_CONFIG_COUNT")
	}
	var out []setting
	for i := range count {
		name := "GIT_CONFIG_KEY_" + strconv.Itoa(i)
		key := env(name)
		first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		if first < 0 || !strings.EqualFold(key[:first], "http") ||
			!strings.EqualFold(key[last+1:], "extraHeader") {
			return nil, fatalf("the git of Landbridge's image has only the settings "+
				"http.extraHeader and http.<url>.extraHeader: %s is another", name)
		}
		s := setting{value: env("GIT_CONFIG_VALUE_" + strconv.Itoa(i))}
		if first < last {
			if s.pattern, err = url.Parse(key[first+1 : last]); err != nil || s.pattern.Host == "" {
				return nil, fatalf("%s has no valid address", name)
			}
		}
		if strings.ContainsAny(s.value, "\r\n") ||
			s.value != "" && !strings.Contains(s.value, ":") {
			return nil, fatalf("GIT_CONFIG_VALUE_%d is no header", i)
		}
		out = append(out, s)
	}
	return out, nil
}

// headers returns the headers for an address as git chooses them: those of the settings that match
// it, except the ones after a setting that matches it more exactly. An empty value removes those
// before it.
func headers(settings []setting, address *url.URL) []string {
	var out []string
	best := match{}
	for _, s := range settings {
		m, ok := s.matches(address)
		if !ok || m.compare(best) < 0 {
			continue
		}
		best = m
		if s.value == "" {
			out = nil
		} else {
			out = append(out, s.value)
		}
	}
	return out
}

// match is how exactly a setting matches an address.
type match struct{ host, path, user int }

func (m match) compare(with match) int {
	return cmp.Or(cmp.Compare(m.host, with.host), cmp.Compare(m.path, with.path),
		cmp.Compare(m.user, with.user))
}

// matches compares scheme, host, port, whole segments of the path, and the user if the setting has
// one. A label of the setting's host may be *.
func (s setting) matches(address *url.URL) (match, bool) {
	if s.pattern == nil {
		return match{}, true
	}
	m := match{}
	if !strings.EqualFold(s.pattern.Scheme, address.Scheme) ||
		portOf(s.pattern) != portOf(address) {
		return m, false
	}
	wanted, got := strings.Split(s.pattern.Hostname(), "."), strings.Split(address.Hostname(), ".")
	if len(wanted) != len(got) {
		return m, false
	}
	for i, label := range wanted {
		if label != "*" && !strings.EqualFold(label, got[i]) {
			return m, false
		}
	}
	m.host = len(s.pattern.Hostname())
	prefix := strings.TrimSuffix(s.pattern.Path, "/")
	if got := path.Clean("/" + address.Path); got != prefix &&
		!strings.HasPrefix(got+"/", prefix+"/") {
		return m, false
	}
	m.path = len(prefix) + 1
	if s.pattern.User != nil {
		if address.User == nil || address.User.Username() != s.pattern.User.Username() {
			return m, false
		}
		m.user = 1
	}
	return m, true
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
}
