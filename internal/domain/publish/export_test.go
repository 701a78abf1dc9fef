package publish

import "sandlot/internal/domain/heads"

// The stores as a Service has them, for the tests outside of the package.
func CurrentStore(s Store, heads *heads.Cache) any { return currentStore{s, heads} }

func CurrentManagement(s ManagementStore, heads *heads.Cache) any { return currentManagement{s, heads} }
