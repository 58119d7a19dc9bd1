package providerconfig

// InUse returns what keeps a configuration that is being deleted.
func InUse(ref Reference, users []User) string { return inUse(ref, users).Message }

// AccountChanged is accountChanged.
var AccountChanged = accountChanged

// StoredAccount is storedAccount.
var StoredAccount = storedAccount

// SetPlainCredentials is setPlainCredentials.
var SetPlainCredentials = setPlainCredentials
