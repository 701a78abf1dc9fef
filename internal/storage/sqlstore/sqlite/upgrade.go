package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	copyMark    = ".schema-"
	copyTime    = "20060102T150405Z"
	copyPartial = ".partial"
)

// keepCopy leaves a copy of the database beside it if a migration is due, without the rows of the brief tables: a file
// DATABASE.schema-N.TIME, which replaces earlier ones of that schema. The copy is durable when it returns.
func (e *Engine) keepCopy(ctx context.Context, path string, known []engine.Migration, brief []string) error {
	todo, err := unapplied(ctx, e.read, path, known)
	if err != nil || len(todo) == 0 || todo[0].N == 1 {
		return err
	}
	name := fmt.Sprint(path, copyMark, todo[0].N-1, ".")
	earlier := slices.DeleteFunc(copies(path), func(file string) bool { return !strings.HasPrefix(file, filepath.Clean(name)) })
	name += e.now().UTC().Format(copyTime)
	if err := removeAll(copies(path), partial); err != nil {
		return in("copy "+path, err)
	}
	err = e.CopyTo(ctx, name+copyPartial, func(t engine.Tx) error { return empty(ctx, t, brief) })
	if err != nil {
		err = errors.Join(err, removeAll(copies(path), partial)) // the journal of the copy, too
	}
	if errors.Is(err, sandlot.ErrFull) {
		return noRoom(path, err)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(os.Rename(name+copyPartial, name), durable.Sync(os.Open(filepath.Dir(path)))); err != nil {
		return in("copy "+path, err)
	}
	return in("copy "+path, removeAll(earlier, func(file string) bool { return file != filepath.Clean(name) && !partial(file) }))
}

// noRoom says how much room the copy of a database needs.
func noRoom(path string, err error) error {
	bytes := int64(0)
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			bytes += info.Size()
		}
	}
	return fmt.Errorf("there is no room for the copy of %s from before its upgrade, about %d MiB; nothing was changed. "+
		"Free that much on its disk, or start the sandlot of before: %w", path, bytes>>20+1, err)
}

// empty deletes all rows of those tables that the database has.
func empty(ctx context.Context, t engine.Tx, tables []string) error {
	for _, table := range tables {
		_, err := value[string](ctx, t, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?", table)
		if err == nil {
			_, err = t.Exec(`DELETE FROM "` + table + `"`)
		}
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
	}
	return nil
}

// DropCopies removes the copies from before upgrades that Open left beside a database before that time.
func DropCopies(path string, before time.Time) error {
	return removeAll(copies(path), func(name string) bool {
		at, err := time.Parse(copyTime, strings.TrimPrefix(filepath.Ext(name), "."))
		return err == nil && at.Before(before)
	})
}

// copies returns the names of all copies of a database: none if the folder cannot be read.
func copies(path string) (names []string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+copyMark) {
			names = append(names, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return names
}

// partial reports whether a copy was cut short, or is the journal of one.
func partial(name string) bool { return strings.Contains(filepath.Base(name), copyPartial) }

func removeAll(names []string, which func(name string) bool) (err error) {
	for _, name := range names {
		if which(name) {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}
