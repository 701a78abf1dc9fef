package sqlite

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

// Before the first release the schema grew by 30 migrations, which are one baseline now. A database that has
// all of them is adopted: it gets the other parts of the baseline, and is recorded as one that began with the
// baseline.
var (
	//go:embed adoption/adopt.sql
	adoptSQL string
	//go:embed adoption/before.sums
	beforeSums string // the SHA-256 and the name of each, in their order
)

// adopting returns the migration that adopts a database with these checksums, and
// none for one that began with the baseline. One that has only some of the migrations
// of before is refused.
func adopting(path string, sums [][]byte, baseline engine.Migration) ([]engine.Migration, error) {
	before := strings.Split(strings.TrimSpace(beforeSums), "\n")
	for i, sum := range sums {
		if i == len(before) || !strings.HasPrefix(before[i], hex.EncodeToString(sum)+" ") {
			return nil, nil
		}
	}
	switch len(sums) {
	case 0:
		return nil, nil
	case len(before):
		baseline.SQL = adoptSQL
		return []engine.Migration{baseline}, nil
	}
	return nil, fmt.Errorf("%s was made by an early sandlot (its schema is %d of %d before the first release); nothing was changed, start the last sandlot of before the first release (schema %d) on it once, then this one", path, len(sums), len(before), len(before))
}
