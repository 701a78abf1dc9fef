package sqlstore

import (
	"context"
	"fmt"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/players/boards"
)

func (store Upkeep) BlobsAfter(ctx context.Context, after int64, limit int) ([]sandlot.Blob, error) {
	return all(ctx, store.db, fields(func(b *sandlot.Blob) []any { return []any{&b.ID, &b.Ref, &b.Size, asDigest{&b.SHA256}, &b.Text} }),
		"SELECT id, coalesce(ref, ''), size, sha256, is_text FROM blobs WHERE id > ? ORDER BY id LIMIT ?", after, limit)
}

func (store Upkeep) BlobUses(ctx context.Context, id int64, limit int) ([]operate.BlobUse, error) {
	// One snapshot: a blob that is being dropped is there with its uses, or gone.
	var uses []operate.BlobUse
	err := store.db.snapshot(ctx, func(q querier) error {
		if _, err := one(ctx, q, scanValue[int64], "SELECT id FROM blobs WHERE id = ?", id); err != nil {
			return err
		}
		var err error
		uses, err = all(ctx, q, scanUse, `
			SELECT p.id, f.name, f.since, '', 0, '', '' FROM files f JOIN projects p ON p.num = f.project WHERE f.blob = ?1
			UNION ALL
			SELECT p.id, f.name, f.since, v.encoding, 0, '', '' FROM variants v JOIN files f ON f.blob = v.blob
			JOIN projects p ON p.num = f.project WHERE v.variant = ?1
			UNION ALL
			SELECT '', '', 0, '', 1, '', '' FROM upload_parts WHERE blob = ?1
			UNION ALL
			SELECT coalesce(p.id, ''), '', 0, '', 0, i.id, coalesce(a.handle, '') FROM picture_sizes s JOIN pictures i ON i.id = s.picture
			LEFT JOIN projects p ON p.num = i.project LEFT JOIN accounts a ON a.id = i.account WHERE s.blob = ?1
			ORDER BY 1, 3, 2 LIMIT ?2`, id, limit)
		return err
	})
	return uses, in("look for what uses a blob", err)
}

func scanUse(r row) (u operate.BlobUse, err error) {
	err = r.Scan(&u.Project, &u.Filename, &u.Version, &u.Encoding, &u.Upload, &u.Picture, &u.Account)
	return u, err
}

type checked struct {
	num                    int64
	id                     sandlot.ProjectID
	version, files         int
	size                   int64
	oldest                 int
	versions, first, last  int
	suffixes, have, primes int
	bytes                  int64
	whole, primed          int // versions that were not erased, and those with their primary file
	checkedPlayers
}

type checkedPlayers struct {
	players, havePlayers int64
	held, haveHeld       int64 // bytes of players' saves, in steps
	scores, haveScores   int64 // bytes of the blocks of its boards
	miscounted           int   // players whose saves are not as recorded
}

const selectChecked = `
	SELECT p.num, p.id, p.version, p.file_count, p.size, p.oldest,
		(SELECT count(*) FROM versions v WHERE v.project = p.num),
		(SELECT coalesce(min(v.n), 0) FROM versions v WHERE v.project = p.num),
		(SELECT coalesce(max(v.n), 0) FROM versions v WHERE v.project = p.num),
		(SELECT count(*) FROM versions v WHERE v.project = p.num AND v.n = p.version AND v.suffix = p.suffix),
		(SELECT count(*) FROM files f WHERE f.project = p.num AND ` + currentFiles + `),
		(SELECT count(*) FROM files f WHERE f.project = p.num AND ` + currentFiles + ` AND f.name = p.primary_file),
		(SELECT CAST(coalesce(sum(b.size), 0) AS BIGINT) FROM files f JOIN blobs b ON b.id = f.blob WHERE f.project = p.num AND ` +
	currentFiles + `),
		(SELECT count(*) FROM versions v WHERE v.project = p.num AND v.erased_at IS NULL),
		(SELECT count(*) FROM files f JOIN versions v ON v.project = f.project AND v.n >= f.since AND v.n < f.until
			WHERE f.project = p.num AND f.until > 0 AND f.name IN (SELECT DISTINCT o.primary_file FROM versions o WHERE o.project = p.num)
			AND v.primary_file = f.name AND v.erased_at IS NULL),
		coalesce((SELECT t.players FROM player_totals t WHERE t.project = p.num), 0),
		(SELECT count(*) FROM players y WHERE y.project = p.num),
		coalesce((SELECT t.held FROM player_totals t WHERE t.project = p.num), 0),
		(SELECT CAST(coalesce(sum((y.held + 4095) / 4096 * 4096), 0) AS BIGINT) FROM players y WHERE y.project = p.num),
		coalesce((SELECT t.scores FROM player_totals t WHERE t.project = p.num), 0),
		(SELECT count(*) FROM boards b JOIN blocks k ON k.board = b.num WHERE b.project = p.num),
		(SELECT count(*) FROM players y WHERE y.project = p.num AND
			(y.held <> (SELECT coalesce(sum(length(s.value)), 0) FROM saves s WHERE s.player = y.num)
			OR y.saves <> (SELECT count(*) FROM saves s WHERE s.player = y.num)))
	FROM projects p WHERE p.num > ? AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM trash t WHERE t.project = p.num))
	ORDER BY p.num LIMIT ?`

func scanChecked(r row) (c checked, err error) {
	err = r.Scan(&c.num, &c.id, &c.version, &c.files, &c.size, &c.oldest, &c.versions, &c.first, &c.last, &c.suffixes, &c.have, &c.primes,
		&c.bytes, &c.whole, &c.primed, &c.players, &c.havePlayers, &c.held, &c.haveHeld,
		&c.scores, &c.haveScores, &c.miscounted)
	c.haveScores *= boards.BlockBytes
	return c, err
}

func (c checked) mistakes() (list []operate.Mistake) {
	for _, m := range []struct {
		wrong  bool
		detail string
	}{
		{c.files != c.have, fmt.Sprintf("it is recorded with %d files, and has %d", c.files, c.have)},
		{c.size != c.bytes, fmt.Sprintf("it is recorded with %d bytes, and its files have %d", c.size, c.bytes)},
		{c.last != c.version, fmt.Sprintf("it is at version %d, and its newest is %d", c.version, c.last)},
		{c.first != c.oldest, fmt.Sprintf("its oldest version should be %d, and is %d", c.oldest, c.first)},
		{c.versions != c.last-c.first+1, fmt.Sprintf("of its versions %d to %d there are %d", c.first, c.last, c.versions)},
		{c.last == c.version && c.suffixes == 0, fmt.Sprintf("the address of version %d is not the project's", c.version)},
		{c.primes == 0, "it lacks its primary file"},
		{c.primes > 0 && c.whole != c.primed, fmt.Sprintf("of its %d versions that were not erased %d lack their primary file",
			c.whole, c.whole-c.primed)},
		{c.players != c.havePlayers, fmt.Sprintf("it is recorded with %d players, and has %d", c.players, c.havePlayers)},
		{c.held != c.haveHeld, fmt.Sprintf("its players are recorded with %d bytes, and have %d", c.held, c.haveHeld)},
		{c.scores != c.haveScores, fmt.Sprintf("its boards are recorded with %d bytes, and have %d", c.scores, c.haveScores)},
		{c.miscounted > 0, fmt.Sprintf("the saves of %d of its players are not as they are recorded", c.miscounted)},
	} {
		if m.wrong {
			list = append(list, operate.Mistake{Project: c.id, Detail: m.detail})
		}
	}
	return list
}

func (store Upkeep) Mistakes(ctx context.Context, after int64, limit int) (found []operate.Mistake, seen int, last int64, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		page, err := all(ctx, q, scanChecked, selectChecked, after, limit)
		if err != nil || len(page) == 0 {
			return err
		}
		seen, last = len(page), page[len(page)-1].num
		for _, c := range page {
			found = append(found, c.mistakes()...)
		}
		lost, err := all(ctx, q, func(r row) (m operate.Mistake, err error) {
			m.Detail = "the record of its bytes is missing"
			err = r.Scan(&m.Project, &m.Filename)
			return m, err
		}, `SELECT p.id, f.name FROM files f JOIN projects p ON p.num = f.project
			WHERE f.project > ? AND f.project <= ? AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.id = f.blob) LIMIT ?`, after, last, limit)
		found = append(found, lost...)
		return err
	})
	return found, seen, last, in("compare records", err)
}

// It checks deleted accounts, too, whose files may still be there.
func (store Upkeep) AccountMistakes(
	ctx context.Context, after int64, limit int,
) (found []operate.Mistake, seen int, last int64, err error) {
	type account struct {
		id                      int64
		handle                  string
		projects, have, handles int
		bytes, haveBytes        int64
	}
	page, err := all(ctx, store.db, fields(func(a *account) []any {
		return []any{
			&a.id, &a.handle, &a.projects, &a.bytes, &a.have,
			&a.haveBytes, &a.handles,
		}
	}), `SELECT a.id, a.handle, a.projects, a.bytes,
			(SELECT count(*) FROM projects p WHERE p.account = a.id AND p.deleted_at IS NULL),
			(SELECT CAST(coalesce(sum(b.size), 0) AS BIGINT) FROM projects p JOIN files f ON f.project = p.num
			JOIN blobs b ON b.id = f.blob WHERE p.account = a.id)
			+ (SELECT CAST(coalesce(sum(t.charged), 0) AS BIGINT) FROM projects p JOIN player_totals t ON t.project = p.num WHERE p.account = a.id),
			(SELECT count(*) FROM handles h WHERE h.handle = a.handle AND h.account = a.id)
		FROM accounts a WHERE a.id > ? ORDER BY a.id LIMIT ?`, after, limit)
	for _, a := range page {
		seen, last = seen+1, a.id
		wrong := func(is bool, format string, args ...any) {
			if is {
				found = append(found, operate.Mistake{Handle: a.handle, Detail: fmt.Sprintf(format, args...)})
			}
		}
		wrong(a.projects != a.have, "it is recorded with %d projects, and has %d", a.projects, a.have)
		wrong(a.bytes != a.haveBytes, "it is recorded with %d bytes in all versions and of players, and has %d", a.bytes, a.haveBytes)
		wrong(a.handles != 1, "its handle is not among those given out")
	}
	return found, seen, last, in("compare accounts", err)
}

// Mistakes reports the references of files, with their projects.
func (store Upkeep) Damage(ctx context.Context, limit int) ([]string, error) {
	return store.db.engine.Damage(ctx, limit, "files")
}
