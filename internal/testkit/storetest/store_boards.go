package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/publish"
)

// TestBoards proves boards.Store.
func TestBoards(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, []storeCase{
		{"Place/bears a board, and returns the player's place of all time", placeFirst},
		{"Place/of equal scores the earlier is the better one", placeTies},
		{"Place/a score that is no better changes nothing", placeAgain},
		{"Place/the board keeps its order", placeOrder},
		{"Place/scores at the ends of their range come back as they are", placeEnds},
		{"Place/a project with MaxBoards bears no more, also of many at once", placeTooMany},
		{"Place/an error of Admit comes back, and nothing has changed", placeAdmit},
		{"Place/blocks count to the project and its account until they go, and over MaxBytes or the quota none is born", chargeBoards},
		{"Place/steps at once on one board leave exact ranks", placeAtOnce},
		{"Place/the name becomes the player's", placeName},
		{"Place/a refused player is ErrRefused, and has no row", placeRefused},
		{"Remove/removes the rows of a player from all boards, as does Sweep after players.Kept", removePlaced},
		{"Top/has the rows of a day and of a week apart", topPeriods},
		{"Boards/returns the boards of a project, the last moved first", listBoards},
		{"Amend/rows outside of its bounds are gone", amendBounds},
		{"Amend/removes rows of players, or all, also many at once, and keeps the rules", amendRemoves},
		{"Delete/removes a board, and the next score bears a new one", deleteBoard},
		{"Moved/returns boards of projects that may be listed and that moved since a time, with their best", movedBoards},
		{"Rows, Bring/bring a board to another project, and keep better rows", bringBoard},
		{"Sweep/removes rows of boards that are gone and of periods that are over, and no others", sweepBoards},
		{"Trash/hides boards until the project is taken back, and Sweep removes those of a purged one", trashBoards},
		{"Copy/has the placed scores", copyBoards},
	})
}

func placing(p sandlot.ProjectID, player string, score float64, at time.Time) boards.Placing {
	return boards.Placing{
		Holder: players.Holder{Project: p, Token: sum(player), Fresh: (player + "0000000000")[:10], Now: at},
		Board:  boards.Default, Score: score, Admit: func(boards.Board) error { return nil },
	}
}

func place(t *testing.T, s Stores, p sandlot.ProjectID, player string, score float64, at time.Time) boards.Placed {
	t.Helper()
	return must(s.Boards.Place(t.Context(), placing(p, player, score, at)))(t)
}

// ranked are the players of a board, the best first, as "name score".
func ranked(t *testing.T, s Stores, p sandlot.ProjectID, board string, period int64) (list []string) {
	t.Helper()
	top, err := s.Boards.Top(t.Context(), boards.Reading{Project: p, Board: board, Period: period, Limit: 100})
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	ok(t, err)
	same(t, "how many there are", top.Of, int64(len(top.Entries)))
	for i, e := range top.Entries {
		same(t, "rank", e.Rank, int64(i+1))
		list = append(list, fmt.Sprint(e.Player[:1], " ", e.Score))
	}
	return list
}

func placeFirst(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	same(t, "the first", place(t, s, p.ID, "a", 10, at), boards.Placed{Board: "main", Best: 10, Improved: true, Rank: 1, Of: 1, Player: "a000000000"})
	same(t, "the second", place(t, s, p.ID, "b", 5, at), boards.Placed{Board: "main", Best: 5, Improved: true, Rank: 2, Of: 2, Player: "b000000000"})
	b := must(s.Boards.Boards(t.Context(), p.ID))(t)[0]
	same(t, "the board", b, boards.Board{Name: "main", MinSeconds: boards.MinSeconds, Players: 2, CreatedAt: at, MovedAt: at})
	wants(t, "a score of no project", drop(s.Boards.Place(t.Context(), placing("none", "a", 1, at))), sandlot.ErrNotFound)
	nameless := placing(p.ID, "c", 1, at)
	nameless.Fresh = ""
	wants(t, "a score of a player without an ID", drop(s.Boards.Place(t.Context(), nameless)), players.ErrNewcomer)
	wants(t, "the top of no board", drop(s.Boards.Top(t.Context(), boards.Reading{Project: p.ID, Board: "none", Limit: 1})), sandlot.ErrNotFound)
}

func placeTies(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	place(t, s, p.ID, "b", 10, at)
	place(t, s, p.ID, "a", 10, at.Add(time.Second))
	same(t, "two of a score", ranked(t, s, p.ID, "main", 0), []string{"b 10", "a 10"})
	place(t, s, p.ID, "c", 10, at.Add(time.Second))
	place(t, s, p.ID, "a", 11, at.Add(2*time.Second))
	same(t, "after a better score", ranked(t, s, p.ID, "main", 0), []string{"a 11", "b 10", "c 10"})
	place(t, s, p.ID, "d", 10, at.AddDate(-1, 0, 0))
	place(t, s, p.ID, "0", 10, at.AddDate(-2, 0, 0))
	same(t, "after the clock was set back", ranked(t, s, p.ID, "main", 0), []string{"a 11", "b 10", "c 10", "d 10", "0 10"})
}

func placeAgain(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	place(t, s, p.ID, "a", 10, at)
	for _, score := range []float64{10, 3} {
		got := place(t, s, p.ID, "a", score, at.Add(time.Second))
		same(t, "the place", got, boards.Placed{Board: "main", Best: 10, Rank: 1, Of: 1, Player: "a000000000"})
	}
	top := must(s.Boards.Top(t.Context(), boards.Reading{Project: p.ID, Board: "main", Limit: 1}))(t)
	same(t, "when the score came", top.Entries[0].At, at)
	same(t, "when the board moved", must(s.Boards.Boards(t.Context(), p.ID))(t)[0].MovedAt, at)
}

func placeOrder(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	for i, score := range []float64{20, 10, 30} {
		in := placing(p.ID, string(rune('a'+i)), score, at)
		in.Ascending = i == 0
		same(t, "the order", must(s.Boards.Place(t.Context(), in))(t).Ascending, true)
	}
	same(t, "lower is better", ranked(t, s, p.ID, "main", 0), []string{"b 10", "a 20", "c 30"})
	place(t, s, p.ID, "c", 5, at)
	same(t, "and after a better one", ranked(t, s, p.ID, "main", 0), []string{"c 5", "b 10", "a 20"})
}

func placeEnds(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	down := []float64{1.7976931348623157e308, 1e308, 1, 1e-320, 5e-324, 0, -5e-324, -1e-320, -1, -1e308, -1.7976931348623157e308}
	for i := range down {
		j := (i * 7) % len(down)
		same(t, "the best", place(t, s, p.ID, string(rune('a'+j)), down[j], at).Best, down[j])
	}
	for i, e := range must(s.Boards.Top(t.Context(), boards.Reading{Project: p.ID, Board: "main", Limit: 100}))(t).Entries {
		same(t, "the score", e.Score, down[i])
	}
	in := placing(p.ID, "n", negativeZero(), at)
	in.Board = "zero"
	must(s.Boards.Place(t.Context(), in))(t)
	in.Score = 0
	same(t, "0 is better than -0", must(s.Boards.Place(t.Context(), in))(t).Improved, false)
}

func negativeZero() float64 { zero := 0.0; return -1 * zero }

func placeTooMany(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	atOnce(t, boards.MaxBoards+8, nil, func(i int) error {
		in := placing(p.ID, fmt.Sprint("a", i%3), 1, at)
		in.Board = fmt.Sprint("b", i)
		if err := drop(s.Boards.Place(background(), in)); !errors.Is(err, boards.ErrTooManyBoards) {
			return err
		}
		return nil
	})
	same(t, "boards", len(must(s.Boards.Boards(t.Context(), p.ID))(t)), boards.MaxBoards)
	in := placing(p.ID, "a1", 1, at)
	in.Board = "one-more"
	wants(t, "one more", drop(s.Boards.Place(t.Context(), in)), boards.ErrTooManyBoards)
	ok(t, s.Boards.Delete(t.Context(), p.ID, must(s.Boards.Boards(t.Context(), p.ID))(t)[0].Name))
	ok(t, drop(s.Boards.Place(t.Context(), in)))
}

func placeAdmit(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	in := placing(p.ID, "a", 1, at)
	in.Name = "Ada"
	refuse := errors.New("no")
	in.Admit = func(b boards.Board) error { return refuse }
	wants(t, "a first score", drop(s.Boards.Place(t.Context(), in)), refuse)
	same(t, "boards", must(s.Boards.Boards(t.Context(), p.ID))(t), nil)
	place(t, s, p.ID, "a", 1, at)
	in.Score = 2
	in.Admit = func(b boards.Board) error {
		if b.Name != "main" || b.MinSeconds != boards.MinSeconds {
			return fmt.Errorf("the board is %+v", b)
		}
		return refuse
	}
	wants(t, "a better score", drop(s.Boards.Place(t.Context(), in)), refuse)
	in.Score, in.Name = 1, ""
	wants(t, "a score that changes nothing", drop(s.Boards.Place(t.Context(), in)), refuse)
	same(t, "the board", ranked(t, s, p.ID, "main", 0), []string{"a 1"})
}

func placeAtOnce(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	const many, each = 8, 12
	atOnce(t, many*each, nil, func(i int) error {
		return drop(s.Boards.Place(background(), placing(p.ID, string(rune('a'+i%many)), float64(i), at)))
	})
	var want []string
	for i := many*each - 1; i >= many*(each-1); i-- {
		want = append(want, fmt.Sprint(string(rune('a'+i%many)), " ", i))
	}
	same(t, "the board", ranked(t, s, p.ID, "main", 0), want)
	for i, line := range want {
		top := must(s.Boards.Top(t.Context(), boards.Reading{Project: p.ID, Board: "main", Token: sum(line[:1])}))(t)
		same(t, "the rank of "+line, top.You.Rank, int64(i+1))
	}
}

func chargeBoards(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	before := must(s.Management.Usage(t.Context(), p.Account, at))(t).Bytes
	holds := func(what string, blocks int64) {
		t.Helper()
		same(t, what, must(s.Management.Usage(t.Context(), p.Account, at))(t).Bytes-before, blocks*boards.BlockBytes)
		same(t, what+", of the project", keptOf(t, s, p).Bytes, blocks*boards.BlockBytes)
		inOrder(t, s, what)
	}
	over := placing(p.ID, "a", 1, at)
	over.Most = before + 3*boards.BlockBytes - 1
	wants(t, "over the quota", drop(s.Boards.Place(t.Context(), over)), sandlot.ErrTooManyBytes)
	wants(t, "the board", drop(s.Boards.Top(t.Context(), boards.Reading{Project: p.ID, Board: boards.Default})), sandlot.ErrNotFound)
	over.Most++
	must(s.Boards.Place(t.Context(), over))(t)
	holds("a board", 3) // of all time, of the week, of the day
	for i := range 70 {
		place(t, s, p.ID, fmt.Sprintf("b%02d", i), float64(i), at)
	}
	holds("more rows", 3)
	place(t, s, p.ID, "a", 100, at.Add(aDay))
	holds("a day more", 4)
	sweepAt(t, s, at.Add(30*aDay))
	holds("days and weeks that are over", 1)
	s.Crowd(t, p.ID, 71, players.MaxBytes)
	next := placing(p.ID, "a", 200, at.Add(30*aDay))
	wants(t, "over the bound of the project", drop(s.Boards.Place(t.Context(), next)), players.ErrProjectFull)
	s.Crowd(t, p.ID, 71, 0)
	ok(t, s.Boards.Delete(t.Context(), p.ID, boards.Default))
	sweepAt(t, s, at.Add(30*aDay))
	holds("a board that was deleted", 0)
	rows := []boards.Row{{Player: "x000000000", Score: 1, At: at, Seen: at}}
	b := boards.Board{Name: "main", CreatedAt: at}
	wants(t, "brought over the quota", s.Boards.Bring(t.Context(), p.ID, b, rows, before+1), sandlot.ErrTooManyBytes)
	ok(t, s.Boards.Bring(t.Context(), p.ID, b, rows, before+boards.BlockBytes))
	holds("the added rows", 1)
	mustTrash(t, s, p.ID, at)
	ok(t, s.purge(t, p.ID))
	sweepAt(t, s, at.Add(60*aDay))
	same(t, "after all", must(s.Management.Usage(t.Context(), p.Account, at))(t).Bytes, int64(0))
}

func placeName(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	in := placing(p.ID, "a", 1, at)
	in.Name = "Ada"
	must(s.Boards.Place(t.Context(), in))(t)
	in.Score, in.Name = 0, "Ada L."
	same(t, "with a worse score", must(s.Boards.Place(t.Context(), in))(t).Improved, false)
	in.Name = ""
	must(s.Boards.Place(t.Context(), in))(t)
	top := must(s.Boards.Top(t.Context(), boards.Reading{Project: p.ID, Board: "main", Limit: 1, Token: sum("a")}))(t)
	same(t, "the name", []string{top.Entries[0].Name, top.You.Name}, []string{"Ada L.", "Ada L."})
}

func placeRefused(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	place(t, s, p.ID, "a", 1, at)
	place(t, s, p.ID, "b", 2, at)
	ok(t, s.Players.Remove(t.Context(), p.ID, "b000000000", true))
	same(t, "the board", ranked(t, s, p.ID, "main", 0), []string{"a 1"})
	wants(t, "another score", drop(s.Boards.Place(t.Context(), placing(p.ID, "b", 3, at))), boards.ErrRefused)
	same(t, "and after it", ranked(t, s, p.ID, "main", 0), []string{"a 1"})
}

func removePlaced(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	for _, board := range []string{"main", "other"} {
		for i, player := range []string{"a", "b", "c"} {
			in := placing(p.ID, player, float64(i), at)
			in.Board = board
			must(s.Boards.Place(t.Context(), in))(t)
		}
	}
	ok(t, s.Players.Remove(t.Context(), p.ID, "b000000000", false))
	for _, board := range []string{"main", "other"} {
		same(t, "the rows of "+board, ranked(t, s, p.ID, board, 0), []string{"c 2", "a 0"})
		same(t, "those of today", ranked(t, s, p.ID, board, boards.Day.Number(at)), []string{"c 2", "a 0"})
	}
	place(t, s, p.ID, "c", 9, at.Add(aDay))
	sweepAt(t, s, at.Add(players.Kept+aDay))
	same(t, "the rows of those who were seen", ranked(t, s, p.ID, "main", 0), []string{"c 9"})
}

// Dates around the end of a week: a Sunday, and the Monday after it.
var (
	sunday = time.Date(2026, 11, 29, 23, 59, 59, 0, time.UTC)
	monday = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
)

func topPeriods(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	place(t, s, p.ID, "a", 10, sunday)
	place(t, s, p.ID, "b", 7, sunday)
	same(t, "no better at all, but the best of its day", place(t, s, p.ID, "a", 5, monday).Improved, false)
	place(t, s, p.ID, "a", 8, monday.AddDate(0, 0, 6))
	for what, of := range map[string]struct {
		period boards.Period
		at     time.Time
		want   []string
	}{
		"all time":              {boards.AllTime, monday, []string{"a 10", "b 7"}},
		"Sunday":                {boards.Day, sunday, []string{"a 10", "b 7"}},
		"Monday":                {boards.Day, monday, []string{"a 5"}},
		"Tuesday":               {boards.Day, monday.AddDate(0, 0, 1), nil},
		"the week of Sunday":    {boards.Week, sunday.AddDate(0, 0, -6), []string{"a 10", "b 7"}},
		"the week of Monday":    {boards.Week, monday, []string{"a 8"}},
		"the week of next week": {boards.Week, monday.AddDate(0, 0, 7), nil},
	} {
		same(t, what, ranked(t, s, p.ID, "main", of.period.Number(of.at)), of.want)
	}
}

func listBoards(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	for i, name := range []string{"easy", "hard", "easy"} {
		in := placing(p.ID, "a", float64(i), at.Add(time.Duration(i)*time.Second))
		in.Board = name
		must(s.Boards.Place(t.Context(), in))(t)
	}
	same(t, "the boards", boardNames(must(s.Boards.Boards(t.Context(), p.ID))(t)), []string{"easy", "hard"})
	same(t, "of another", must(s.Boards.Boards(t.Context(), s.mustProject(t, "tetra").ID))(t), nil)
	wants(t, "of none", drop(s.Boards.Boards(t.Context(), "none")), sandlot.ErrNotFound)
}

func boardNames(list []boards.Board) (names []string) {
	for _, b := range list {
		names = append(names, b.Name)
	}
	return names
}

func to[T any](v T) *T { return &v }

func amendBounds(t *testing.T, s Stores) {
	for order, want := range map[bool][]string{false: {"c 3", "b 2"}, true: {"b 2", "c 3"}} {
		p, at := s.mustProject(t, fmt.Sprint("pong", order)), aMonday()
		for i := range 5 {
			in := placing(p.ID, string(rune('a'+i)), float64(i+1), at)
			in.Ascending = order
			must(s.Boards.Place(t.Context(), in))(t)
		}
		b := must(s.Boards.Amend(t.Context(), p.ID, "main", boards.Change{Min: to(2.0), Max: to(3.0), MinSeconds: to(30)}, at))(t)
		same(t, "the board", []any{*b.Min, *b.Max, b.MinSeconds, b.Players, b.Ascending}, []any{2.0, 3.0, 30, int64(2), order})
		for _, period := range boards.Periods {
			same(t, "rows of "+string(period), ranked(t, s, p.ID, "main", period.Number(at)), want)
		}
		b = must(s.Boards.Amend(t.Context(), p.ID, "main", boards.Change{NoMin: true}, at))(t)
		same(t, "no least score, and the rest as before", []any{b.Min, *b.Max, b.MinSeconds}, []any{(*float64)(nil), 3.0, 30})
	}
	wants(t, "of no board", drop(s.Boards.Amend(t.Context(), "pongtrue", "none", boards.Change{}, aMonday())), sandlot.ErrNotFound)
}

func amendRemoves(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	for i, player := range []string{"a", "b", "c"} {
		place(t, s, p.ID, player, float64(i), at)
	}
	must(s.Boards.Amend(t.Context(), p.ID, "main", boards.Change{MinSeconds: to(9), RemovePlayers: []string{"b000000000", "nobody"}}, at))(t)
	for _, period := range boards.Periods {
		same(t, "rows of "+string(period), ranked(t, s, p.ID, "main", period.Number(at)), []string{"c 2", "a 0"})
	}
	place(t, s, p.ID, "b", 1, at)
	same(t, "it may come back", ranked(t, s, p.ID, "main", 0), []string{"c 2", "b 1", "a 0"})
	b := must(s.Boards.Amend(t.Context(), p.ID, "main", boards.Change{Reset: true}, at))(t)
	atOnce(t, 40, nil, func(int) error {
		return drop(s.Boards.Amend(background(), p.ID, "main", boards.Change{Reset: true}, at))
	})
	same(t, "after a reset", []any{b.Players, b.MinSeconds}, []any{int64(0), 9})
	same(t, "its rows", ranked(t, s, p.ID, "main", 0), nil)
	same(t, "the next place", place(t, s, p.ID, "a", 0, at).Rank, int64(1))
}

func deleteBoard(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	place(t, s, p.ID, "a", 1, at)
	must(s.Boards.Amend(t.Context(), p.ID, "main", boards.Change{MinSeconds: to(9)}, at))(t)
	ok(t, s.Boards.Delete(t.Context(), p.ID, "main"))
	wants(t, "again", s.Boards.Delete(t.Context(), p.ID, "main"), sandlot.ErrNotFound)
	in := placing(p.ID, "b", 2, at)
	in.Ascending = true
	must(s.Boards.Place(t.Context(), in))(t)
	b := must(s.Boards.Boards(t.Context(), p.ID))(t)[0]
	same(t, "a new board", []any{b.Ascending, b.MinSeconds, b.Players}, []any{true, boards.MinSeconds, int64(1)})
}

func movedBoards(t *testing.T, s Stores) {
	at := aMonday()
	a := s.maker(t, "kim")
	p, other, quiet := s.titled(t, "pong", a.ID, "Pong"), s.titled(t, "tetra", a.ID, "Tetra"), s.titled(t, "quiet", a.ID, "Quiet")
	place(t, s, p.ID, "a", 1, at)
	place(t, s, p.ID, "b", 2, at)
	place(t, s, other.ID, "c", 3, at.Add(time.Second))
	place(t, s, quiet.ID, "d", 4, at.Add(-time.Hour))
	hidden := s.mustProject(t, "hidden") // its owner has proved no address
	place(t, s, hidden.ID, "e", 5, at.Add(time.Hour))
	moved := func() []boards.Moved { return must(s.Boards.Moved(t.Context(), at, 9))(t) }
	best := func(player string, score float64, at time.Time) boards.Entry {
		return boards.Entry{Rank: 1, Score: score, At: at, Player: player + "000000000"}
	}
	same(t, "what moved", moved(), []boards.Moved{
		{Project: "tetra", Board: "main", Best: best("c", 3, at.Add(time.Second)), Players: 1, MovedAt: at.Add(time.Second)},
		{Project: "pong", Board: "main", Best: best("b", 2, at), Players: 2, MovedAt: at},
	})
	same(t, "of the last two that moved", len(must(s.Boards.Moved(t.Context(), at, 2))(t)), 1)
	s.Unlist(t, other.ID, true)
	same(t, "without an unlisted project", len(moved()), 1)
	mustTrash(t, s, p.ID, at)
	same(t, "or deleted", moved(), nil)
}

func rowsOf(t *testing.T, s Stores, p sandlot.ProjectID, most int) (list []boards.Row) {
	t.Helper()
	ok(t, s.Boards.Rows(t.Context(), p, "main", most, func(r boards.Row) error {
		list = append(list, r)
		return nil
	}))
	return list
}

func bringBoard(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	for i, player := range []string{"a", "b", "c"} {
		place(t, s, p.ID, player, float64(i), at)
	}
	rows := rowsOf(t, s, p.ID, 99)
	same(t, "rows", rows[0], boards.Row{Player: "c000000000", Score: 2, At: at})
	same(t, "at most two", rowsOf(t, s, p.ID, 2), rows[:2])
	stop := errors.New("stop")
	wants(t, "an error of do", s.Boards.Rows(t.Context(), p.ID, "main", 9, func(boards.Row) error { return stop }), stop)
	other, b := s.mustProject(t, "tetra"), must(s.Boards.Boards(t.Context(), p.ID))(t)[0]
	b.Min = to(-3.0)
	later := at.Add(time.Hour)
	in := placing(other.ID, "a", 9, later)
	must(s.Boards.Place(t.Context(), in))(t)
	for range 2 {
		ok(t, s.Boards.Bring(t.Context(), other.ID, b, rows, 0))
	}
	same(t, "the board", ranked(t, s, other.ID, "main", 0), []string{"a 9", "c 2", "b 1"})
	same(t, "the day of the higher score has no row that was brought", ranked(t, s, other.ID, "main", boards.Day.Number(later)), []string{"a 9"})
	b.Name = "new"
	ok(t, s.Boards.Bring(t.Context(), other.ID, b, rows, 0))
	same(t, "the rules of a board that is born", *must(s.Boards.Boards(t.Context(), other.ID))(t)[1].Min, -3.0)
	wants(t, "to no project", s.Boards.Bring(t.Context(), "none", b, rows, 0), sandlot.ErrNotFound)
}

func sweepBoards(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	var want []string
	for i := range 70 {
		place(t, s, p.ID, fmt.Sprintf("%c%d", 'a'+i%26, i), float64(i), at)
	}
	want = ranked(t, s, p.ID, "main", 0)
	rows := func() []int { // of all time, of the week, of the day
		var n []int
		for _, period := range boards.Periods {
			n = append(n, len(ranked(t, s, p.ID, "main", period.Number(at))))
		}
		return n
	}
	sweepAt(t, s, at.Add(aDay))
	same(t, "rows a day later", rows(), []int{70, 70, 70})
	sweepAt(t, s, at.Add(2*aDay))
	same(t, "rows after two days", rows(), []int{70, 70, 0})
	sweepAt(t, s, at.Add(15*aDay))
	same(t, "rows after two weeks", rows(), []int{70, 0, 0})
	same(t, "of all time", ranked(t, s, p.ID, "main", 0), want)
	must(s.Boards.Amend(t.Context(), p.ID, "main", boards.Change{Reset: true}, at))(t)
	place(t, s, p.ID, "z", 1, at)
	sweepAt(t, s, at)
	same(t, "the board after a reset", ranked(t, s, p.ID, "main", 0), []string{"z 1"})
	same(t, "the next place", place(t, s, p.ID, "a0", 0, at).Of, int64(2))
}

func trashBoards(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	place(t, s, p.ID, "a", 1, at)
	mustTrash(t, s, p.ID, at)
	wants(t, "its boards", drop(s.Boards.Boards(t.Context(), p.ID)), sandlot.ErrNotFound)
	wants(t, "a score", drop(s.Boards.Place(t.Context(), placing(p.ID, "a", 2, at))), sandlot.ErrNotFound)
	ok(t, s.takeBack(t, p.ID))
	same(t, "taken back", ranked(t, s, p.ID, "main", 0), []string{"a 1"})
	mustTrash(t, s, p.ID, at)
	ok(t, s.purge(t, p.ID))
	_, _, err := s.Upkeep.Sweep(t.Context(), base().Add(2*publish.TrashLife), base().Add(2*publish.TrashLife), 1000)
	ok(t, err)
	same(t, "boards that moved", must(s.Boards.Moved(t.Context(), time.Unix(0, 0), 9))(t), nil)
}

func copyBoards(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), aMonday()
	for i := range 20 {
		place(t, s, p.ID, string(rune('a'+i)), float64(i), at)
	}
	want := ranked(t, s, p.ID, "main", 0)
	c := s.copied(t)
	same(t, "the board in a copy", ranked(t, c, p.ID, "main", 0), want)
	slices.Reverse(want)
	same(t, "the last", want[0], "a 0")
}
