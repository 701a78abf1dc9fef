package sqlstore

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	notedPage = 1000 // changes made at once
	keysPage  = 50   // rows looked up at once
	takers    = 8    // blobs taken along at once
)

// values are those of a row, or of a key: nil, int64, string or []byte.
type values []any

// scanRow reads all columns of a row of a table.
func scanRow(n int) func(row) (values, error) {
	return func(r row) (values, error) {
		v, into := make(values, n), make([]any, n)
		for i := range v {
			into[i] = &v[i]
		}
		if err := r.Scan(into...); err != nil {
			return nil, err
		}
		for i := range v {
			if b, ok := v[i].([]byte); ok && len(b) == 0 {
				v[i] = []byte{} // a driver may give nil for it, which would be stored as null
			}
		}
		return v, nil
	}
}

// same reports whether two rows are.
func (v values) same(w values) bool {
	if len(v) != len(w) {
		return false
	}
	for i := range v {
		a, isBytes := v[i].([]byte)
		b, both := w[i].([]byte)
		if isBytes != both || isBytes && !bytes.Equal(a, b) || !isBytes && v[i] != w[i] {
			return false
		}
	}
	return true
}

// text is a key as it is kept.
func (v values) text() string {
	list := make([]string, len(v))
	for i, x := range v {
		switch x := x.(type) {
		case int64:
			list[i] = "n" + strconv.FormatInt(x, 10)
		case string:
			list[i] = "t" + x
		case []byte:
			list[i] = "b" + base64.StdEncoding.EncodeToString(x)
		}
	}
	text, _ := json.Marshal(list) // texts always can
	return string(text)
}

// keyOf reads what text wrote.
func keyOf(text string) (v values, err error) {
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, err
	}
	for _, s := range list {
		var x any
		switch rest := s[1:]; s[0] {
		case 'n':
			x, err = strconv.ParseInt(rest, 10, 64)
		case 't':
			x = rest
		default:
			x, err = base64.StdEncoding.DecodeString(rest)
		}
		if err != nil {
			return nil, err
		}
		v = append(v, x)
	}
	return v, nil
}

func columnNames(columns []engine.Column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// equal is a condition on columns.
func equal(columns []engine.Column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name + " = ?"
	}
	return strings.Join(list, " AND ")
}

// after is the condition for the rows behind a key, and up to another; either may be empty.
func after(table engine.Table, from, to values) (condition string, args []any) {
	condition = "1 = 1"
	for _, bound := range []struct {
		is  string
		key values
	}{{">", from}, {"<=", to}} {
		if len(bound.key) > 0 {
			condition += fmt.Sprintf(" AND (%s) %s (%s)", columnNames(table.Key()), bound.is, marks(table.Keys))
			args = append(args, bound.key...)
		}
	}
	return condition, args
}

// readPage reads rows behind a key in the order of keys, at most limit unless that is 0.
func readPage(ctx context.Context, q engine.Querier, table engine.Table, from, to values, limit int) ([]values, error) {
	condition, args := after(table, from, to)
	query := "SELECT " + columnNames(table.Columns) + " FROM " + table.Name + " WHERE " + condition + " ORDER BY " + columnNames(table.Key())
	if limit > 0 {
		query += " LIMIT " + strconv.Itoa(limit)
	}
	return each(ctx, q, scanRow(len(table.Columns)), query, args...)
}

// readKeys reads the rows that have some keys, by the text of their keys.
func readKeys(ctx context.Context, q engine.Querier, table engine.Table, keys []values) (map[string]values, error) {
	found := map[string]values{}
	query := "SELECT " + columnNames(table.Columns) + " FROM " + table.Name + " WHERE "
	if table.Keys == 1 {
		query += table.Columns[0].Name + " IN (" + marks(keysPage) + ")"
	} else {
		one := "(" + equal(table.Key()) + ")"
		query += one + strings.Repeat(" OR "+one, keysPage-1)
	}
	for some := range slices.Chunk(keys, keysPage) {
		var args []any
		for i := range keysPage {
			args = append(args, some[min(i, len(some)-1)]...) // the same query whatever their number
		}
		rows, err := each(ctx, q, scanRow(len(table.Columns)), query, args...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r[:table.Keys].text()] = r
		}
	}
	return found, nil
}

// A change is a row whose change was noted, as it is now; row is nil if it is gone.
type change struct {
	table    engine.Table
	key, row values
}

// changes are some of those that were noted.
type changes struct {
	ids  []int64
	list []change
	all  bool // there are no others
	// noted are the keys of all rows of a table whose changes were noted at that moment.
	noted map[string]bool
	// blobs has the records of the blobs whose contents are among the rows.
	blobs map[int64]sandlot.Blob
}

// A note is a row of moving_changes.
type note struct {
	id   int64
	name string
	slot map[string]any
}

const selectNotes = "SELECT id, name, n1, n2, n3, t, b FROM moving_changes "

func scanNote(r row) (n note, err error) {
	v, err := scanRow(5)(scanRest{r, []any{&n.id, &n.name}})
	if err == nil {
		n.slot = map[string]any{"n1": v[0], "n2": v[1], "n3": v[2], "t": v[3], "b": v[4]}
	}
	return n, err
}

func (n note) key(table engine.Table) (key values) {
	for _, slot := range table.Slots() {
		key = append(key, n.slot[slot])
	}
	return key
}

// notedKeys are the keys of the rows of a table whose changes are noted.
func notedKeys(ctx context.Context, q engine.Querier, table engine.Table) (map[string]bool, error) {
	notes, err := each(ctx, q, scanNote, selectNotes+"WHERE name = ?", table.Name)
	keys := map[string]bool{}
	for _, n := range notes {
		keys[n.key(table).text()] = true
	}
	return keys, err
}

// noted reads what was noted, and the rows as the same moment has them.
func (m *Move) noted(ctx context.Context, q engine.Querier) (c changes, err error) {
	notes, err := each(ctx, q, scanNote, selectNotes+"ORDER BY id LIMIT "+strconv.Itoa(notedPage))
	if err != nil {
		return c, err
	}
	c.all = len(notes) < notedPage
	tables := map[string]engine.Table{}
	for _, t := range movedTables {
		tables[t.Name] = t
	}
	keys, seen := map[string][]values{}, map[string]bool{}
	for _, n := range notes {
		c.ids = append(c.ids, n.id)
		table, ok := tables[n.name]
		if !ok {
			return c, fmt.Errorf("a change of %s was noted, which is no table that moves", n.name)
		}
		key := n.key(table)
		if id := n.name + key.text(); !seen[id] {
			seen[id] = true
			keys[n.name] = append(keys[n.name], key)
		}
	}
	for _, table := range movedTables {
		rows, err := readKeys(ctx, q, table, keys[table.Name])
		if err != nil {
			return c, err
		}
		for _, key := range keys[table.Name] {
			c.list = append(c.list, change{table: table, key: key, row: rows[key.text()]})
		}
	}
	err = c.readBlobs(ctx, q)
	return c, err
}

// scanRest scans some columns of a row, and then the rest.
type scanRest struct {
	row
	first []any
}

func (s scanRest) Scan(dest ...any) error { return s.row.Scan(append(s.first, dest...)...) }

// readBlobs reads the records of the blobs whose contents are among the rows.
func (c *changes) readBlobs(ctx context.Context, q engine.Querier) (err error) {
	for _, x := range c.list {
		if x.table.Name != "contents" || x.row == nil {
			continue
		}
		id, _ := x.key[0].(int64)
		list, err := each(ctx, q, scanMovedBlob, selectMovedBlob+" WHERE id = ?", id)
		if err != nil {
			return err
		}
		if c.blobs == nil {
			c.blobs = map[int64]sandlot.Blob{}
		}
		for _, b := range list {
			c.blobs[id] = b
		}
	}
	return nil
}

const selectMovedBlob = "SELECT id, coalesce(ref, ''), size, sha256 FROM blobs"

func scanMovedBlob(r row) (b sandlot.Blob, err error) {
	err = r.Scan(&b.ID, &b.Ref, &b.Size, asDigest{&b.SHA256})
	return b, err
}

// toTake are the blobs whose bytes come with these rows.
func (c changes) toTake() (list []operate.MovedBlob, err error) {
	for _, x := range c.list {
		if x.row == nil {
			continue
		}
		switch id, _ := x.key[0].(int64); x.table.Name {
		case "contents":
			bytes, _ := x.row[1].([]byte)
			if b, ok := c.blobs[id]; ok {
				b.Ref = ""
				list = append(list, operate.MovedBlob{Blob: b, Content: bytes})
			}
		case "blobs":
			if ref, _ := x.row[1].(string); ref != "" {
				b := sandlot.Blob{ID: id, Ref: sandlot.BlobRef(ref)}
				b.Size, _ = x.row[2].(int64)
				if err := (asDigest{&b.SHA256}).Scan(x.row[3]); err != nil {
					return nil, err
				}
				list = append(list, operate.MovedBlob{Blob: b})
			}
		}
	}
	return list, nil
}

// taken is a blob of which the target has a record; without a ref, the content of one.
type taken struct {
	id  int64
	ref sandlot.BlobRef
}

// taken are those of the blobs that the target has records of.
func (m *Move) taken(ctx context.Context, list []operate.MovedBlob) (map[taken]bool, error) {
	ids := make([]int64, len(list))
	for i, b := range list {
		ids[i] = b.ID
	}
	have := map[taken]bool{}
	for _, query := range []string{"SELECT id, ref FROM blobs WHERE ref IS NOT NULL AND id", "SELECT blob, '' FROM contents WHERE blob"} {
		found, err := all(ctx, m.to, func(r row) (b taken, err error) {
			err = r.Scan(&b.id, &b.ref)
			return b, err
		}, engine.Among(query, m.to.dialect.Numbers("?", "j")), engine.List(ids))
		if err != nil {
			return nil, err
		}
		for _, b := range found {
			have[b] = true
		}
	}
	return have, nil
}

// take takes the bytes of blobs along, before their records, and remembers which are damaged.
// What the target has a record of is there already.
func (m *Move) take(ctx context.Context, c changes, take operate.TakeBlob) error {
	list, err := c.toTake()
	if err != nil || len(list) == 0 {
		return err
	}
	have, err := m.taken(ctx, list)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var damaged []int64
	var errs []error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make(chan struct{}, takers)
	var running sync.WaitGroup
	for _, b := range list {
		if have[taken{b.ID, b.Ref}] {
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			whole, err := m.takeOne(ctx, b, take)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
				cancel()
			} else if !whole {
				damaged = append(damaged, b.ID)
			}
		})
	}
	running.Wait()
	if len(errs) > 0 {
		return errs[0] // the others are of the same cause, or of the cancelling
	}
	if len(damaged) == 0 {
		return nil
	}
	return m.to.step(ctx, 0, func(t *tx) error {
		for _, id := range damaged {
			if err := t.later("INSERT INTO moving_damage (blob) VALUES (?) ON CONFLICT (blob) DO NOTHING", id); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeOne takes a blob along with its checkpoints, by which a store far away compares it as
// it comes.
func (m *Move) takeOne(ctx context.Context, b operate.MovedBlob, take operate.TakeBlob) (whole bool, err error) {
	if b.Ref != "" {
		if b.Checkpoints, err = m.from.Publish().Checkpoints(ctx, b.ID); err != nil {
			return false, err
		}
	}
	return take(ctx, b)
}

// follow makes changes in the target, and reads back what it made.
func (m *Move) follow(ctx context.Context, c changes, take operate.TakeBlob) error {
	if err := m.take(ctx, c, take); err != nil {
		return err
	}
	return m.to.step(ctx, 0, func(t *tx) error {
		if err := m.mine(t); err != nil {
			return err
		}
		for _, x := range c.list {
			if err := t.later("DELETE FROM "+x.table.Name+" WHERE "+equal(x.table.Key()), x.key...); err != nil {
				return err
			}
		}
		for _, x := range c.list {
			if x.row == nil {
				continue
			}
			if err := t.displace(x); err != nil {
				return err
			}
			if err := t.write(x.table, x.row); err != nil {
				return err
			}
		}
		return t.readBack(ctx, c)
	})
}

// readBack fails unless what was changed is there as it was written.
func (t *tx) readBack(ctx context.Context, c changes) error {
	keys := map[string][]values{}
	for _, x := range c.list {
		keys[x.table.Name] = append(keys[x.table.Name], x.key)
	}
	rows := map[string]map[string]values{}
	for _, x := range c.list {
		name := x.table.Name
		if rows[name] == nil {
			found, err := readKeys(ctx, t.Tx, x.table, keys[name])
			if err != nil {
				return err
			}
			rows[name] = found
		}
		if !rows[name][x.key.text()].same(x.row) {
			return fmt.Errorf("a row of %s is another than was written", name)
		}
	}
	return nil
}

// displace deletes rows that have what only one row may have, and that this one has now.
// Such a row was changed in the source since it was copied: that is noted, and still to come.
func (t *tx) displace(x change) error {
	for _, set := range x.table.Unique {
		var columns []engine.Column
		var args []any
		for _, i := range set {
			if x.row[i] != nil {
				columns, args = append(columns, x.table.Columns[i]), append(args, x.row[i])
			}
		}
		if len(columns) < len(set) {
			continue
		}
		if err := t.later("DELETE FROM "+x.table.Name+" WHERE "+equal(columns), args...); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) write(table engine.Table, row values) error {
	return t.later("INSERT INTO "+table.Name+" ("+columnNames(table.Columns)+") VALUES ("+marks(len(table.Columns))+")", row...)
}
