package engine

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A Migration brings the schema from one number to the next. One that was released is never edited.
type Migration struct {
	N    int
	Name string
	SQL  string
	Sum  [sha256.Size]byte
	// Expands is set if a program without this migration may go on using the schema.
	Expands bool
}

// expandsMark begins the text of a migration that only adds parts that the release before it need not know.
const expandsMark = "-- expands:"

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
			Expands: strings.HasPrefix(string(text), expandsMark),
		})
	}
	return list, nil
}

// Unapplied returns the known migrations that are missing from a database with the given checksums. One more than the
// known ones may be there, if it only expands the schema. Other migrations are an error.
func Unapplied(name string, known []Migration, sums [][]byte, expands bool) ([]Migration, error) {
	if n := len(sums); n > len(known)+1 || n == len(known)+1 && !expands {
		return nil, fmt.Errorf("%s was written by a newer sandlot (its schema is %d, this one knows %d); "+
			"nothing was changed, start the newer one", name, n, len(known))
	}
	for i, sum := range sums[:min(len(sums), len(known))] {
		if !bytes.Equal(sum, known[i].Sum[:]) {
			return nil, fmt.Errorf("%s was made by another %s than the one in this sandlot; "+
				"nothing was changed, start the sandlot that made it", name, known[i].Name)
		}
	}
	return known[min(len(sums), len(known)):], nil
}
