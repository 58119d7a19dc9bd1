package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// policyFlags are the flags with PlanPolicies.
type policyFlags struct {
	files []string
	at    string
}

func (f *policyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.files, "policy", nil, "PlanPolicies to try: a file, a directory of them, or - for standard input")
	cmd.Flags().StringVar(&f.at, "policy-time", "", "time at which the policies decide, such as 2026-11-28T12:00:00Z (default: now)")
}

// read returns the policies, and the time at which they decide. It prints what is wrong with them.
func (f *policyFlags) read(cmd *cobra.Command, output string) (policies []*policy.Policy, at time.Time, err error) {
	at = time.Now()
	if f.at != "" {
		if at, err = time.Parse(time.RFC3339, f.at); err != nil {
			return nil, at, fmt.Errorf("--policy-time %s: must be a time such as 2026-11-28T12:00:00Z", f.at)
		}
	}
	sources, err := local.ReadSources(f.files, cmd.InOrStdin())
	if err != nil {
		return nil, at, err
	}
	policies, messages := local.ReadPolicies(sources)
	if messages.HasErrors() {
		o := &openSession{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
		if output == "json" {
			return nil, at, errors.Join(writeJSON(o.out, newPlanDocument(local.Normal, nil, messages)), exit{1})
		}
		o.tell(messages)
		return nil, at, exit{1}
	}
	return policies, at, nil
}

// denies reports whether a policy denies a change.
func denies(results []local.PolicyResult) bool {
	return slices.ContainsFunc(results, func(r local.PolicyResult) bool { return r.Action == v1alpha1.PlanPolicyDeny })
}

// writePolicies prints what policies decide.
func writePolicies(w io.Writer, results []local.PolicyResult) {
	if len(results) > 0 {
		fmt.Fprint(w, "\nPolicies:\n")
	}
	for _, r := range results {
		fmt.Fprintf(w, "  %s\n", printable(r.String()))
	}
}
