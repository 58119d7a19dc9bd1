package discovery

import (
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Document holds the objects found, in a format that can be read again.
type Document struct {
	Objects []DocumentObject `json:"objects"`
	Gaps
}

// Gaps are the resource types that a document lacks.
type Gaps struct {
	// NotListable are requested resource types that cannot be listed.
	NotListable []string `json:"notListable,omitempty"`
	// Incomplete are resource types of which there may be more objects.
	Incomplete []string `json:"incomplete,omitempty"`
}

// DocumentObject is a remote object.
type DocumentObject struct {
	// Type is Terraform's name of the resource type.
	Type        string `json:"type"`
	APIVersion  string `json:"apiVersion"`
	Kind        string `json:"kind"`
	DisplayName string `json:"displayName,omitempty"`
	// Identity has the format of spec.import.identity. IdentityVersion is that of its schema.
	Identity        map[string]any  `json:"identity"`
	IdentityVersion int64           `json:"identityVersion"`
	ManagedBy       []DocumentOwner `json:"managedBy"`
}

// DocumentOwner manages an object: a custom resource, or a resource in a Terraform state.
type DocumentOwner struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Address   string `json:"address,omitempty"`
	// Declared is set if it has not managed the object yet.
	Declared bool `json:"declared,omitempty"`
}

// NewGaps returns the gaps of listings, and of types that could not be listed.
func NewGaps(listings []Listing, notListable []*model.Resource) Gaps {
	var out Gaps
	for _, l := range listings {
		if l.More || l.Diagnostics.HasErrors() {
			out.Incomplete = append(out.Incomplete, l.Request.Resource.Type)
		}
	}
	for _, r := range notListable {
		out.NotListable = append(out.NotListable, r.Type)
	}
	return out
}

// Document returns the object as a document has it.
func (o Object) Document() DocumentObject {
	out := DocumentObject{
		Type: o.Resource.Type, APIVersion: o.Resource.GroupVersionKind().GroupVersion().String(), Kind: o.Resource.Kind,
		DisplayName: o.DisplayName, Identity: translate.Identity(o.Resource, o.Identity), ManagedBy: []DocumentOwner{},
	}
	if s := o.Resource.Schema.Identity; s != nil {
		out.IdentityVersion = s.Version
	}
	for _, w := range o.Owners {
		if w.Address != "" {
			out.ManagedBy = append(out.ManagedBy, DocumentOwner{Address: w.Address})
			continue
		}
		out.ManagedBy = append(out.ManagedBy, DocumentOwner{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, Declared: w.Declared})
	}
	return out
}
