package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

const nearLimit = 10

// If another file has the same folded name the error is sandlot.ErrExists.
func (store ProjectStore) PutFile(
	ctx context.Context, id sandlot.ProjectID, f sandlot.File, at publish.Edit,
) (sandlot.Project, error) {
	p, err := store.edit(ctx, id, at, []sandlot.Blob{f.Blob}, func(t *tx, p *projectRow) ([]engine.Statement, error) {
		if err := t.closeFile(p, f.Folded, f.Name); err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return nil, err
		}
		return t.putFiles(p, []sandlot.File{f}, store.db.Now())
	})
	return p, in("put file", err)
}

func (store ProjectStore) DeleteFile(
	ctx context.Context, id sandlot.ProjectID, name string, at publish.Edit,
) (sandlot.Project, error) {
	at.Within = publish.Quota{} // nothing is added
	p, err := store.edit(ctx, id, at, nil, func(t *tx, p *projectRow) ([]engine.Statement, error) {
		if name == p.Primary {
			return nil, sandlot.ErrNoPrimary
		}
		// A project has an index of its folded names only; this reads through its current files, some ten thousand at
		// most.
		folded, err := one(ctx, t, scanValue[string],
			"SELECT folded FROM files WHERE project = ? AND until = 9223372036854775807 AND name = ?", p.num, name)
		if err != nil {
			return nil, err
		}
		return nil, t.closeFile(p, folded, name)
	})
	return p, in("delete file", err)
}

// closeFile ends a current file with the version before p.Version, and takes it out of the project's totals.
func (t *tx) closeFile(p *projectRow, folded, name string) error {
	size, err := t.number(`UPDATE files SET until = ? WHERE project = ? AND until = 9223372036854775807 AND folded = ? AND name = ?
		RETURNING (SELECT size FROM blobs WHERE blobs.id = files.blob)`, p.Version, p.num, folded, name)
	if err == nil {
		p.Size -= size
		p.FileCount--
	}
	return err
}

// closeFiles ends current files with the version before p.Version, and takes them out of the project's totals.
func (t *tx) closeFiles(p *projectRow, files []sandlot.File) error {
	if len(files) == 0 {
		return nil
	}
	folded, names := make([]string, len(files)), make(map[string]bool, len(files))
	for i, f := range files {
		folded[i], names[f.Name] = f.Folded, true
	}
	// IS TRUE keeps PostgreSQL from a join, which without statistics reads through the list for each file.
	closed, err := all(context.Background(), t, scanClosedFile,
		"UPDATE files SET until = ? WHERE project = ? AND until = 9223372036854775807 AND (folded IN (SELECT value FROM "+
			t.dialect.Texts("?", "j")+`)) IS TRUE RETURNING name, (SELECT size FROM blobs
			WHERE blobs.id = files.blob)`, p.Version, p.num, engine.List(folded))
	if err != nil {
		return err
	}
	for _, f := range closed {
		if !names[f.name] {
			return sandlot.ErrNotFound
		}
		p.Size -= f.size
		p.FileCount--
	}
	if len(closed) < len(names) {
		return sandlot.ErrNotFound
	}
	return nil
}

type closedFile struct {
	name string
	size int64
}

func scanClosedFile(r row) (f closedFile, err error) {
	err = r.Scan(&f.name, &f.size)
	return f, err
}

// putFiles records the contents of files that come with p.Version, adds them to the project's totals, and returns the
// records that are left to make.
func (t *tx) putFiles(p *projectRow, files []sandlot.File, now time.Time) ([]engine.Statement, error) {
	put := make([]pastFile, len(files))
	for i := range files {
		put[i] = pastFile{&files[i], int64(p.Version), current}
		p.Size += files[i].Blob.Size
	}
	p.FileCount += len(files)
	k := keepFiles(put)
	if err := t.Run(newBlobs(k.fresh, asFile, now, &k.ids)); err != nil {
		return nil, err
	}
	contents, err := t.newContents(k)
	return append(contents, newFiles(p.num, put, k)), err
}

func newFiles(project int64, files []pastFile, k *keeping) engine.Statement {
	s := engine.Statement{Query: "INSERT INTO files (project, until, since, folded, name, blob) VALUES (?, ?, ?, ?, ?, ?)"}
	for _, f := range files {
		s.Rows = append(s.Rows, []any{project, f.until, f.since, f.Folded, f.Name, k.id(f.Blob)})
	}
	return s
}

// The columns and joins of a file: the joins add a row for each variant.
const (
	fileColumns = "f.name, f.folded, b.id, coalesce(b.ref, ''), b.size, b.sha256, b.is_text, coalesce(b.squeezed, 0), f.since"
	filesAnd    = "SELECT " + fileColumns + `, v.encoding, v.crc32, vb.id, coalesce(vb.ref, ''), vb.size, vb.sha256, vb.is_text
		FROM projects p JOIN files f ON f.project = p.num JOIN blobs b ON b.id = f.blob LEFT JOIN variants v ON v.blob = b.id`
	ofProject       = " LEFT JOIN blobs vb ON vb.id = v.variant WHERE p.id = ? AND "
	selectFiles     = filesAnd + ofProject + "p.deleted_at IS NULL" + ofAccount + " AND "
	selectFilesWith = filesAnd + " AND v.encoding = ?" + ofProject // also of a deleted project
	// The order of the keys, which saves sorting a row for each variant; the list is sorted by name in the end.
	orderFiles = " ORDER BY f.until, f.folded, v.encoding"
	// The current files of a project.
	currentFiles = "f.until = 9223372036854775807"
)

func (store FileStore) Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error) {
	return store.files(ctx, id, version, versionOf, selectFiles)
}

func (store FileStore) FilesWith(ctx context.Context, id sandlot.ProjectID, version int, encoding string) ([]sandlot.File, error) {
	return store.files(ctx, id, version, versionKept, selectFilesWith, encoding)
}

// files lists the files of a version that is there, by one of the queries above, which may take an argument first.
func (store FileStore) files(
	ctx context.Context, id sandlot.ProjectID, version int, there findVersion, query string, first ...any,
) ([]sandlot.File, error) {
	// The current version is where it takes no look at the project's history.
	current := func(q querier) ([]sandlot.File, error) {
		return gather(ctx, q, query+"p.version = ? AND "+currentFiles+orderFiles, append(first, string(id), version)...)
	}
	list, err := current(store.db)
	if err == nil && len(list) == 0 {
		err = store.db.snapshot(ctx, func(q querier) error {
			if list, err = current(q); err != nil || len(list) > 0 {
				return err
			}
			if _, err := there(ctx, q, id, version); err != nil {
				return err
			}
			list, err = gather(ctx, q, query+"f.since <= ? AND f.until > ?"+orderFiles, append(first, string(id), version, version)...)
			return err
		})
	}
	slices.SortFunc(list, func(a, b sandlot.File) int { return strings.Compare(a.Name, b.Name) })
	return list, in("list files", err)
}

type fileRow struct {
	file    sandlot.File
	variant sandlot.Variant
}

func scanFileRow(r row) (fr fileRow, err error) {
	var encoding, ref sql.NullString
	var id, size, crc sql.NullInt64
	var text sql.NullBool
	f, v := &fr.file, &fr.variant
	err = r.Scan(&f.Name, &f.Folded, &f.Blob.ID, &f.Blob.Ref, &f.Blob.Size, asDigest{&f.Blob.SHA256}, &f.Blob.Text, &f.Squeezed, &f.Since,
		&encoding, &crc, &id, &ref, &size, asDigest{&v.Blob.SHA256}, &text)
	v.Encoding, v.CRC32 = encoding.String, uint32(crc.Int64)
	v.Blob.ID, v.Blob.Ref, v.Blob.Size, v.Blob.Text = id.Int64, sandlot.BlobRef(ref.String), size.Int64, text.Bool
	return fr, err
}

// gather reads rows of files, and merges the rows of each name into one file. It keeps no rows: there may be 40,000.
func gather(ctx context.Context, q querier, query string, args ...any) (list []sandlot.File, err error) {
	err = q.read(ctx, func(q engine.Querier) error {
		list = nil
		_, err := each(ctx, q, func(r row) (none struct{}, err error) {
			fr, err := scanFileRow(r)
			if err == nil {
				list = fr.addTo(list)
			}
			return none, err
		}, query, args...)
		return err
	})
	return list, err
}

func (fr fileRow) addTo(list []sandlot.File) []sandlot.File {
	if len(list) == 0 || list[len(list)-1].Name != fr.file.Name {
		list = append(list, fr.file)
	}
	if fr.variant.Encoding != "" {
		last := &list[len(list)-1]
		last.Variants = append(last.Variants, fr.variant)
	}
	return list
}

func scanFile(r row) (f sandlot.File, err error) {
	err = r.Scan(&f.Name, &f.Folded, &f.Blob.ID, &f.Blob.Ref, &f.Blob.Size, asDigest{&f.Blob.SHA256}, &f.Blob.Text, &f.Squeezed, &f.Since)
	return f, err
}

// selectCurrent reads current files without their variants.
const selectCurrent = "SELECT " + fileColumns + ` FROM projects p JOIN files f ON f.project = p.num JOIN blobs b ON b.id = f.blob
	WHERE p.id = ? AND p.deleted_at IS NULL` + ofAccount + ` AND f.until = 9223372036854775807 AND `

const orWithin = " UNION ALL " + selectCurrent + "f.folded >= ? AND f.folded < ? ORDER BY 1 LIMIT ?"

func (store FileStore) FilesNear(ctx context.Context, id sandlot.ProjectID, folded string) ([]sandlot.File, error) {
	// Two looks into the order of the current names; "0" is the character after "/".
	files, err := all(ctx, store.db, scanFile, selectCurrent+store.db.amongTexts("f.folded")+orWithin,
		string(id), engine.List(lineage(folded)), string(id), folded+"/", folded+"0", nearLimit)
	return files, in("look for files", err)
}

// lineage returns a name and the names of the folders around it.
func lineage(name string) []string {
	list := []string{name}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '/' {
			list = append(list, name[:i])
		}
	}
	return list
}
