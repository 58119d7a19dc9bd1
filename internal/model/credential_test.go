package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

func credentialProvider(t *testing.T) *model.Provider {
	t.Helper()
	text := func(names ...string) *schema.Block {
		out := &schema.Block{Attributes: map[string]*schema.Attribute{}}
		for _, name := range names {
			out.Attributes[name] = &schema.Attribute{Type: cty.String, Optional: true}
		}
		return out
	}
	block := text("api_key", "endpoint", "source_uri", "client_certificate", "token_file")
	block.Attributes["password"] = &schema.Attribute{Type: cty.String, Optional: true, Sensitive: true}
	block.Attributes["token"] = &schema.Attribute{Type: cty.Bool, Optional: true}
	block.Attributes["headers"] = &schema.Attribute{Type: cty.Map(cty.String), Optional: true}
	block.Attributes["brokers"] = &schema.Attribute{Type: cty.List(cty.String), Optional: true}
	block.Attributes["anything"] = &schema.Attribute{Type: cty.DynamicPseudoType, Optional: true}
	block.Blocks = map[string]*schema.NestedBlock{
		"update": {Nesting: schema.NestingList, MaxItems: 1, Block: text("key_name", "key_secret")},
		"users":  {Nesting: schema.NestingList, Block: text("name", "nkey")},
	}
	p, err := model.NewProvider("test", &schema.Provider{Config: block}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlainCredentials(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec map[string]any
		want []model.PlainCredential
	}{
		"nothing": {
			spec: map[string]any{
				"endpoint": "https://example.org/?a=b@c", "tokenFile": "/token", "token": true,
				"clientCertificate": "PEM",
			},
		},
		"at the top":  {spec: map[string]any{"apiKey": "x"}, want: []model.PlainCredential{{Path: "apiKey", Field: "api_key"}}},
		"empty":       {spec: map[string]any{"apiKey": ""}},
		"in a Secret": {spec: map[string]any{"passwordSecretRef": map[string]any{"name": "a", "key": "password"}}},
		"in a block": {
			spec: map[string]any{"update": map[string]any{"keyName": "a", "keySecret": "b"}},
			want: []model.PlainCredential{{Path: "update.keySecret", Field: "update.key_secret"}},
		},
		"in an element": {
			spec: map[string]any{"users": []any{map[string]any{"name": "a"}, map[string]any{"nkey": "b"}}},
			want: []model.PlainCredential{{Path: "users[1].nkey", Field: "users.nkey"}},
		},
		"a key of a map": {
			spec: map[string]any{"headers": map[string]any{"Accept": "x", "X-Api-Key": "y"}},
			want: []model.PlainCredential{{Path: `headers["X-Api-Key"]`, Field: "headers"}},
		},
		"of any type": {
			spec: map[string]any{"anything": map[string]any{"clientSecret": "y"}},
			want: []model.PlainCredential{{Path: `anything["clientSecret"]`, Field: "anything"}},
		},
		"a URL": {
			spec: map[string]any{"sourceUri": "amqp://user:pass@host/x"},
			want: []model.PlainCredential{{Path: "sourceUri", Field: "source_uri", URL: true}},
		},
		"a URL in a list": {
			spec: map[string]any{"brokers": []any{"amqp://a", "amqp://u:p@b"}}, want: []model.PlainCredential{{
				Path: "brokers[1]", Field: "brokers", URL: true,
			}},
		},
		"a URL without password": {spec: map[string]any{"sourceUri": "ssh://git@host/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, model.PlainCredentials(credentialProvider(t).Config, test.spec)); diff != "" {
				t.Errorf("credentials (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnmarkedCredentials(t *testing.T) {
	t.Parallel()
	want := []string{"api_key", "update.key_secret", "users.nkey"}
	if diff := cmp.Diff(want, model.UnmarkedCredentials(credentialProvider(t).Config)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestNamesCredential(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"key_secret": true, "oauth_client_secret": true, "credential_data": true, "nkey": true, "key_file_data": true, "secret_key": true,
		"client_secret": true, "client_key": true, "clientSecret": true, "X-Auth-Token": true, "Authorization": true,
		"DB_PASSWORD": true, "apikey": true,
		"secret_name": false, "key_name": false, "public_key": false, "token_url": false, "password_length": false, "monkey": false, "key": false,
		"credentials_file": false, "metadata": false, "ssh_key_id": false,
	} {
		if got := model.NamesCredential(name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}
