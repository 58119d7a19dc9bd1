package commandline

import "os"

// inherited are the variables that every program inherits. All others are withheld, in particular
// credentials of this process. A program needs no proxy unless it downloads something.
var inherited = []string{"PATH", "TZ", "LANG"}

// inheritedForDownloads are the variables that a program also inherits if it downloads something.
var inheritedForDownloads = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// environment returns the environment of every run, and the given variables.
func environment(more map[string]string) []string {
	out := []string{
		"CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0",
		// The program ends within seconds, so garbage collection costs more than it saves.
		"GOGC=400",
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+value)
		}
	}
	for name, value := range more {
		out = append(out, name+"="+value)
	}
	return out
}
