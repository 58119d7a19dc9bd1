package main

import (
	"context"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// azurermTypes are 20 resource types of azurerm.
var azurermTypes = []string{
	"azurerm_resource_group", "azurerm_virtual_network", "azurerm_subnet", "azurerm_network_interface", "azurerm_public_ip",
	"azurerm_network_security_group", "azurerm_route_table", "azurerm_storage_account", "azurerm_storage_container", "azurerm_key_vault",
	"azurerm_key_vault_secret", "azurerm_linux_virtual_machine", "azurerm_managed_disk", "azurerm_kubernetes_cluster",
	"azurerm_container_registry",
	"azurerm_dns_zone", "azurerm_dns_a_record", "azurerm_postgresql_flexible_server",
	"azurerm_log_analytics_workspace", "azurerm_user_assigned_identity",
}

// scale installs a provider with more than a thousand resource types.
func scale(ctx context.Context, r *figure.Report, bin string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := start(ctx, bin, settings{poll: time.Minute})
	if err != nil {
		return err
	}
	defer c.stop()
	before, err := c.usage()
	if err != nil {
		return err
	}
	took, err := c.install(ctx, "azurerm", "hashicorp/azurerm", "", azurermTypes...)
	if err != nil {
		return err
	}
	u, err := c.client.Resource(providers).Get(ctx, "azurerm", getNow)
	if err != nil {
		return err
	}
	status, _ := u.Object["status"].(map[string]any)
	if status["activated"] != int64(len(azurermTypes)) {
		return fmt.Errorf("%v kinds are activated, not %d", status["activated"], len(azurermTypes))
	}
	after, err := c.usage()
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "scale: azurerm, resource types", Value: float64(status["resources"].(int64)), Unit: "types"})
	r.Add(figure.Figure{Name: "scale: azurerm, 20 kinds, until served", Value: seconds(took), Unit: "s"})
	r.Add(figure.Figure{Name: "scale: azurerm, processor time of the installation", Value: after.sub(before).total().Seconds(), Unit: "s CPU"})
	controller, _, err := c.memory()
	if err != nil {
		return err
	}
	r.Add(figure.Figure{Name: "scale: azurerm, memory of the controller", Value: controller, Unit: "MiB"})
	return nil
}
