package config

// Field configures how an attribute or a block is presented.
type Field struct {
	// Name is the name of the field. It must not be taken. Defaults to Terraform's name in
	// camelCase.
	// +optional
	Name string `json:"name,omitempty"`
	// FormerNames are the names of the field in earlier API versions. Objects of those versions are
	// converted.
	// +optional
	FormerNames []string `json:"formerNames,omitempty"`
	// Description replaces the description of the schema.
	// +optional
	Description string `json:"description,omitempty"`
	// Type is the type of the field. Defaults to the type of the schema.
	// +optional
	Type FieldType `json:"type,omitempty"`
	// Sensitive makes an attribute sensitive: its value is set by a reference to a Secret, is not
	// in status, and is written to the connection Secret.
	// +optional
	Sensitive bool `json:"sensitive,omitempty"`
	// Immutable makes the API server refuse changes of an argument of a primitive type once it is
	// set, such as those that would replace the object. False exempts a field from inferImmutable.
	// +optional
	Immutable *bool `json:"immutable,omitempty"`
	// Value is the value of a top-level attribute, which then is not in spec. It may use
	// .parameters and .metadata.
	// +optional
	Value Template `json:"value,omitempty"`
}

// FieldType is the type of a field of a custom resource.
// +kubebuilder:validation:Enum=string;number;integer;boolean;json;list;map
type FieldType string

// The field types. Numbers and booleans can be presented as strings, numbers as integers, and
// strings as numbers, integers, booleans, and JSON, which is parsed from the string. Lists and maps
// have strings as elements, and are for added fields only.
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
	// Type of the field. Defaults to string.
	// +optional
	Type FieldType `json:"type,omitempty"`
	// Description of the field.
	// +optional
	Description string `json:"description,omitempty"`
	// Required makes the field required.
	// +optional
	Required bool `json:"required,omitempty"`
}
