package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// errUndo takes a step back.
var errUndo = errors.New("taken back")

// manyVersions gives a project that many versions of one file.
func manyVersions(t *testing.T, db *DB, id sandlot.ProjectID, n int) (num int64) {
	t.Helper()
	expect.Is(t, "make versions", db.step(context.Background(), nil, func(x *tx) (err error) {
		if num, err = x.number("SELECT num FROM projects WHERE id = ?", string(id)); err != nil {
			return err
		}
		const numbers = "WITH RECURSIVE v (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM v WHERE n < ?2) "
		for _, q := range []string{
			numbers + "INSERT INTO versions (project, n, suffix, title, primary_file, created_at) SELECT ?1, n, '0123456789', '', 'index.html', 0 FROM v",
			numbers + "INSERT INTO files (project, since, until, folded, name, blob) SELECT ?1, n - 1, n, 'a.js', 'a.js', (SELECT max(id) FROM blobs) FROM v",
			"UPDATE projects SET version = ?2 WHERE num = ?1",
		} {
			if err = x.do(q, num, n); err != nil {
				return err
			}
		}
		return nil
	}), nil)
	return num
}

// TestSoakRegression41ErasingLooksAtNoOtherVersions compares the oldest version of a
// project with few and of one with many others.
func TestSoakRegression41ErasingLooksAtNoOtherVersions(t *testing.T) {
	testenv.Unraced(t)
	db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
	cost := func(project uint64, versions int) time.Duration {
		num := manyVersions(t, db, mustProject(t, db, project).ID, versions)
		least := time.Hour
		for range 20 {
			err := db.step(t.Context(), nil, func(x *tx) error {
				begun := time.Now()
				if err := x.do("UPDATE versions SET erased_at = 1 WHERE project = ? AND n = 2", num); err != nil {
					return err
				}
				if err := (&sweep{tx: x, left: eraseStep}).dropErased(erasure{num, 2, 1, 3}); err != nil {
					return err
				}
				least = min(least, time.Since(begun))
				return errUndo
			})
			expect.Is(t, "erase", err, errUndo)
		}
		return least
	}
	few, many := cost(1, 100), cost(2, 50_000)
	if many > 10*few {
		t.Errorf("with 100 versions it took %v, with 50,000 %v", few, many)
	}
}

// TestRegression41ErasingLetsGoOfFilesInSteps erases a version of many files. A copy
// of the database that was made after the first step is that of a crash.
func TestRegression41ErasingLetsGoOfFilesInSteps(t *testing.T) {
	t.Parallel()
	path := testenv.MemoryDir(t) + "/sandlot.db"
	db := mustOpen(t, path)
	p := mustProject(t, db, 1)
	const files = 2000
	expect.Is(t, "make versions", db.step(t.Context(), nil, func(x *tx) (err error) {
		num, err := x.number("SELECT num FROM projects WHERE id = ?", string(p.ID))
		for _, q := range []string{
			"INSERT INTO versions (project, n, suffix, title, primary_file, created_at) SELECT ?1, n, '0123456789', '', 'index.html', 0 FROM (SELECT 2 AS n UNION SELECT 3) WHERE ?2 > 0",
			`WITH RECURSIVE v (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM v WHERE n < ?2)
				INSERT INTO files (project, since, until, folded, name, blob) SELECT ?1, 2, 3, 'f' || n, 'f' || n, (SELECT max(id) FROM blobs) FROM v`,
			"UPDATE projects SET version = 3 WHERE num = ?1 AND ?2 > 0",
		} {
			if err == nil {
				err = x.do(q, num, files)
			}
		}
		return err
	}), nil)
	steps, most, crashed := 0, int64(0), ""
	watchSteps(t, db, func(rows int64) {
		if steps++; steps == 1 {
			_, err := db.Publish().Files(context.Background(), p.ID, 2)
			expect.Is(t, "files of the erased version", err, sandlot.ErrNotFound)
			crashed = copyDatabase(t, path)
		}
		most = max(most, rows)
	})
	steps, most = 0, 0
	expect.Is(t, "erase", db.Publish().EraseVersion(t.Context(), p.ID, 2, time.Now()), nil)
	if most > 500 || steps < files/100 {
		t.Errorf("%d steps, one of which changed %d rows", steps, most)
	}
	count := func(db *DB, q string) int64 {
		n, err := one(t.Context(), db, scanValue[int64], "SELECT count(*) FROM "+q)
		expect.Is(t, "count", err, nil)
		return n
	}
	expect.Equal(t, "files", count(db, "files"), 1)
	again := mustOpen(t, crashed)
	expect.Equal(t, "files after a crash", count(again, "files"), files+1)
	_, _, err := again.Upkeep().Sweep(t.Context(), time.Now(), time.Time{}, 500)
	expect.Is(t, "sweep", err, nil)
	expect.Equal(t, "files after a sweep", count(again, "files"), 1)
	expect.Equal(t, "erasures", count(again, "erasures"), 0)
}
