package health_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

var snapshots = flag.String("snapshots", "", "directory to write the snapshots of situations to, for the tests of internal/command/explain")

// explanation is what landbridge explain must say of a situation. In cause and command, NAME is the
// object's name.
type explanation struct {
	health  status.Health
	cause   string // beginning of the name of the node that is the cause
	command string // part of the command that helps
}

const self = "" // the object itself is the cause

var explanations = map[string]explanation{
	"creating":                        {status.Changing, self, "landbridge explain"},
	"ready":                           {status.Ready, self, ""},
	"updating":                        {status.Changing, self, "landbridge explain"},
	"updated":                         {status.Ready, self, ""},
	"replacing":                       {status.Changing, self, "landbridge explain"},
	"update failed, tried again":      {status.Retrying, self, "landbridge retry"},
	"create failed, tried again":      {status.Retrying, self, "landbridge retry"},
	"create can never succeed":        {status.Failed, self, "landbridge retry"},
	"provider refuses the spec":       {status.Failed, self, "kubectl edit"},
	"provider refuses a changed spec": {status.Failed, self, "kubectl edit"},
	"corrected after a refusal":       {status.Ready, self, ""},
	"plan refused":                    {status.Failed, self, `kubectl patch`},
	"create awaits approval":          {status.Waiting, self, "landbridge approve"},
	"update awaits approval":          {status.Waiting, self, "landbridge approve"},
	"conflict":                        {status.Failed, self, "kubectl edit"},
	"waits for a reference":           {status.Waiting, "Thing NAMESPACE/missing", "kubectl get thing.open.landbridge.io"},
	"waits for a Secret":              {status.Waiting, "Secret NAMESPACE/missing", "kubectl create secret generic missing"},
	"waits for its provider configuration": {
		status.Waiting, "ProviderConfig NAMESPACE/NAME", "kubectl explain providerconfig.guarded.landbridge.io.spec",
	},
	"interrupted":                                  {status.Failed, self, "landbridge retry"},
	"paused":                                       {status.Paused, self, "crossplane.io/paused-"},
	"paused with a changed spec":                   {status.Paused, self, "crossplane.io/paused-"},
	"deleting":                                     {status.Changing, self, "landbridge explain"},
	"reconcile requested":                          {status.Ready, self, ""},
	"TerraformProvider is removed":                 {status.Failed, "TerraformProvider gone", "kubectl get terraformproviders"},
	"type is not activated any more":               {status.Failed, self, "kubectl get terraformproviders"},
	"TerraformProvider serves its kinds":           {status.Ready, self, ""},
	"TerraformProvider does not exist in a mirror": {status.Failed, self, "kubectl edit terraformprovider"},
	"TerraformProvider conflicts with another":     {status.Failed, self, "kubectl edit terraformprovider"},
	"TerraformModule without a command line":       {status.Retrying, self, "kubectl edit terraformmodule"},
	"ProviderConfig can be used":                   {status.Ready, self, ""},
	"ProviderConfig without its Secret":            {status.Waiting, "Secret NAMESPACE/NAME", "kubectl create secret generic NAME"},
	"ProviderConfig gets its Secret later":         {status.Ready, self, ""},
	"refers to a field that the kind lacks":        {status.Failed, "Thing NAMESPACE/missing", "kubectl get thing.open.landbridge.io"},
	"ProviderConfig is deleted while it is used":   {status.Changing, self, "kubectl get managed"},
	"ProviderConfig is refused by the provider":    {status.Retrying, "provider process", "landbridge logs"},
	"new and unseen":                               {status.Unseen, "controller", "kubectl get pods -n landbridge-system"},
	"TerraformProvider, new and unseen":            {status.Unseen, "controller", "kubectl get pods -n landbridge-system"},
	"ProviderConfig, new and unseen":               {status.Unseen, "controller", "kubectl get pods -n landbridge-system"},
	"controller away, spec unchanged":              {status.Ready, self, ""},
	"controller away, spec changed":                {status.Unseen, "controller", "kubectl get pods -n landbridge-system"},
	"controller away, deleted":                     {status.Unseen, "controller", "kubectl get pods -n landbridge-system"},

	"module is complete":                      {status.Ready, self, ""},
	"create of a module fails halfway":        {status.Retrying, self, "landbridge retry"},
	"rest of a module is tried again":         {status.Changing, self, "landbridge explain"},
	"rest of a module succeeds":               {status.Ready, self, ""},
	"change of a module fails halfway":        {status.Retrying, self, "landbridge retry"},
	"failed change of a module is taken back": {status.Ready, self, ""},
	"TerraformModule whose folder is missing": {status.Failed, self, "kubectl edit configmap/NAME -n landbridge-system"},
	"TerraformModule in a missing directory":  {status.Failed, self, "kubectl edit terraformmodule.landbridge.io/NAME"},
	"TerraformModule whose variable changes its type": {
		status.Failed, self, "kubectl annotate terraformmodule NAME --overwrite landbridge.io/accept-changes=",
	},
}

// undescribed fails the test for each situation without an explanation.
func undescribed[T any](t *testing.T, situations map[string]T) {
	t.Helper()
	for name := range situations {
		if explanations[name].health == "" {
			t.Errorf("the situation %s has no explanation", name)
		}
	}
}

// explained compares what landbridge explain says of an object in a situation. wrong is the
// difference; "" if there is none.
func (x *world) explained(ctx context.Context, situation string, u *unstructured.Unstructured) (wrong string, _ error) {
	s, err := x.reader.Read(ctx, u.GroupVersionKind(), u.GetNamespace(), u.GetName())
	if err != nil {
		return "", err
	}
	if err := x.record(situation, s); err != nil {
		return "", err
	}
	e, want := explain.Explain(s), explanations[situation]
	names := strings.NewReplacer("NAMESPACE", u.GetNamespace(), "NAME", u.GetName())
	cause := e.Tree.TheCause()
	switch {
	case e.Health != want.health:
		wrong = fmt.Sprintf("the health is not %s", want.health)
	case want.health == status.Ready:
		if e.Help.Command != want.command {
			wrong = "there is a command"
		}
	case cause == nil, want.cause == self && cause.Name != e.Tree.Name, !strings.HasPrefix(cause.Name, names.Replace(want.cause)):
		wrong = fmt.Sprintf("the cause is not %q", names.Replace(want.cause))
	case !strings.Contains(e.Help.Command, names.Replace(want.command)):
		wrong = fmt.Sprintf("the command is not %q", names.Replace(want.command))
	}
	if wrong != "" {
		return wrong + ":\n" + e.Text(), nil
	}
	return "", nil
}

var ids = regexp.MustCompile(`\s*(uid|resourceVersion|selfLink): .*`)

// record writes a snapshot, without what differs in each run.
func (x *world) record(situation string, s *explain.Snapshot) error {
	if *snapshots == "" {
		return nil
	}
	for i := range s.Leases {
		holder := s.Leases[i].Spec.HolderIdentity
		if holder != nil && *holder != "" {
			*holder = "landbridge-0_1"
		}
	}
	b, err := yaml.Marshal(s)
	if err != nil {
		return err
	}
	text := ids.ReplaceAllString(strings.NewReplacer(x.namespace, "team-a", scratch, "/opt").Replace(string(b)), "")
	return os.WriteFile(filepath.Join(*snapshots, x.called(situation).name+".yaml"), []byte(text), 0o600)
}
