package kinds_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/desired"
)

// Kinds see what their provider sets now, and nothing of other providers.
func TestDefaults(t *testing.T) {
	rt := &kinds.Runtime{}
	approval, poll, replaces := rt.Approval("one"), rt.Poll("one"), rt.ReplacesDependents("one")
	check := func(wantApproval desired.Approval, wantPoll time.Duration, wantReplaces bool) {
		t.Helper()
		if a, p, r := approval(), poll(), replaces(); a != wantApproval || p != wantPoll || r != wantReplaces {
			t.Errorf("got %v, %s, %t", a, p, r)
		}
	}
	rt.SetDefaults("other", kinds.Defaults{ApprovalPolicy: "Always", ReplaceDependents: "Automatic"})
	check(desired.ApproveNothing, 0, false)
	rt.SetDefaults("one", kinds.Defaults{
		ApprovalPolicy: "Destructive", PollInterval: &metav1.Duration{Duration: time.Hour}, ReplaceDependents: "Automatic",
	})
	check(desired.ApproveDestructive, time.Hour, true)
	rt.SetDefaults("one", kinds.Defaults{ReplaceDependents: "Ask"})
	check(desired.ApproveNothing, 0, false)
}
