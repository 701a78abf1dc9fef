package sqlstore

import (
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestPlayersOfAVersionCountOnceADay(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	playersOnceADay(t, db, func(tx *tx) error {
		return (&sweep{tx: tx, left: 9}).forgetSeen("version_figures", "version", playedOn+1)
	})
}

func TestPlayersOfAVersionCountOnceADayOnAServer(t *testing.T) {
	t.Parallel()
	db := mustOpenServer(t)
	playersOnceADay(t, db, func(*tx) error { // by another connection
		now := time.Unix((playedOn+1)*86400+3600, 0)
		_, _, err := db.Upkeep().Sweep(t.Context(), now, now.Add(-time.Hour), 500)
		return err
	})
}

// playedOn is the day on which ann plays first.
const playedOn = 20_000

// playersOnceADay has ann play a version twice, and a sweep, which forgets her, come between reading and writing.
func playersOnceADay(t *testing.T, db *DB, forget func(*tx) error) {
	mustProject(t, db, 1)
	var ann figures.Cell
	ann.Seen.Add("ann")
	for i, c := range []struct {
		name   string
		second int64 // day on which she is there again, by the clock of the node
		forget func(*tx) error
		want   int64
	}{
		{"one day", playedOn, nil, 1},
		{"two days", playedOn + 1, nil, 2},
		{"two days, and a sweep between them", playedOn + 1, forget, 2},
		{"one day, and a clock that is some seconds behind at its beginning", playedOn - 1, nil, 1},
		{"a day, and one after a clock was far ahead", playedOn - 5, nil, 2},
	} {
		version := i + 1
		of := []projectFigures{{num: 1, version: version, Added: figures.Added{Versions: map[int]figures.Cell{version: ann}}}}
		expect.OK(t, db.step(t.Context(), nil, func(tx *tx) error { return figuring{tx, playedOn}.add(of) }), c.name)
		expect.OK(t, db.step(t.Context(), nil, func(tx *tx) error {
			f := figuring{tx, c.second}
			kept, err := f.kept(of)
			if err == nil && c.forget != nil {
				err = c.forget(tx)
			}
			if err != nil {
				return err
			}
			return f.addVersion(1, version, ann, kept.versions[versionKey(1, version)])
		}), c.name)
		found, err := one(t.Context(), db, func(r row) (f figures.Cell, err error) {
			err = r.Scan(&f.Players, asSketch{&f.Seen})
			return f, err
		}, "SELECT players, seen FROM version_figures WHERE version = ?", version)
		expect.OK(t, err, c.name)
		expect.Equal(t, c.name, found.Players+found.Seen.Count(), c.want)
	}
}
