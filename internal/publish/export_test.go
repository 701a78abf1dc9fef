package publish

// The stores as a Service has them, for the tests outside of the package.
func CurrentStore(s Store, heads *Heads) any    { return currentStore{s, heads} }
func CurrentSite(s SiteStore, heads *Heads) any { return currentSite{s, heads} }
