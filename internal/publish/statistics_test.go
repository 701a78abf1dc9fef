package publish_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// lockDatabase holds the database as another process does, until the function it
// returns is called.
func (w *world) lockDatabase() (unlock func()) {
	w.t.Helper()
	other, err := sql.Open("sqlite", filepath.Join(w.dir, "sandlot.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	conn, err := other.Conn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := conn.ExecContext(w.t.Context(), "BEGIN IMMEDIATE"); err != nil {
		w.t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(w.t.Context(), "ROLLBACK"); err != nil {
			w.t.Error(err)
		}
		conn.Close()
		other.Close()
	}
}

func TestRegression39StatisticsDoNotWaitForWrites(t *testing.T) {
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, owner, id := w.caller(out.Keys.Account), w.owner(out.Project.Account), out.Project.ID
	w.Play(t.Context(), nobody(), id, publish.Visitor{ID: "x"})
	begun := make(chan struct{}, 1)
	w.store.Step = func(step string) (error, error) {
		if step == "AddCounts" {
			begun <- struct{}{}
		}
		return nil, nil
	}
	unlock := w.lockDatabase()
	flushed := make(chan error, 1)
	go func() { flushed <- w.Flush(context.WithoutCancel(t.Context())) }()
	<-begun
	w.Play(t.Context(), nobody(), id, publish.Visitor{ID: "y"})
	for name, plays := range map[string]func() (int64, error){
		"stats": func() (int64, error) { _, s, err := w.Stats(t.Context(), nobody(), string(id)); return s.Plays, err },
		"the counts of a page that is open": func() (int64, error) {
			s, err := w.Counts(t.Context(), nobody(), id)
			return s.Plays, err
		},
		"a project": func() (int64, error) { v, err := w.Project(t.Context(), by, string(id)); return v.Stats.Plays, err },
		"whoami": func() (int64, error) {
			who, err := w.Whoami(t.Context(), by, 1, "")
			if err != nil {
				return 0, err
			}
			return who.Projects[0].Stats.Plays, nil
		},
		"an overview": func() (int64, error) {
			list, _, err := w.Overview(t.Context(), owner, "")
			if err != nil {
				return 0, err
			}
			return list[0].Stats.Plays, nil
		},
	} {
		t.Run(name+" are told while plays are being written", func(t *testing.T) {
			n, err := plays()
			if err != nil || n != 2 {
				t.Errorf("%d plays, %v", n, err)
			}
			select {
			case err := <-flushed:
				t.Fatalf("they came after the write, which ended with %v", err)
			default:
			}
		})
	}
	unlock()
	select {
	case err := <-flushed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(25 * time.Second):
		t.Fatal("the write has not ended")
	}
	_, s, err := w.Stats(t.Context(), nobody(), string(id))
	same(t, "plays when they were written", s, publish.Stats{Plays: 2})
	if err != nil {
		t.Error(err)
	}
}
