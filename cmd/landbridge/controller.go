package main

import (
	"github.com/spf13/cobra"

	// Verifies signatures of cosign.
	_ "github.com/landbridge-io/landbridge/internal/provider/cosign"
	"github.com/landbridge-io/landbridge/program"
)

func newControllerCommand() *cobra.Command {
	cmd := program.Controller{Name: "controller"}.Command()
	cmd.Example = `  # Against the cluster of your kubeconfig, with provider binaries from a mirror
  landbridge controller --provider-mirror /var/lib/terraform/mirror

  # Then, with kubectl:
  kubectl apply -f - <<EOF
  apiVersion: landbridge.io/v1alpha1
  kind: TerraformProvider
  metadata: {name: random}
  spec: {source: hashicorp/random, version: "~> 3.7", activate: ["random_*"]}
  EOF`
	return cmd
}
