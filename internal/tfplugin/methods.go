package tfplugin

// Method is one call of the plugin protocol by its full gRPC name in either protocol.
type Method struct {
	v5, v6 string
}

// Name returns the full gRPC name of the call in a major protocol version; false when that
// protocol does not have the call.
func (m Method) Name(protocol int) (string, bool) {
	if protocol == 5 {
		return m.v5, m.v5 != ""
	}
	return m.v6, true
}

const (
	service5 = "/tfplugin5.Provider/"
	service6 = "/tfplugin6.Provider/"
)

func both(name string) Method            { return Method{v5: service5 + name, v6: service6 + name} }
func renamed(name5, name6 string) Method { return Method{v5: service5 + name5, v6: service6 + name6} }
func only6(name string) Method           { return Method{v6: service6 + name} }

// The calls of the protocol, by their names in protocol 6.
var (
	GetMetadata                     = both("GetMetadata")
	GetProviderSchema               = renamed("GetSchema", "GetProviderSchema")
	GetResourceIdentitySchemas      = both("GetResourceIdentitySchemas")
	ValidateProviderConfig          = renamed("PrepareProviderConfig", "ValidateProviderConfig")
	ConfigureProvider               = renamed("Configure", "ConfigureProvider")
	StopProvider                    = renamed("Stop", "StopProvider")
	ValidateResourceConfig          = renamed("ValidateResourceTypeConfig", "ValidateResourceConfig")
	UpgradeResourceState            = both("UpgradeResourceState")
	UpgradeResourceIdentity         = both("UpgradeResourceIdentity")
	ReadResource                    = both("ReadResource")
	PlanResourceChange              = both("PlanResourceChange")
	ApplyResourceChange             = both("ApplyResourceChange")
	ImportResourceState             = both("ImportResourceState")
	MoveResourceState               = both("MoveResourceState")
	GenerateResourceConfig          = both("GenerateResourceConfig")
	ValidateDataResourceConfig      = renamed("ValidateDataSourceConfig", "ValidateDataResourceConfig")
	ReadDataSource                  = both("ReadDataSource")
	GetFunctions                    = both("GetFunctions")
	CallFunction                    = both("CallFunction")
	ValidateEphemeralResourceConfig = both("ValidateEphemeralResourceConfig")
	OpenEphemeralResource           = both("OpenEphemeralResource")
	RenewEphemeralResource          = both("RenewEphemeralResource")
	CloseEphemeralResource          = both("CloseEphemeralResource")
	ValidateListResourceConfig      = both("ValidateListResourceConfig")
	ListResource                    = both("ListResource")
	ValidateActionConfig            = both("ValidateActionConfig")
	PlanAction                      = both("PlanAction")
	InvokeAction                    = both("InvokeAction")
	ValidateStateStoreConfig        = only6("ValidateStateStoreConfig")
	ConfigureStateStore             = only6("ConfigureStateStore")
	ReadStateBytes                  = only6("ReadStateBytes")
	WriteStateBytes                 = only6("WriteStateBytes")
	GetStates                       = only6("GetStates")
	DeleteState                     = only6("DeleteState")
	LockState                       = only6("LockState")
	UnlockState                     = only6("UnlockState")
)

// Methods returns all calls.
func Methods() []Method {
	return []Method{
		GetMetadata,
		GetProviderSchema,
		GetResourceIdentitySchemas,
		ValidateProviderConfig,
		ConfigureProvider,
		StopProvider,
		ValidateResourceConfig,
		UpgradeResourceState,
		UpgradeResourceIdentity,
		ReadResource,
		PlanResourceChange,
		ApplyResourceChange,
		ImportResourceState,
		MoveResourceState,
		GenerateResourceConfig,
		ValidateDataResourceConfig,
		ReadDataSource,
		GetFunctions,
		CallFunction,
		ValidateEphemeralResourceConfig,
		OpenEphemeralResource,
		RenewEphemeralResource,
		CloseEphemeralResource,
		ValidateListResourceConfig,
		ListResource,
		ValidateActionConfig,
		PlanAction,
		InvokeAction,
		ValidateStateStoreConfig,
		ConfigureStateStore,
		ReadStateBytes,
		WriteStateBytes,
		GetStates,
		DeleteState,
		LockState,
		UnlockState,
	}
}
