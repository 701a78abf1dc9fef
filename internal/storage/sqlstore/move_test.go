package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A place is where a database of a move is; it can be opened again after a crash.
type place func(t *testing.T, opts Options) (*DB, error)

func sqlitePlace(t *testing.T) place {
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	return func(t *testing.T, opts Options) (*DB, error) { return OpenSQLite(t.Context(), path, opts) }
}

var movedPostgres = testenv.PostgresTemplate{Make: func(url string) error {
	db, err := OpenPostgres(context.Background(), url, postgres.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

func postgresPlace(t *testing.T) place {
	url := movedPostgres.Postgres(t)
	return func(t *testing.T, opts Options) (*DB, error) {
		return OpenPostgres(t.Context(), url, postgres.Options{Filling: opts.Filling})
	}
}

func pgbouncerPlace(t *testing.T) place {
	url := movedPostgres.Pgbouncer(t)
	return func(t *testing.T, opts Options) (*DB, error) {
		return OpenPostgres(t.Context(), url, postgres.Options{Filling: opts.Filling})
	}
}

// opened is the database, until the test ends.
func (p place) opened(t *testing.T, opts Options) *DB {
	t.Helper()
	db, err := p(t, opts)
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	return db
}

// A rows makes rows of all kinds for every table.
type rows struct {
	*rand.Rand
	db   *DB
	next int64 // of what has to be unlike all others
	few  int64 // the rows that others refer to have the numbers 1 to few
}

// value is one for a column: the smallest, the largest, null where it may be, or another.
func (r *rows) value(c engine.Column, null, unique bool) any {
	r.next++
	switch {
	case null && r.IntN(3) == 0:
		return nil
	case unique && c.Kind == engine.Number:
		return r.next
	case slices.Contains([]string{"account", "project", "blob", "variant", "upload", "move"}, c.Name) && c.Kind == engine.Number:
		return 1 + r.Int64N(r.few)
	}
	switch c.Kind {
	case engine.Number:
		return []int64{0, 1, -1, 1<<63 - 2, -1 << 63, r.Int64()}[r.IntN(6)]
	case engine.Text:
		if unique {
			return fmt.Sprintf("%d é %q", r.next, "a'b")
		}
		return []string{"", "a", "ä\x7f'\"", "好きな猫", strings.Repeat("x", 3000)}[r.IntN(5)]
	}
	if unique {
		return fmt.Appendf([]byte{0}, "%d", r.next)
	}
	return [][]byte{{}, {0}, []byte("\xff\x00text"), []byte(strings.Repeat("\x00\x01", 1500))}[r.IntN(4)]
}

// row is a new row of a table. What has to be so is: hashes of blobs, numbers that are given to rows.
func (r *rows) row(table engine.Table, nullable map[string]bool, number int64) values {
	v := make(values, len(table.Columns))
	for i, c := range table.Columns {
		unique := i < table.Keys || slices.ContainsFunc(table.Unique, func(set []int) bool { return slices.Contains(set, i) })
		v[i] = r.value(c, nullable[c.Name], unique)
		if i == 0 && c.Kind == engine.Number && number > 0 {
			v[i] = number
		}
		switch table.Name + "." + c.Name {
		case "blobs.size", "accounts.bytes", "accounts.projects":
			v[i] = r.Int64N(1000)
		case "blobs.sha256":
			v[i] = append([]byte{}, make([]byte, 32)...)
		case "files.since":
			v[i] = int64(-5)
		case "files.until":
			v[i] = r.next
		case "clock.one", "listing.one":
			v[i] = int64(1)
		case "listing.unverified", "accounts.verified", "projects.listed", "projects.unlisted":
			v[i] = r.Int64N(2)
		}
	}
	return v
}

// nullables are the columns of a table that may be null.
func nullables(t *testing.T, table string) map[string]bool {
	list := map[string]bool{}
	for _, name := range strings.Fields(nullable[table]) {
		list[name] = true
	}
	return list
}

// nullable are those columns; TestTheListOfTables holds them to the schema.
var nullable = map[string]string{
	"day_figures": "seen lengths", "version_figures": "seen lengths",
	"accounts": "suspended_at deleted_at verified_at", "projects": "deleted_at suspended_at", "keys": "project revoked_at", "versions": "erased_at",
	"blobs": "ref squeezed", "tickets": "key project owner56 owner48", "uploads": "key done_project done_version done_part done_sha256 done_answer token account done_made owner56 owner48",
	"pictures": "project account", "mails": "job", "logins": "token code", "jobs": "account login", "reports": "job closed_at",
}

func (r *rows) insert(t *tx, table engine.Table, v values) error {
	if err := t.displace(change{table: table, row: v}); err != nil {
		return err
	}
	if _, err := t.exec("DELETE FROM "+table.Name+" WHERE "+equal(table.Key())+" AND '"+table.Name+"' <> 'acts'", v[:table.Keys]...); err != nil {
		return err
	}
	return t.write(table, v)
}

// fill makes n rows of each table.
func (r *rows) fill(t *testing.T, n int64) {
	t.Helper()
	r.few = n
	for _, table := range movedTables {
		expect.OK(t, r.db.step(t.Context(), 0, func(x *tx) error {
			for i := range n {
				if err := r.insert(x, table, r.row(table, nullables(t, table.Name), i+1)); err != nil {
					return fmt.Errorf("%s: %w", table.Name, err)
				}
			}
			return nil
		}))
	}
}

// scribble changes the database until it refuses: rows come, change and go, one for each of the beats.
func (r *rows) scribble(ctx context.Context, t *testing.T, beats <-chan struct{}) (changed int, err error) {
	for {
		select {
		case <-beats:
		case <-ctx.Done():
		}
		table := movedTables[r.IntN(len(movedTables))]
		number := 1 + r.Int64N(2*r.few)
		v := r.row(table, nullables(t, table.Name), number)
		if table.Name == "acts" || table.Numbered && r.IntN(4) == 0 {
			r.next++
			v[0] = 1_000_000 + r.next
		}
		err := r.db.step(ctx, 0, func(x *tx) error {
			if r.IntN(3) > 0 || number <= r.few && slices.Contains([]string{"acts", "accounts", "projects", "blobs"}, table.Name) || table.Keys == 1 && table.Columns[0].Name == "one" {
				return r.insert(x, table, v)
			}
			_, err := x.exec("DELETE FROM "+table.Name+" WHERE "+equal(table.Key()[:1]), v[0])
			return err
		})
		switch {
		case err == nil:
			changed++
		case errors.Is(err, sandlot.ErrExists): // two that scribble, or a trigger
		case errors.Is(err, context.Canceled):
			return changed, nil
		default:
			return changed, fmt.Errorf("%s: %w", table.Name, err)
		}
	}
}

// dump is every row of every table.
func dump(t *testing.T, db *DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, table := range movedTables {
		expect.OK(t, db.engine.Snapshot(t.Context(), func(q engine.Querier) error {
			list, err := readPage(t.Context(), q, table, nil, nil, 0)
			for _, v := range list {
				var row []string
				for _, x := range v {
					row = append(row, fmt.Sprintf("%T %q", x, fmt.Sprint(x)))
				}
				out[table.Name] = append(out[table.Name], strings.Join(row, " "))
			}
			return err
		}))
	}
	return out
}

func sameRows(t *testing.T, got, want map[string][]string) {
	t.Helper()
	for _, table := range movedTables {
		if !slices.Equal(got[table.Name], want[table.Name]) {
			t.Errorf("%s has %d rows, and should have %d; they differ", table.Name, len(got[table.Name]), len(want[table.Name]))
		}
		if len(want[table.Name]) == 0 {
			t.Errorf("%s is empty, so nothing is known of it", table.Name)
		}
	}
}

// bytesOf are blobs of a test, which are all alike.
type takenBlobs struct {
	mu    sync.Mutex
	taken map[sandlot.BlobRef]bool
	beats chan struct{} // what is changed meanwhile: a few rows for each piece
}

// beat has n rows changed while what follows is done.
func (b *takenBlobs) beat(n int) {
	for range n {
		select {
		case b.beats <- struct{}{}:
		default: // they are busy enough
		}
	}
}

func (b *takenBlobs) take(_ context.Context, m operate.MovedBlob) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.Ref != "" {
		b.taken[m.Ref] = true
	}
	return true, nil
}

// errCut is a move that is cut short.
var errCut = errors.New("cut short")

// run is what operate.Mover does, cut short after so many calls.
func (b *takenBlobs) run(ctx context.Context, m operate.MoveRecords, calls int) error {
	cut := func() error {
		if calls--; calls < 0 {
			return errCut
		}
		return nil
	}
	_, done, err := m.Begin(ctx)
	if err != nil {
		return err
	}
	for _, piece := range []func(context.Context, operate.TakeBlob) (operate.MoveProgress, error){m.Copy, m.Compare} {
		for all := done; !all; {
			b.beat(10)
			p, err := piece(ctx, b.take)
			if all = p.All; err == nil {
				err = cut()
			}
			if err != nil {
				return err
			}
		}
	}
	if !done {
		b.beat(100)
		if err := m.Switch(ctx, b.take); err != nil {
			return err
		}
	}
	if err := cut(); err != nil {
		return err
	}
	return m.Finish(ctx)
}

// TestAMoveTakesEverythingAlong: whatever is changed meanwhile, and though it is cut short again and again.
func TestAMoveTakesEverythingAlong(t *testing.T) {
	t.Parallel()
	moveOne(t, sqlitePlace(t), sqlitePlace(t), 37, 1)
}

func TestSoakAMoveBetweenEnginesTakesEverythingAlong(t *testing.T) {
	t.Run("SQLite to PostgreSQL, through a pooler", func(t *testing.T) { moveOne(t, sqlitePlace(t), pgbouncerPlace(t), 37, 1) })
	t.Run("PostgreSQL to SQLite", func(t *testing.T) { moveOne(t, postgresPlace(t), sqlitePlace(t), 37, 1) })
}

func moveOne(t *testing.T, source, target place, every int, seed uint64) {
	from := source.opened(t, Options{Filling: true}) // the rows of this test refer to nothing
	r := &rows{Rand: rand.New(rand.NewPCG(seed, 0)), db: from}
	if _, ok := from.engine.(*postgres.Engine); ok {
		expect.OK(t, from.step(t.Context(), 0, func(x *tx) error { return from.mover.SetAside(x, movedTables) }))
	}
	r.fill(t, 12)
	expect.OK(t, from.step(t.Context(), 0, func(x *tx) error { return from.mover.Give(x, tableOf(t, "jobs"), goneJob) }))
	beside := source.opened(t, Options{Filling: true})             // as the server beside
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // far longer than it takes on a busy machine
	defer cancel()
	var writing sync.WaitGroup
	blobs := &takenBlobs{taken: map[sandlot.BlobRef]bool{}, beats: make(chan struct{}, 100)}
	changed, refused := make([]int, 3), make([]error, 3)
	for i := range changed {
		w := &rows{Rand: rand.New(rand.NewPCG(seed, uint64(i+1))), db: beside, next: int64(i+1) << 32, few: r.few}
		writing.Go(func() { changed[i], refused[i] = w.scribble(ctx, t, blobs.beats) })
	}
	for n := 0; ; n++ {
		to, err := target(t, Options{Filling: true})
		expect.OK(t, err)
		m := NewMove(from, to, "the source", "the target")
		m.page = 7
		err = blobs.run(ctx, m, every)
		expect.OK(t, to.Close())
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		if _, err := target(t, Options{}); err == nil || !strings.Contains(err.Error(), "is being filled from the source") {
			t.Fatalf("a server starts on half of a move: %v", err)
		}
		if n > 1000 {
			t.Fatal("it comes to no end")
		}
	}
	close(blobs.beats)
	writing.Wait()
	for i := range changed {
		if changed[i] < 5 || !errors.Is(refused[i], sandlot.ErrElsewhere) || !errors.Is(refused[i], sandlot.ErrNoEffect) {
			t.Errorf("%d changes, and then %v", changed[i], refused[i])
		}
	}
	to := target.opened(t, Options{})
	want := dump(t, from)
	sameRows(t, dump(t, to), want)
	for _, row := range all1(t, from, "SELECT ref FROM blobs WHERE ref IS NOT NULL") {
		if !blobs.taken[sandlot.BlobRef(row)] {
			t.Errorf("the blob %q was not taken along", row)
		}
	}
	movedIsLeft(t, source, from, to)
}

// goneJob is the number of a message that was sent, above all that are there.
const goneJob = 1 << 40

func tableOf(t *testing.T, name string) engine.Table {
	t.Helper()
	i := slices.IndexFunc(movedTables, func(table engine.Table) bool { return table.Name == name })
	if i < 0 {
		t.Fatalf("%s does not move", name)
	}
	return movedTables[i]
}

func all1(t *testing.T, db *DB, query string) []string {
	t.Helper()
	list, err := all(t.Context(), db, scanValue[string], query)
	expect.OK(t, err)
	return list
}

// movedIsLeft: the source serves reads, and says where its records are; the target takes changes, and counts as ever.
func movedIsLeft(t *testing.T, source place, from, to *DB) {
	t.Helper()
	again := source.opened(t, Options{})
	if left := again.Left(); left == nil || left.To != "the target" {
		t.Errorf("the source says it was left: %+v", left)
	}
	if to.Left() != nil {
		t.Error("the target says that it was left")
	}
	for _, table := range movedTables {
		err := again.step(t.Context(), 0, func(x *tx) error {
			_, err := x.exec("UPDATE " + table.Name + " SET " + table.Columns[0].Name + " = " + table.Columns[0].Name)
			return err
		})
		if !errors.Is(err, sandlot.ErrElsewhere) || !errors.Is(err, sandlot.ErrUnavailable) {
			t.Errorf("%s can be changed in the source: %v", table.Name, err)
		}
	}
	expect.OK(t, to.step(t.Context(), 0, func(x *tx) error {
		if last, err := to.mover.Given(x, tableOf(t, "jobs")); err != nil || last < goneJob {
			t.Errorf("messages go on at %d, and one that is gone had %d: %v", last, goneJob, err)
		}
		for _, table := range movedTables {
			if !table.Numbered {
				continue
			}
			if err := goesOn(t, from, to, x, table); err != nil {
				return fmt.Errorf("%s: %w", table.Name, err)
			}
		}
		return nil
	}))
	err := to.step(t.Context(), 0, func(x *tx) error {
		_, err := x.exec("UPDATE acts SET reason = ''")
		return err
	})
	if err == nil {
		t.Error("the audit log of the target can be changed")
	}
}

// goesOn: the next number is one that no row ever had.
func goesOn(t *testing.T, from, to *DB, x *tx, table engine.Table) error {
	last, err := to.mover.Given(x, table)
	if err != nil {
		return err
	}
	return from.engine.Snapshot(t.Context(), func(q engine.Querier) error {
		rows, err := each(t.Context(), q, scanValue[int64], "SELECT coalesce(max("+table.Columns[0].Name+"), 0) FROM "+table.Name)
		if err == nil && rows[0] > last {
			t.Errorf("%s goes on at %d, and has %d", table.Name, last, rows[0])
		}
		return err
	})
}

// TestTheListOfTablesIsThatOfTheSchema: a move takes along every table, and every column that is not made of others.
func TestTheListOfTablesIsThatOfTheSchema(t *testing.T) {
	t.Parallel()
	db := sqlitePlace(t).opened(t, Options{})
	stay := map[string]string{
		"probe": "finds out whether the disk has room", "migrations": "says what schema there is", "leases": "says what processes are at now",
		"loads":  "is of half an hour, and by a salt that another place has not",
		"moving": "is the move's own", "moving_tables": "is the move's own", "moving_changes": "is the move's own", "moving_damage": "is the move's own", "moving_aside": "is the move's own",
	}
	listed := map[string]engine.Table{}
	for _, table := range movedTables {
		listed[table.Name] = table
	}
	for _, name := range all1(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name") {
		table, ok := listed[name]
		if delete(listed, name); !ok {
			if stay[name] == "" {
				t.Errorf("%s is a table that no move takes along", name)
			}
			continue
		}
		info := "FROM pragma_table_xinfo('" + name + "') WHERE hidden = 0"
		var have []string
		for _, c := range table.Columns {
			have = append(have, c.Name+" "+map[engine.Kind]string{engine.Number: "INTEGER", engine.Text: "TEXT", engine.Bytes: "BLOB"}[c.Kind])
		}
		slices.Sort(have)
		expect.Same(t, "columns of "+name, have, all1(t, db, "SELECT name || ' ' || type "+info+" ORDER BY 1"))
		expect.Equal(t, "key of "+name, columnNames(table.Key()), strings.Join(all1(t, db, "SELECT name "+info+" AND pk > 0 ORDER BY pk"), ", "))
		expect.Same(t, "nullable columns of "+name, slices.Sorted(maps.Keys(nullables(t, name))), all1(t, db, `SELECT name `+info+` AND "notnull" = 0 AND pk = 0 ORDER BY 1`))
		var unique []string
		for _, set := range table.Unique {
			var columns []string
			for _, i := range set {
				columns = append(columns, table.Columns[i].Name)
			}
			unique = append(unique, strings.Join(columns, ", "))
		}
		slices.Sort(unique)
		expect.Same(t, "what is unique in "+name, unique, all1(t, db, `SELECT (SELECT group_concat(name, ', ') FROM pragma_index_info(i.name)) FROM pragma_index_list('`+name+`') i WHERE "unique" = 1 AND origin <> 'pk' ORDER BY 1`))
		alone := table.Keys == 1 && table.Columns[0].Kind == engine.Number && !slices.Contains([]string{"blob", "project", "account", "one", "process", "day"}, table.Columns[0].Name)
		expect.Equal(t, name+" is numbered by the database", table.Numbered, alone)
	}
	for name := range listed {
		t.Errorf("%s is no table of the schema", name)
	}
}
