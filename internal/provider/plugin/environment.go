package plugin

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// inherited are the variables that a provider inherits from this program's environment. No others
// are passed on, above all not this program's credentials, unless Launcher.Env sets them.
var inherited = []string{
	"PATH", "HOME", "TMPDIR", "TZ", "LANG",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// LogVariables each set the log level of one part of a provider. They default to TRACE, and TF_LOG
// does not override them.
var LogVariables = []string{
	"TF_LOG_SDK", "TF_LOG_PROVIDER", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK",
	"TF_LOG_SDK_MUX", "TF_LOG_SDK_HELPER_SCHEMA", "TF_LOG_SDK_HELPER_RESOURCE",
}

// Variables that decide how a program is loaded and run, or that are Terraform's own: by the
// beginning of their names, and by their names.
var (
	reservedPrefixes = []string{"PLUGIN_", "TF_", "LD_", "DYLD_", "GLIBC_", "MALLOC_"}
	reservedNames    = []string{"GODEBUG", "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GOTRACEBACK", "GOCOVERDIR", "GORACE"}
)

// Reserved implements provider.PrivateLauncher. It reports whether a variable is inherited, is one
// that Launcher.Env sets, or changes how the provider runs.
func (l *Launcher) Reserved(variable string) bool {
	if _, set := l.Env[variable]; set || slices.Contains(inherited, variable) || slices.Contains(reservedNames, variable) {
		return true
	}
	return slices.ContainsFunc(reservedPrefixes, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
}

const (
	// smallProgram is the size of a program, in bytes, below which roomyGOGC applies. What lives in
	// the heap of a provider is mostly its schema, which grows with its program. A small heap is
	// collected often, and may have much garbage.
	smallProgram = 48 << 20
	roomyGOGC    = 200
)

// percentage returns GOGC for a program; 0 is Go's default.
func (l *Launcher) percentage(binary *os.File) int {
	if l.GOGC != 0 {
		return l.GOGC
	}
	if info, err := binary.Stat(); err == nil && info.Size() < smallProgram {
		return roomyGOGC
	}
	return 0
}

// environment returns the child's environment, sorted, with a percentage of garbage. Launcher.Env
// takes precedence.
func (l *Launcher) environment(gogc int) []string {
	env := map[string]string{}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	for _, name := range LogVariables {
		env[name] = string(cmp.Or(l.LogLevel, LogOff))
	}
	if gogc != 0 {
		env["GOGC"] = strconv.Itoa(gogc)
	}
	if l.MemoryLimit != 0 {
		env["GOMEMLIMIT"] = strconv.FormatInt(l.MemoryLimit, 10)
	}
	maps.Copy(env, l.Env)
	out := make([]string, 0, len(env))
	for name, value := range env {
		// go-plugin sets its own variables at each start.
		if strings.HasPrefix(name, "PLUGIN_") || name == cookieName {
			continue
		}
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
