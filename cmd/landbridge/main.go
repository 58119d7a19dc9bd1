package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/version"
)

func main() {
	_ = child.NoCoreDumps() // where they cannot be prevented, the program works all the same
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cmd, err := newRootCommand().ExecuteContextC(ctx)
	stop()
	if err != nil {
		code, tell := exitStatus(cmd, err)
		if tell {
			fmt.Fprintln(os.Stderr, "Error:", err)
		}
		os.Exit(code)
	}
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "landbridge",
		Short: "Any Terraform provider as a Kubernetes API",
		Long: `Landbridge serves a released Terraform provider as a Kubernetes API: one typed custom resource per
Terraform resource type, with controllers that keep the remote objects as declared.

Without a cluster, view the kinds of a provider:
  landbridge provider inspect hashicorp/random
  landbridge crds hashicorp/random random_password
or try it:
  landbridge plan -f password.yaml --provider hashicorp/random`,
		Version: version.String(),
		// An error does not print the usage.
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("landbridge {{.Version}}\n")
	root.AddCommand(
		newControllerCommand(),
		newPlaygroundCommand(),
		newProviderCommand(),
		newFunctionCommand(),
		newCRDsCommand(),
		newSchemaCommand(),
		newGenerateCommand(),
		newInitCommand(),
		newPlanCommand(),
		newApplyCommand(),
		newDiffCommand(),
		newDiscoverCommand(),
		newImportCommand(),
		newExportCommand(),
		newMigrateCommand(),
		newStateCommand(),
		newMoveCommand(),
		newUpgradeCommand(),
		newStatusCommand(),
		newExplainCommand(),
		newGraphCommand(),
		newUICommand(),
		newMCPCommand(),
		newLogsCommand(),
		newInvokeCommand(),
		newHistoryCommand(),
		newApproveCommand(),
		newPauseCommand(),
		newResumeCommand(),
		newReleaseBrakeCommand(),
		newTaintCommand(),
		newUntaintCommand(),
		newRetryCommand(),
		newReapplyCommand(),
		newAdoptDriftCommand(),
		newInterruptCommand(),
		newVersionCommand(),
		newDoctorCommand(),
	)
	explainUsage(root)
	return root
}
