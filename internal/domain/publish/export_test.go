package publish

// The stores as a Service has them, for the tests outside of the package.
func CurrentStore(s Store, heads *Heads) any                { return currentStore{s, heads} }
func CurrentManagement(s ManagementStore, heads *Heads) any { return currentManagement{s, heads} }
