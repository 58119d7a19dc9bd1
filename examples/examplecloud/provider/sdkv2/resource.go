package sdkv2

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// fail is an error of the cloud. That an object was created and could not be read is a warning: the
// creation has succeeded, so the object is not to be replaced, and the next read completes its
// state.
func fail(doing string, err error) diag.Diagnostics {
	if client.Unread(err) {
		return diag.Diagnostics{{Severity: diag.Warning, Summary: "Object not read", Detail: err.Error()}}
	}
	return diag.Diagnostics{{Severity: diag.Error, Summary: "Cannot " + doing, Detail: err.Error()}}
}

func clientOf(meta any) *client.Client { return meta.(*client.Client) }

// get is a string of the configuration or state, "" if there is none.
func get(d *schema.ResourceData, name string) string {
	s, _ := d.Get(name).(string)
	return s
}

// set sets attributes.
func set(d *schema.ResourceData, values map[string]any) diag.Diagnostics {
	for name, value := range values {
		if err := d.Set(name, value); err != nil {
			return diag.FromErr(fmt.Errorf("set %s: %w", name, err))
		}
	}
	return nil
}

// setIdentity sets attributes of the identity.
func setIdentity(d *schema.ResourceData, values map[string]any) diag.Diagnostics {
	identity, err := d.Identity()
	if err != nil {
		return diag.FromErr(err)
	}
	for name, value := range values {
		if err := identity.Set(name, value); err != nil {
			return diag.FromErr(fmt.Errorf("set %s of the identity: %w", name, err))
		}
	}
	return nil
}

// identityByID is the identity of all types that have just an id.
func identityByID() *schema.ResourceIdentity {
	return &schema.ResourceIdentity{
		SchemaFunc: func() map[string]*schema.Schema {
			return map[string]*schema.Schema{"id": {Type: schema.TypeString, RequiredForImport: true}}
		},
	}
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func stringMap(value any) map[string]string {
	texts := map[string]string{}
	for key, text := range value.(map[string]any) {
		texts[key], _ = text.(string)
	}
	return texts
}
