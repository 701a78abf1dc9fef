package sqlite

import (
	"os"

	"sandlot/internal/base/durable"
)

// placeOf remembers where the files of an open database are: the records and the
// log, which both stay the same as long as a connection is open. To check costs two
// calls of the system, for a whole commit.
func placeOf(path string) (durable.Place, error) {
	p := durable.Place{What: "the database"}
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			return p, err
		}
		p.Add(name, info)
	}
	return p, nil
}
