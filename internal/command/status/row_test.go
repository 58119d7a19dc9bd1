package status_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// What failed earlier is shown as long as something is wrong.
func TestMessageOfEarlierOperation(t *testing.T) {
	for name, test := range map[string]struct{ ready, synced, want string }{
		"healthy":    {"True", "True", ""},
		"not ready":  {"False", "True", "Quota exceeded."},
		"not synced": {"True", "False", "Quota exceeded."},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
				condition("LastAsyncOperation", "False", "AsyncUpdateFailure", "Quota exceeded."),
				condition("Ready", test.ready, "Reason", ""), condition("Synced", test.synced, "Reason", ""),
			}}}}
			if got := status.RowOf(u).Message; got != test.want {
				t.Errorf("the message is %q, want %q", got, test.want)
			}
		})
	}
}

// What never settles is shown with the fields, also if the resource is ready.
func TestMessageOfWhatNeverSettles(t *testing.T) {
	for name, test := range map[string]struct{ synced, reason, never, want string }{
		"updates":                {"True", "ReconcileSuccess", "True", "tags never settles."},
		"replacements":           {"False", "NeverSettles", "True", "tags never settles."},
		"another failure":        {"False", "ReadFailed", "True", "Denied."},
		"what settled meanwhile": {"True", "ReconcileSuccess", "False", ""},
	} {
		t.Run(name, func(t *testing.T) {
			message := ""
			if test.synced == "False" {
				message = "Denied."
			}
			u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
				condition("NeverSettles", test.never, "UpdateRepeats", "tags never settles."),
				condition("Ready", "True", "Available", ""), condition("Synced", test.synced, test.reason, message),
			}}}}
			if got := status.RowOf(u).Message; got != test.want {
				t.Errorf("the message is %q, want %q", got, test.want)
			}
		})
	}
}

func TestParseProviderConfig(t *testing.T) {
	for text, want := range map[string]string{
		"main": "/main", "ProviderConfig/main": "ProviderConfig/main", "clusterproviderconfig/main": "ClusterProviderConfig/main",
		"": "", "/main": "", "main/": "", "Secret/main": "",
	} {
		t.Run(text, func(t *testing.T) {
			p, err := status.ParseProviderConfig(text)
			switch got := p.Kind + "/" + p.Name; {
			case want == "" && err == nil:
				t.Errorf("got %s, want an error", got)
			case want != "" && (err != nil || got != want):
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
}

func TestProviderConfigOfRow(t *testing.T) {
	u := &unstructured.Unstructured{
		Object: map[string]any{
			"spec": map[string]any{"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": "main"}},
		},
	}
	row := status.RowOf(u)
	for text, want := range map[string]bool{"main": true, "ProviderConfig/main": true, "ClusterProviderConfig/main": false, "other": false} {
		p, err := status.ParseProviderConfig(text)
		if got := p.Means(row.ProviderConfig); err != nil || got != want {
			t.Errorf("%s means the configuration of the row: %t, %v, want %t", text, got, err, want)
		}
	}
}
