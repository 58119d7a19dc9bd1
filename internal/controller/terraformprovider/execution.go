package terraformprovider

import (
	"context"
	"fmt"
	"strings"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
)

// execution is the way in which operations on a provider's resources are carried out.
type execution struct {
	way    v1alpha1.Execution
	runner *cli.Runner // nil unless way is CLI
	// attached is set if the provider's process was not started by this program.
	attached bool
}

// execution returns the execution that the TerraformProvider specifies.
func (r *Reconciler) execution(ctx context.Context, p *v1alpha1.TerraformProvider, from origin) (execution, *kinds.Problem) {
	if p.Spec.Execution == v1alpha1.ExecutionCLI {
		runner, err := r.CommandLine.Runner(ctx)
		if err != nil {
			return execution{}, kinds.Unhealthy(v1alpha1.ReasonExecutionUnavailable,
				fmt.Errorf("spec.execution: CLI: %w; start the controller with --cli and the path of OpenTofu or "+
					"Terraform, or use another execution", err)).Retried()
		}
		return execution{v1alpha1.ExecutionCLI, runner, from.attached}, nil
	}
	if from.linked {
		return execution{way: v1alpha1.ExecutionInProcess}, nil
	}
	return execution{way: v1alpha1.ExecutionPlugin, attached: from.attached}, nil
}

// executor returns what makes executors for configured servers; nil stands for the default.
func (e execution) executor() func(provider.Server) terraform.Executor {
	if e.runner == nil {
		return nil
	}
	return func(s provider.Server) terraform.Executor { return e.runner.Executor(s) }
}

// program returns the program that is used, or "".
func (e execution) program() string {
	if e.runner == nil {
		return ""
	}
	return e.runner.Program().String()
}

// attachment describes what does not hold for an attached provider, or is empty.
func (e execution) attachment() string {
	if !e.attached {
		return ""
	}
	return "The provider is a process that TF_REATTACH_PROVIDERS attaches: its version and checksum are not " +
		"checked, and spec.env, spec.sandbox and spec.logLevel have no effect."
}

// limitation returns what the program does not support, or "".
func (e execution) limitation() string {
	if e.runner == nil {
		return ""
	}
	var lacks []string
	p := e.runner.Program()
	if !p.Identity {
		lacks = append(lacks, "resource identities, so nothing can be imported by identity")
	}
	if !p.WriteOnly {
		lacks = append(lacks, "write-only attributes, so none can be set")
	}
	if len(lacks) == 0 {
		return ""
	}
	return fmt.Sprintf("%s does not support %s.", p, strings.Join(lacks, ", nor "))
}
