package cover

import (
	"sandlot/internal/domain/heads"
)

// CurrentStore is a Store as a Service has it, for the tests outside of the package.
func CurrentStore(s Store, heads *heads.Cache) any { return currentStore{s, heads.After} }
