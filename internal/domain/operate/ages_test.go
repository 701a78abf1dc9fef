package operate_test

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// year is by how much these tests set the clock.
const year = 365 * 24 * time.Hour

// house is a world with a process that runs: its clock can be set, the time that it
// runs cannot.
type house struct {
	*testworld.World
	t   *testing.T
	ran time.Duration
	*operate.AgeGuard
}

func newHouse(t *testing.T, opts ...testworld.Option) *house {
	h := &house{World: testworld.New(t, opts...), t: t}
	h.restart()
	return h
}

func (h *house) restart() {
	h.ran = 0
	h.AgeGuard = &operate.AgeGuard{Times: h.DB.Upkeep(), Now: h.World.Now, Running: func() time.Duration { return h.ran }, Log: slog.New(slog.DiscardHandler)}
}

// runs moves the clock, by a minute at a time.
func (h *house) runs(d time.Duration) {
	h.t.Helper()
	for ; d > 0; d -= time.Minute {
		h.Clock.Move(time.Minute)
		h.ran += time.Minute
		h.mayDelete()
	}
}

func (h *house) mayDelete() bool {
	h.t.Helper()
	may, err := h.MayDelete(h.t.Context())
	expect.OK(h.t, err)
	return may
}

func (h *house) collect() {
	h.t.Helper()
	c := operate.Collector{Records: h.DB.Upkeep(), Blobs: h.Blobs, Trim: h.DB.Upkeep(), Keep: 1, Ages: h.AgeGuard, Now: h.World.Now}
	_, err := c.Collect(h.t.Context())
	expect.OK(h.t, err)
}

// aged are the tables and folders from which something goes when it is old enough.
func aged() []string {
	return []string{
		"blobs on disk", "blobs", "uploads", "upload_parts", "versions", "files", "day_figures", "idempotency", "verifications", "sessions", "logins", "stops", "mails", "email_moves", "email_links",
	}
}

// leave leaves something in each of aged that a clock two years ahead makes old.
func (h *house) leave() {
	h.t.Helper()
	out := h.PublishPage(testworld.Nobody(), large)
	by, id := h.CallerOf(out.Keys.Account), out.Project.ID
	h.PutFile(by, id, "a.css", large+"1")
	h.PutFile(by, id, "a.css", large+"2")
	one, two := 1, 2
	part := &publish.PartInput{UploadID: "u", N: &one, Total: &two}
	_, _, err := h.Publish.Publish(h.t.Context(), by, publish.PublishInput{Content: h.Stage(large), Part: part})
	expect.OK(h.t, err)
	_, err = h.Blobs.Put(h.t.Context(), h.Blobs.Name(), strings.NewReader("nobody refers to this"))
	expect.OK(h.t, err)
	h.Gallery.Play(h.t.Context(), testworld.Nobody(), id, gallery.Player{ID: "x"})
	expect.OK(h.t, h.Counters.Flush(h.t.Context()))
	soon, now := h.World.Now().Add(time.Hour).UnixMicro(), h.World.Now().UnixMicro()
	h.exec("INSERT INTO idempotency (key, request, expires_at, account, project, version, mail, answer) VALUES (x'01', x'01', ?, 0, '', 0, 0, x'')", soon)
	h.exec("INSERT INTO verifications (token, account, email, expires_at) VALUES (x'01', 1, 'a@example.org', ?)", soon)
	h.exec("INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at) VALUES (x'01', 1, '', 0, 0, 0, ?)", soon)
	h.exec("INSERT INTO logins (browser, email, back, tries, proved, asked_at, expires_at) VALUES (x'01', 'a@example.org', '', 0, 0, 0, ?)", soon)
	h.exec("INSERT INTO stops (mailbox, kind, at, until) VALUES (x'01', 'logins', ?, ?)", now, soon)
	h.exec("INSERT INTO mails (mailbox, at) VALUES (x'01', ?)", now)
	h.exec("INSERT INTO email_moves (id, account, email, undo, expires_at) VALUES (1, 1, 'a@example.org', 0, ?)", soon)
	h.exec("INSERT INTO email_links (token, move) VALUES (x'01', 1)")
}

func (h *house) exec(query string, args ...any) {
	h.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(h.Dir, "sandlot.db"))
	expect.OK(h.t, err)
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
}

func TestRegression38AClockThatJumpsDeletesNothing(t *testing.T) {
	t.Parallel()
	t.Run("two years ahead, until it has gone right for an hour", func(t *testing.T) {
		h := newHouse(t)
		h.runs(2 * time.Hour)
		h.leave()
		before := h.Sizes()
		h.Clock.Move(2 * year)
		h.Unchanged(t, h.collect)
		h.runs(operate.ClockQuiet - time.Minute)
		h.Unchanged(t, h.collect)
		h.runs(time.Minute)
		h.collect()
		after := h.Sizes()
		for _, name := range aged() {
			if before[name] == 0 || after[name] >= before[name] {
				t.Errorf("%s: %d of %d are left after an hour", name, after[name], before[name])
			}
		}
	})
	t.Run("ahead and back within that hour", func(t *testing.T) {
		h := newHouse(t)
		h.runs(2 * time.Hour)
		h.leave()
		h.Clock.Move(2 * year)
		h.runs(operate.ClockQuiet - time.Minute)
		h.Clock.Move(-2 * year)
		h.Unchanged(t, h.collect)
		h.runs(2 * time.Hour)
		before := h.Sizes()
		h.collect()
		if after := h.Sizes(); after["uploads"] != before["uploads"] || after["day_figures"] != before["day_figures"] {
			t.Errorf("%v are left of %v", after, before)
		}
	})
	t.Run("ahead while it was stopped, and again started while it was wrong", func(t *testing.T) {
		h := newHouse(t)
		h.runs(2 * time.Hour)
		h.leave()
		h.Clock.Move(2 * year)
		for range 3 {
			h.restart()
			h.Unchanged(t, h.collect)
			h.runs(operate.ClockQuiet - time.Minute)
			h.Unchanged(t, h.collect)
		}
	})
}

func TestAgeGuard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(h *house)
		want bool
	}{
		{"the first start of all", func(*house) {}, false},
		{"an hour after it", func(h *house) { h.runs(time.Hour) }, true},
		{"an hour back", func(h *house) { h.runs(2 * time.Hour); h.Clock.Move(-time.Hour) }, true},
		{"more than an hour back", func(h *house) { h.runs(2 * time.Hour); h.Clock.Move(-time.Hour - time.Second) }, false},
		{"more than an hour ahead", func(h *house) { h.runs(2 * time.Hour); h.Clock.Move(time.Hour + time.Second) }, false},
		{"a second jump begins the hour again", func(h *house) {
			h.runs(2 * time.Hour)
			h.Clock.Move(year)
			h.runs(59 * time.Minute)
			h.Clock.Move(-year)
			h.runs(59 * time.Minute)
		}, false},
		{"a restart with the clock right", func(h *house) { h.runs(2 * time.Hour); h.Clock.Move(time.Minute); h.restart() }, true},
		{"a restart a year back", func(h *house) { h.runs(2 * time.Hour); h.Clock.Move(-year); h.restart() }, false},
		{"a restart does not make a wrong clock right", func(h *house) {
			h.runs(2 * time.Hour)
			h.Clock.Move(year)
			h.runs(30 * time.Minute)
			h.restart()
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			h.mayDelete()
			tt.do(h)
			expect.Equal(t, "may delete", h.mayDelete(), tt.want)
		})
	}
}
