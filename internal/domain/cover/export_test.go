package cover

import "sandlot/internal/domain/publish"

// CurrentStore is a Store as a Service has it, for the tests outside of the package.
func CurrentStore(s Store, heads *publish.Heads) any { return currentStore{s, heads.After} }
