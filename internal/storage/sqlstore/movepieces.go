package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

// piece brings the target up to some of what was noted, and reads rows of the table as the
// same moment has them. page.all says that nothing else was noted: the target then has all
// other rows as that moment has them, too.
func (m *Move) piece(ctx context.Context, table *engine.Table, from values, take operate.TakeBlob) (page changes, made int, err error) {
	var c changes
	err = m.from.engine.Snapshot(ctx, func(q engine.Querier) (err error) {
		if c, err = m.noted(ctx, q); err != nil || table == nil {
			return err
		}
		page.all = c.all
		if len(c.ids) > 0 {
			if page.noted, err = notedKeys(ctx, q, *table); err != nil {
				return err
			}
		}
		rows, err := readPage(ctx, q, *table, from, nil, m.pageOf(*table))
		for _, r := range rows {
			page.list = append(page.list, change{*table, r[:table.Keys], r})
		}
		if err == nil {
			err = page.readBlobs(ctx, q)
		}
		return err
	})
	if err != nil || len(c.ids) == 0 {
		return page, 0, err
	}
	if err := m.follow(ctx, c, take); err != nil {
		return page, 0, err
	}
	err = m.from.step(ctx, 0, func(t *tx) error {
		_, err := t.exec("DELETE FROM moving_changes WHERE "+t.amongNumbers("id"), engine.List(c.ids))
		return err
	})
	return page, len(c.ids), err
}

func (m *Move) pageOf(table engine.Table) int {
	if m.page > 0 {
		return m.page
	}
	return table.Page
}

// next is the first table of which something is left to do.
func (m *Move) next(done func(*reached) bool) *engine.Table {
	for i := range movedTables {
		if !done(m.progress[movedTables[i].Name]) {
			return &movedTables[i]
		}
	}
	return nil
}

// Copy implements operate.MoveRecords.
func (m *Move) Copy(ctx context.Context, take operate.TakeBlob) (p operate.MoveProgress, err error) {
	table := m.next(func(r *reached) bool { return r.copied })
	if table == nil {
		return operate.MoveProgress{All: true}, nil // Compare follows what is noted
	}
	at := m.progress[table.Name]
	from, err := at.key(at.copiedTo)
	if err != nil {
		return p, err
	}
	page, made, err := m.piece(ctx, table, from, take)
	if p.Changes = made; err != nil {
		return p, in("copy", err)
	}
	if err := m.take(ctx, page, take); err != nil {
		return p, in("copy "+table.Name, err)
	}
	to := *at
	var last values
	if to.copied = len(page.list) < m.pageOf(*table); !to.copied {
		last = page.list[len(page.list)-1].key
		to.copiedTo = last.text()
	}
	to.rows += int64(len(page.list))
	err = m.to.step(ctx, 0, func(t *tx) error {
		if err := m.mine(t); err != nil {
			return err
		}
		condition, args := after(*table, from, last)
		if err := t.later("DELETE FROM "+table.Name+" WHERE "+condition, args...); err != nil {
			return err
		}
		for _, x := range page.list {
			// What was noted and is still to come may be in the way.
			if !page.all {
				if err := t.displace(x); err != nil {
					return err
				}
			}
			if err := t.write(*table, x.row); err != nil {
				return err
			}
		}
		return t.keepProgress(table.Name, to)
	})
	if err != nil {
		return p, in("copy "+table.Name, err)
	}
	*at = to
	p.Table, p.Rows, p.Done = table.Name, at.rows, at.copied
	return p, nil
}

// Compare implements operate.MoveRecords.
func (m *Move) Compare(ctx context.Context, take operate.TakeBlob) (p operate.MoveProgress, err error) {
	table := m.next(func(r *reached) bool { return r.compared })
	at, from := &reached{}, values(nil)
	if table != nil {
		at = m.progress[table.Name]
		if from, err = at.key(at.comparedTo); err != nil {
			return p, err
		}
	}
	page, made, err := m.piece(ctx, table, from, take)
	p.Changes = made
	if err != nil {
		return p, in("compare", err)
	}
	if table == nil {
		p.All = true
		return p, nil
	}
	to := *at
	if from == nil {
		to.rows = 0
	}
	var last values
	if to.compared = len(page.list) < m.pageOf(*table); !to.compared {
		last = page.list[len(page.list)-1].key
		to.comparedTo = last.text()
	}
	if err := m.compare(ctx, *table, from, last, page); err != nil {
		return p, err
	}
	to.rows += int64(len(page.list))
	err = m.to.step(ctx, 0, func(t *tx) error {
		if err := m.mine(t); err != nil {
			return err
		}
		return t.keepProgress(table.Name, to)
	})
	if err != nil {
		return p, in("compare "+table.Name, err)
	}
	*at = to
	p.Table, p.Rows, p.Done = table.Name, at.rows, at.compared
	return p, nil
}

// compare holds a page against what the target has between the same keys.
func (m *Move) compare(ctx context.Context, table engine.Table, from, last values, page changes) error {
	var have []values
	err := m.to.engine.Snapshot(ctx, func(q engine.Querier) (err error) {
		have, err = readPage(ctx, q, table, from, last, 0)
		return err
	})
	if err != nil {
		return in("compare "+table.Name, err)
	}
	// A row whose change was noted may be another by now, and is read back when it is written.
	noted := func(v values) bool { return page.noted[v[:table.Keys].text()] }
	have = slices.DeleteFunc(have, noted)
	var want []values
	for _, x := range page.list {
		if !noted(x.row) {
			want = append(want, x.row)
		}
	}
	if len(have) != len(want) {
		return fmt.Errorf("%s has %d rows of %s where %s has %d: end the move with --abandon, and begin again with an empty target", m.toName, len(have), table.Name, m.fromName, len(want))
	}
	for i := range want {
		if !want[i].same(have[i]) {
			return fmt.Errorf("a row of %s in %s is another than in %s: end the move with --abandon, and begin again with an empty target", table.Name, m.toName, m.fromName)
		}
	}
	return nil
}

func (r *reached) key(text string) (values, error) {
	if text == "" {
		return nil, nil
	}
	return keyOf(text)
}

func (t *tx) keepProgress(name string, r reached) error {
	return t.later(`INSERT INTO moving_tables (name, copied_to, copied, compared_to, compared, row_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (name) DO UPDATE SET copied_to = ?2, copied = ?3, compared_to = ?4, compared = ?5, row_count = ?6`, name, r.copiedTo, r.copied, r.comparedTo, r.compared, r.rows)
}

// Damaged implements operate.MoveRecords.
func (m *Move) Damaged(ctx context.Context, past int64, limit int) (list []operate.MovedBlob, err error) {
	for len(list) == 0 {
		ids, err := all(ctx, m.to, scanValue[int64], "SELECT blob FROM moving_damage WHERE blob > ? ORDER BY blob LIMIT ?", past, limit)
		if err != nil || len(ids) == 0 {
			return nil, in("list damaged files", err)
		}
		for _, id := range ids {
			past = id
			b, err := m.damaged(ctx, id)
			if errors.Is(err, sandlot.ErrNotFound) {
				err = m.Mended(ctx, id) // it was collected since
			} else if err == nil {
				list = append(list, b)
			}
			if err != nil {
				return nil, in("list damaged files", err)
			}
		}
	}
	return list, nil
}

func (m *Move) damaged(ctx context.Context, id int64) (b operate.MovedBlob, err error) {
	err = m.from.snapshot(ctx, func(q querier) error {
		if b.Blob, err = one(ctx, q, scanMovedBlob, selectMovedBlob+" WHERE id = ?", id); err != nil || b.Ref != "" {
			return err
		}
		b.Content, err = one(ctx, q, scanValue[[]byte], "SELECT bytes FROM contents WHERE blob = ?", id)
		if errors.Is(err, sandlot.ErrNotFound) {
			err = nil // and so other bytes than there should be
		}
		return err
	})
	return b, err
}

// Mended implements operate.MoveRecords.
func (m *Move) Mended(ctx context.Context, id int64) error {
	return in("note a mended file", m.to.step(ctx, 0, func(t *tx) error {
		_, err := t.exec("DELETE FROM moving_damage WHERE blob = ?", id)
		return err
	}))
}
