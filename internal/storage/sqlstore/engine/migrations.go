package engine

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A Migration brings the schema from one number to the next. A released migration is never edited.
type Migration struct {
	N    int
	Name string
	SQL  string
	Sum  [sha256.Size]byte
	// Oldest is the oldest schema whose programs may use the database after this migration; N if the file does not say.
	Oldest int
}

// oldestLine begins the text of a migration that leaves programs of earlier schemas at work.
var oldestLine = regexp.MustCompile(`^-- oldest: (\d+)\b`)

// LoadMigrations reads the files NNNN_name.sql of a folder, numbered from 1 without gaps.
func LoadMigrations(files fs.FS, folder string) ([]Migration, error) {
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil {
		return nil, err
	}
	var list []Migration
	for i, name := range names {
		base := path.Base(name)
		number, _, _ := strings.Cut(base, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s should have the number %d", base, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		list = append(list, Migration{
			N: i + 1, Name: base, SQL: string(text), Sum: sha256.Sum256(text),
			Oldest: oldest(text, i+1),
		})
	}
	return list, nil
}

// oldest returns the number in the first line of a migration; n if there is none.
func oldest(text []byte, n int) int {
	if found := oldestLine.FindSubmatch(text); found != nil {
		n, _ = strconv.Atoi(string(found[1]))
	}
	return n
}

// Unapplied returns the known migrations that are missing from a database with the given checksums. More than the known
// ones may be there if the oldest schema that its programs must know is known. Other migrations are an error.
func Unapplied(name string, known []Migration, sums [][]byte, oldest int) ([]Migration, error) {
	if n := len(sums); n > len(known) && oldest > len(known) {
		return nil, fmt.Errorf("%s was written by a newer sandlot (its schema is %d, for programs that know %d; this one knows %d); "+
			"nothing was changed, start the newer one, or a copy from before its upgrade", name, n, oldest, len(known))
	}
	for i, sum := range sums[:min(len(sums), len(known))] {
		if !bytes.Equal(sum, known[i].Sum[:]) {
			return nil, fmt.Errorf("%s was made by another %s than the one in this sandlot; "+
				"nothing was changed, start the sandlot that made it", name, known[i].Name)
		}
	}
	return known[min(len(sums), len(known)):], nil
}

// OldestTable makes the table of one row with the oldest schema whose programs may use the database. It is part of no
// migration, for each one changes it.
const OldestTable = "CREATE TABLE IF NOT EXISTS oldest_schema (one BIGINT PRIMARY KEY CHECK (one = 1), n BIGINT NOT NULL)"
