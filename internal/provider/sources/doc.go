// Package sources has the flags that say where providers come from, for the controller and all
// commands.
//
// In: flags, environment variables (LANDBRIDGE_PROVIDER_MIRROR for --provider-mirror, and so on),
// and the configuration file of OpenTofu's or Terraform's command line. Out: an install.Installer.
// Providers that run already, by TF_REATTACH_PROVIDERS, are plugin.Attachments.
//
// It never finds or downloads a provider itself, and reads no other file.
package sources
