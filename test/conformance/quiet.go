package conformance

import (
	"errors"
	"os"
)

// Quiet makes providers that are linked into this process silent: the legacy SDK and the frameworks
// log at their most verbose otherwise.
func Quiet() error {
	var errs []error
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_MUX", "TF_LOG_SDK_HELPER_SCHEMA"} {
		errs = append(errs, os.Setenv(name, "OFF"))
	}
	return errors.Join(errs...)
}
