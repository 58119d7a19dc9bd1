package plugin

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// inherited are the variables a provider gets from this program's own environment. All
// else, this program's credentials above all, stays here unless Launcher.Env names it.
var inherited = []string{
	"PATH", "HOME", "TMPDIR", "TZ", "LANG",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// logVariables switch the log of one part of a provider each. They are all on, at TRACE,
// unless set, and TF_LOG does not switch them off.
var logVariables = []string{
	"TF_LOG_SDK", "TF_LOG_PROVIDER", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK",
	"TF_LOG_SDK_MUX", "TF_LOG_SDK_HELPER_SCHEMA", "TF_LOG_SDK_HELPER_RESOURCE",
}

// environment is the child's environment, sorted. What Launcher.Env says wins.
func (l *Launcher) environment() []string {
	env := map[string]string{}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	for _, name := range logVariables {
		env[name] = string(cmp.Or(l.LogLevel, LogOff))
	}
	if l.GOGC != 0 {
		env["GOGC"] = strconv.Itoa(l.GOGC)
	}
	if l.MemoryLimit != 0 {
		env["GOMEMLIMIT"] = strconv.FormatInt(l.MemoryLimit, 10)
	}
	maps.Copy(env, l.Env)
	out := make([]string, 0, len(env))
	for name, value := range env {
		// go-plugin's own variables are made for each start.
		if strings.HasPrefix(name, "PLUGIN_") || name == cookieName {
			continue
		}
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
