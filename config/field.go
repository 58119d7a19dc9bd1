package config

// Field is how an attribute or a block is presented.
type Field struct {
	// Name is the name of the field; empty: Terraform's in camelCase. A name that is taken is an
	// error.
	// +optional
	Name string `json:"name,omitempty"`
	// FormerNames are names that the field had in earlier versions of its API. Objects of those are
	// converted.
	// +optional
	FormerNames []string `json:"formerNames,omitempty"`
	// Description says what the field is, instead of the schema.
	// +optional
	Description string `json:"description,omitempty"`
	// Type is the type of the field, where it is not the one that Terraform has.
	// +optional
	Type FieldType `json:"type,omitempty"`
	// Sensitive makes an attribute one whose value is given as a reference to a Secret, is in no
	// status, and is written to the connection Secret.
	// +optional
	Sensitive bool `json:"sensitive,omitempty"`
	// Value is what a top-level attribute is set to. It is not in spec then. Templates have
	// .parameters and .metadata.
	// +optional
	Value Template `json:"value,omitempty"`
}

// FieldType is a type of a field of a custom resource.
// +kubebuilder:validation:Enum=string;number;integer;boolean;json;list;map
type FieldType string

// The types. Of attributes, numbers and booleans can be strings, numbers can be integers, and
// strings can be numbers, integers, booleans, and any JSON, of which the string is the text. Lists
// and maps are of strings, and for added fields alone.
const (
	FieldString  FieldType = "string"
	FieldNumber  FieldType = "number"
	FieldInteger FieldType = "integer"
	FieldBoolean FieldType = "boolean"
	FieldJSON    FieldType = "json"
	FieldList    FieldType = "list"
	FieldMap     FieldType = "map"
)

// AddedField is a field of spec.forProvider that the provider does not have.
type AddedField struct {
	// Type of the field; a string by default.
	// +optional
	Type FieldType `json:"type,omitempty"`
	// Description says what the field is.
	// +optional
	Description string `json:"description,omitempty"`
	// Required says that the field must be given.
	// +optional
	Required bool `json:"required,omitempty"`
}
