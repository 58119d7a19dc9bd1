package crd

import (
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Cost is what CRDs cost an API server.
type Cost struct {
	// CRDs is their number, and Bytes their size as JSON.
	CRDs  int `json:"crds"`
	Bytes int `json:"bytes"`
	// Memory and OpenAPI are estimates: the memory of each API server, and the size of OpenAPI v3,
	// in bytes.
	Memory  int `json:"memory"`
	OpenAPI int `json:"openAPI"`
}

// Bytes of resident memory and of OpenAPI v3 for each byte of a CRD, as make bench-crds measures
// them (docs/performance.md).
const (
	memoryPerByte  = 250.0
	openAPIPerByte = 3.4
)

// EstimateCost returns the cost of CRDs.
func EstimateCost(all []*apiextensionsv1.CustomResourceDefinition) (Cost, error) {
	out := Cost{CRDs: len(all)}
	for _, d := range all {
		raw, err := json.Marshal(d)
		if err != nil {
			return Cost{}, err
		}
		out.Bytes += len(raw)
	}
	out.Memory, out.OpenAPI = int(memoryPerByte*float64(out.Bytes)), int(openAPIPerByte*float64(out.Bytes))
	return out, nil
}
