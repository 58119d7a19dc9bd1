package crd

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/model"
)

// The values of spec.retryPolicy; the first is the default.
const (
	RetryNever     = "Never"
	RetryOnFailure = "OnFailure"
)

// MaxProgress is the number of messages of a provider that the status of an action has at most.
const MaxProgress = 20

// invokedSpec changes the schema of a data source's spec to that of an action.
func invokedSpec(spec *props) {
	spec.Description = "What is invoked, and when. One object is one invocation."
	delete(spec.Properties, "writeConnectionSecretToRef")
	spec.Properties["suspend"] = props{
		Type: "boolean", Description: "Whether the invocation is held back. What has begun goes on. Default: false.",
	}
	spec.Properties["ttlSecondsAfterFinished"] = props{
		Type: "integer", Format: "int64", Minimum: ptr.To(0.0),
		Description: "How many seconds the object is kept after the invocation has ended. Without it, the object is " +
			"kept. An object that is applied again after that is another invocation.",
	}
	spec.Properties["retryPolicy"] = enum("When the action is invoked again. Never: never. OnFailure: when the "+
		"provider says that it has failed. An invocation whose outcome is unknown is never repeated. Default: Never.",
		RetryNever, RetryOnFailure)
	spec.Properties["maxAttempts"] = props{
		Type: "integer", Format: "int64", Minimum: ptr.To(1.0), Maximum: ptr.To(100.0),
		Description: "How often the action is invoked at most with the retry policy OnFailure. The delay between " +
			"attempts grows from 10 s to 6 min. Default: 3.",
	}
	spec.Properties["approvalPolicy"] = enum("Whether the plan waits for approval. The TerraformProvider and the "+
		"provider configuration may require it, too: what an action does is not known, so it counts as destructive. "+
		"Default: Never.",
		ApprovalNever, ApprovalAlways)
}

// begunRules are the rules by which the arguments of an action stay once it has begun.
func begunRules() apiextensionsv1.ValidationRules {
	var out apiextensionsv1.ValidationRules
	for _, field := range []string{"forProvider", "references", "providerConfigRef"} {
		same := fmt.Sprintf("has(self.spec.%[1]s) == has(oldSelf.spec.%[1]s) && (!has(self.spec.%[1]s) || "+
			"self.spec.%[1]s == oldSelf.spec.%[1]s)", field)
		out = append(out, apiextensionsv1.ValidationRule{
			Rule:    "!has(oldSelf.status) || !has(oldSelf.status.startTime) || " + same,
			Message: fmt.Sprintf("spec.%s cannot be changed after the action was invoked: create another object for another invocation", field),
		})
	}
	return out
}

func actionStatusSchema(*model.Resource, *model.Type, writer) props {
	message := props{
		Type: "object", Required: []string{"time", "message"},
		Properties: map[string]props{
			"time":    {Type: "string", Format: "date-time", Description: "When the message arrived."},
			"message": {Type: "string", Description: "The message, without sensitive values."},
		},
	}
	plan := planSchema()
	plan.Description = "What is invoked."
	delete(plan.Properties, "reason")
	delete(plan.Properties, "requiresReplace")
	plan.Properties["action"] = props{Type: "string", Description: "Invoke."}
	atomic := "atomic"
	return props{
		Type:        "object",
		Description: "How far the invocation is.",
		Default:     unobserved(),
		XMapType:    &atomic,
		Properties: looked(map[string]props{
			"phase": enum("How far the invocation is. Unknown: the provider was asked, and has not "+
				"said how the action ended.", "Pending", "AwaitingApproval", "Running", "Succeeded",
				"Failed", "Unknown"),
			"attempts":       integer("How often the action was invoked."),
			"startTime":      {Type: "string", Format: "date-time", Description: "When the last attempt began."},
			"completionTime": {Type: "string", Format: "date-time", Description: "When the last attempt ended, or was found interrupted."},
			"progress": {
				Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &message},
				MaxItems:    ptr.To[int64](MaxProgress),
				Description: "The last messages of the provider about the last attempt.",
			},
			"plan":         plan,
			"lastApproval": lastApprovalSchema(),
		}),
	}
}

func actionColumns(*model.Resource) []apiextensionsv1.CustomResourceColumnDefinition {
	return []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "PHASE", Type: "string", JSONPath: ".status.phase"},
		{Name: "STARTED", Type: "date", JSONPath: ".status.startTime", Description: "When the last attempt began."},
		{Name: "COMPLETED", Type: "date", JSONPath: ".status.completionTime", Description: "When the last attempt ended."},
		{Name: "REASON", Type: "string", JSONPath: ".status.conditions[?(@.type=='Synced')].reason"},
		{Name: "ATTEMPTS", Type: "integer", JSONPath: ".status.attempts", Priority: 1, Description: "How often the action was invoked."},
		age(),
	}
}
