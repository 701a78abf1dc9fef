package gallery_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const page = "<!doctype html><title>Space Cats</title><p>meow"

// A world is a testworld.World with the gallery's methods as its own.
type world struct {
	*gallery.Service
	in *testworld.World
	t  *testing.T
}

func newWorld(t *testing.T, opts ...testworld.Option) *world {
	t.Helper()
	in := testworld.New(t, opts...)
	return &world{in.Gallery, in, t}
}

// public makes an instance one that strangers come to.
var public = testworld.With(func(c *publish.Config) { c.Public = true })

func nobody() sandlot.Caller { return testworld.Nobody() }

func (w *world) account() sandlot.Caller { w.t.Helper(); return w.in.NewAccount() }

func (w *world) owner(id sandlot.AccountID) sandlot.Caller { w.t.Helper(); return w.in.OwnerOf(id) }

func (w *world) publish(by sandlot.Caller) publish.Published {
	w.t.Helper()
	return w.in.PublishPage(by, page)
}

// maker is a caller whose projects may be listed.
func (w *world) maker() sandlot.Caller {
	by := w.account()
	w.exec("UPDATE accounts SET verified = 1 WHERE id = ?", by.Account())
	return by
}

// suspend does what an operator does.
func (w *world) suspend(ref string) {
	w.t.Helper()
	_, err := w.in.Operate.Suspend(w.t.Context(), sandlot.AsOperator(""), ref, "spam")
	expect.OK(w.t, err)
}

// exec changes the records as another process would.
func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	w.in.Exec(query, args...)
}

// lockDatabase holds the database as another process does, until the function it
// returns is called.
func (w *world) lockDatabase() (unlock func()) {
	w.t.Helper()
	other, err := sql.Open("sqlite", filepath.Join(w.in.Dir, "sandlot.db"))
	expect.OK(w.t, err)
	conn, err := other.Conn(w.t.Context())
	expect.OK(w.t, err)
	_, err = conn.ExecContext(w.t.Context(), "BEGIN IMMEDIATE")
	expect.OK(w.t, err)
	return func() {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			w.t.Error(err)
		}
		conn.Close()
		other.Close()
	}
}

func (w *world) flush() {
	w.t.Helper()
	expect.OK(w.t, w.in.Counters.Flush(w.t.Context()))
}

// refused checks that err is a refusal with this code.
func refused(t *testing.T, err error, code sandlot.Code) {
	t.Helper()
	if e := sandlot.AsError(err); !errors.Is(err, code) || e == nil || e.Message == "" {
		t.Errorf("got %v, want %s", err, code)
	}
}
