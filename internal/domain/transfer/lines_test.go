package transfer_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func (w *world) lines() boards.Lines { return boards.Lines{Store: w.DB.Boards(), Now: w.Now} }

// importing has the world import boards, and more lines.
func (w *world) importing(more ...transfer.Lines) *world {
	w.in = transfer.New(transfer.Config{
		Projects: w.Publish, Contents: w.Publish.Contents, Pictures: w.Covers, Lines: append(more, w.lines()), Temporary: w.t.TempDir(), MaxFile: 8 << 20,
	})
	return w
}

func (w *world) place(id sandlot.ProjectID, board string, ascending bool, scores ...float64) {
	w.t.Helper()
	for i, score := range scores {
		_, err := w.DB.Boards().Place(w.t.Context(), boards.Placing{
			Holder: players.Holder{Project: id, Token: sandlot.DigestOf(fmt.Append(nil, i)), Fresh: fmt.Sprintf("p%09d", i), Now: w.Now()},
			Board:  board, Ascending: ascending, Score: score, Name: fmt.Sprint("Player ", i), Admit: func(boards.Board) error { return nil },
		})
		expect.OK(w.t, err)
		w.Clock.Move(time.Second)
	}
}

// boardsOf lists the boards of a project with their rows.
func (w *world) boardsOf(id sandlot.ProjectID) (list []string) {
	w.t.Helper()
	all, err := w.DB.Boards().Boards(w.t.Context(), id)
	expect.OK(w.t, err)
	slices.SortFunc(all, func(a, b boards.Board) int { return strings.Compare(a.Name, b.Name) })
	for _, b := range all {
		line := fmt.Sprint(b.Name, b.Ascending, b.MinSeconds, b.CreatedAt.UnixMicro())
		for _, bound := range []*float64{b.Min, b.Max} {
			if bound != nil {
				line += fmt.Sprint(" bound ", *bound)
			}
		}
		expect.OK(w.t, w.DB.Boards().Rows(w.t.Context(), id, b.Name, 1000, func(r boards.Row) error {
			line += fmt.Sprint("|", r.Player, r.Name, r.Score, r.At.UnixMicro())
			return nil
		}))
		list = append(list, line)
	}
	return list
}

func (w *world) exportLines(by sandlot.Caller) []byte {
	w.t.Helper()
	e, err := w.Publish.Reader.Export(w.t.Context(), by)
	expect.OK(w.t, err)
	e.ExportedAt = testworld.Start
	var out bytes.Buffer
	expect.OK(w.t, transfer.Write(w.t.Context(), &out, e, w.Publish.Contents, w.lines()))
	return out.Bytes()
}

func TestBoardsGoWithAnExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*testworld.World) {}).importing()
	by := w.account()
	id := w.PublishPage(by, "<p>pong").Project.ID
	without := w.PublishPage(by, "<p>no boards").Project.ID
	w.place(id, "main", false, 10, 1e-320, 1e308, -0.1)
	w.place(id, "fastest", true, 61.25, 59.5)
	low, seconds := 20.0, 30
	_, err := w.DB.Boards().Amend(t.Context(), id, "fastest", boards.Change{Min: &low, MinSeconds: &seconds}, w.Now())
	expect.OK(t, err)

	data := w.exportLines(by)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	expect.OK(t, err)
	_, err = z.Open(string(without) + ".boards.ndjson")
	expect.Equal(t, "the project without boards has an entry", err == nil, false)
	f, err := z.Open(string(id) + ".boards.ndjson")
	expect.OK(t, err)
	text, err := io.ReadAll(f)
	expect.OK(t, err)
	expect.Equal(t, "lines", strings.Count(string(text), "\n"), 8)
	t.Run("which is the same again", func(t *testing.T) {
		expect.Equal(t, "the archive", bytes.Equal(w.exportLines(by), data), true)
	})
	t.Run("and has no token and no address", func(t *testing.T) {
		for _, name := range []string{"token", "hash", "code"} {
			expect.Equal(t, name+" is in it", strings.Contains(string(text), name), false)
		}
	})

	to := newWorld(t, func(*testworld.World) {}).importing()
	to.Clock.Move(24 * time.Hour)
	owner := to.account()
	report, err := to.imports(owner, data)
	expect.OK(t, err)
	came := report.Projects[slices.IndexFunc(report.Projects, func(o transfer.Outcome) bool { return o.From == string(id) })].Adopted
	expect.Equal(t, "warnings", len(came.Warnings), 0)
	expect.Same(t, "the boards", to.boardsOf(came.Project.ID), w.boardsOf(id))
	t.Run("and an import that was repeated under its key changes nothing", func(t *testing.T) {
		once := func(in *transfer.Input) { in.Idempotency = "0123456789abcdef" }
		first, err := to.imports(owner, data, once)
		expect.OK(t, err)
		again, err := to.imports(owner, data, once)
		expect.OK(t, err)
		for i := range first.Projects {
			expect.Equal(t, "the project", again.Projects[i].Adopted.Project.ID, first.Projects[i].Adopted.Project.ID)
		}
		expect.Same(t, "the boards", to.boardsOf(came.Project.ID), w.boardsOf(id))
	})
	t.Run("and an import without Lines passes them over", func(t *testing.T) {
		old := newWorld(t, func(*testworld.World) {})
		report, err := old.imports(old.account(), data)
		expect.OK(t, err)
		expect.Equal(t, "projects", len(report.Projects), 2)
	})
	t.Run("and a dry run adds none", func(t *testing.T) {
		dry := newWorld(t, func(*testworld.World) {}).importing()
		_, err := dry.imports(dry.account(), data, func(in *transfer.Input) { in.DryRun = true })
		expect.OK(t, err)
	})
}

func TestAWarningNamesTheDataThatWasLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*testworld.World) {})
	w.importing(players.Lines{Store: w.DB.Players(), Now: w.Now})
	by := w.account()
	id := string(w.PublishPage(by, "<p>pong").Project.ID)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	from := w.exportLines(by)
	old, err := zip.NewReader(bytes.NewReader(from), int64(len(from)))
	expect.OK(t, err)
	for _, f := range old.File {
		expect.OK(t, z.Copy(f))
	}
	for _, name := range []string{".boards.ndjson", ".saves.ndjson"} {
		entry, err := z.Create(id + name)
		expect.OK(t, err)
		_, err = entry.Write([]byte("{"))
		expect.OK(t, err)
	}
	expect.OK(t, z.Close())
	report, err := w.imports(by, out.Bytes())
	expect.OK(t, err)
	var codes []string
	for _, warning := range report.Projects[0].Adopted.Warnings {
		codes = append(codes, warning.Code)
	}
	expect.Same(t, "codes", codes, []string{"saves_left_out", "scores_left_out"})
}

func TestForgedLinesAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*testworld.World) {})
	const board = `{"board":"main","order":"desc"}` + "\n"
	row := func(player, score string) string { return `{"player":"` + player + `","score":` + score + "}\n" }
	good := board + row("p000000001", "5")
	for what, c := range map[string]struct {
		text string
		rows int
		left string
	}{
		"good lines":             {good, 1, ""},
		"a row without a board":  {row("p000000001", "5"), 0, "Line 1"},
		"no JSON":                {good + "{", 1, "Line 3"},
		"a score beyond numbers": {good + row("p000000002", "1e999"), 1, "Line 3"},
		"no score":               {good + `{"player":"p000000002"}`, 1, "Line 3"},
		"a player with markup":   {good + row("<script>ab", "1"), 1, "Line 3"},
		"a long id":              {good + row("p0000000022", "1"), 1, "Line 3"},
		"a board with blanks":    {good + `{"board":"Level 1"}`, 1, "Line 3"},
		"bounds without between": {good + `{"board":"b","min":2,"max":1}`, 1, "Line 3"},
		"a long line":            {good + strings.Repeat(" ", 5000), 1, "too long"},
		"too many boards": {good + func() (all string) {
			for i := range 120 {
				all += fmt.Sprintf(`{"board":"b%d"}`+"\n", i)
			}
			return all
		}(), 1, "100 boards"},
	} {
		t.Run(what, func(t *testing.T) {
			id := w.PublishPage(w.account(), "<p>pong").Project.ID
			left, err := w.lines().Read(t.Context(), id, strings.NewReader(c.text))
			expect.OK(t, err)
			if c.left == "" {
				expect.Equal(t, "the reason", left, "")
			}
			expect.Contains(t, "the reason", left, c.left)
			rows := 0
			err = w.DB.Boards().Rows(t.Context(), id, "main", 9, func(boards.Row) error { rows++; return nil })
			expect.Equal(t, "an error", err != nil && c.rows > 0, false)
			expect.Equal(t, "rows", rows, c.rows)
		})
	}
	t.Run("times that are to come are now, and names are cleaned", func(t *testing.T) {
		id := w.PublishPage(w.account(), "<p>pong").Project.ID
		left, err := w.lines().Read(t.Context(), id, strings.NewReader(board+
			`{"player":"p000000001","score":1,"at":"9999-01-01T00:00:00Z","name":"  a\u202e\n b `+strings.Repeat("x", 50)+`"}`))
		expect.OK(t, err)
		expect.Equal(t, "the reason", left, "")
		expect.OK(t, w.DB.Boards().Rows(t.Context(), id, "main", 9, func(r boards.Row) error {
			expect.Equal(t, "the time", r.At.Equal(w.Now()), true)
			expect.Equal(t, "the name", r.Name, "a b "+strings.Repeat("x", 16))
			return nil
		}))
	})
}
