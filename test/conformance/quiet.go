package conformance

import (
	"errors"
	"os"
)

// Quiet silences the logs of providers linked into this process: the legacy SDK and the frameworks
// log at the highest verbosity otherwise.
func Quiet() error {
	var errs []error
	for _, name := range []string{
		"TF_LOG_SDK", "TF_LOG_PROVIDER", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_MUX",
		"TF_LOG_SDK_HELPER_SCHEMA",
	} {
		errs = append(errs, os.Setenv(name, "OFF"))
	}
	return errors.Join(errs...)
}
