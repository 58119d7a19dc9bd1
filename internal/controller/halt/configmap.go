package halt

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// listIn returns the list, in JSON, that a ConfigMap of a name has under a key.
func listIn[T any](c *corev1.ConfigMap, name, key string) (out []T, _ error) {
	raw := c.Data[key]
	if raw == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		return nil, fmt.Errorf("%s of the ConfigMap %s is no list of %s: %w", key, name, key, err)
	}
	return out, nil
}

// setList sets the list that a ConfigMap has under a key.
func setList[T any](c *corev1.ConfigMap, key string, all []T) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if c.Data == nil {
		c.Data = map[string]string{}
	}
	c.Data[key] = string(raw)
	return nil
}
