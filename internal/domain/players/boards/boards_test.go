package boards_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// An arcade is a world with a project, on whose boards players place scores.
type arcade struct {
	*testworld.World
	t     *testing.T
	owner sandlot.Caller
	p     sandlot.Project
}

func newArcade(t *testing.T) arcade {
	t.Helper()
	t.Parallel()
	w := testworld.New(t)
	_, owner, p := w.Owned("kim@example.com", "<p>pong")
	return arcade{w, t, owner, p}
}

func (a arcade) visit(player string) players.Visit {
	p, err := a.Publish.Reader.Current(a.t.Context(), sandlot.Caller{}, a.p.ID)
	expect.OK(a.t, err)
	return players.Visit{Project: p, Token: sandlot.DigestOf([]byte(player))}
}

// since returns the stamp of a stay that began a minute ago.
func (a arcade) since(player string) string {
	return players.Stamp(a.Vault(), a.visit(player), a.Now().Add(-time.Minute))
}

func (a arcade) try(player string, in boards.Score) (boards.Placed, error) {
	if in.Since == "" {
		in.Since = a.since(player)
	}
	return a.Runtime.Boards.Place(a.t.Context(), sandlot.Caller{}, a.visit(player), in)
}

func (a arcade) place(player string, score float64) boards.Placed {
	a.t.Helper()
	out, err := a.try(player, boards.Score{Score: score})
	expect.OK(a.t, err)
	return out
}

func (a arcade) top(player string, q boards.Query) boards.Top {
	a.t.Helper()
	v := a.visit(player)
	if player == "" {
		v.Token = sandlot.Digest{}
	}
	top, err := a.Runtime.Boards.Top(a.t.Context(), sandlot.Caller{}, v, q)
	expect.OK(a.t, err)
	return top
}

// ranked returns the entries of a list as "rank:score", with a star at You.
func ranked(top boards.Top) string {
	var list []string
	for _, e := range top.Entries {
		list = append(list, fmt.Sprint(e.Rank, ":", e.Score, map[bool]string{true: "*"}[e.You]))
	}
	return strings.Join(list, " ")
}

func (a arcade) wants(what string, err error, code sandlot.Code) *sandlot.Error {
	a.t.Helper()
	expect.Is(a.t, what, err, code)
	e := sandlot.AsError(err)
	if e == nil || e.Fix.Note == "" && e.Fix.Op == sandlot.OpNone {
		a.t.Errorf("%s has no hint: %v", what, err)
	}
	return e
}

func TestAScoreNeedsAStay(t *testing.T) {
	a := newArcade(t)
	v := a.visit("ada")
	stamp := players.Stamp(a.Vault(), v, a.Now())
	for what, since := range map[string]string{
		"no stamp": "none", "a stamp of another player": a.since("bob"), "a stamp of now": stamp,
		"a stamp over a day old": players.Stamp(a.Vault(), v, a.Now().Add(-25*time.Hour)),
	} {
		_, err := a.try("ada", boards.Score{Score: 1, Since: since})
		e := a.wants(what, err, sandlot.CodeTooEarly)
		expect.Equal(t, "retry of "+what, e.RetryAfter, boards.MinSeconds*time.Second)
	}
	list, err := a.Runtime.Boards.List(t.Context(), sandlot.Caller{}, string(a.p.ID))
	expect.OK(t, err)
	expect.Equal(t, "boards after refusals", len(list), 0)
	a.Clock.Move(boards.MinSeconds * time.Second)
	_, err = a.try("ada", boards.Score{Score: 1, Since: stamp})
	expect.OK(t, err)
	seconds := 0
	_, err = a.Runtime.Boards.Amend(t.Context(), a.owner, string(a.p.ID), "main", boards.Change{MinSeconds: &seconds})
	expect.OK(t, err)
	_, err = a.try("bob", boards.Score{Score: 1, Since: "none"})
	expect.OK(t, err)
}

func TestInvalidScoresAreRefused(t *testing.T) {
	a := newArcade(t)
	low, high := 0.0, 100.0
	a.place("ada", 50)
	_, err := a.Runtime.Boards.Amend(t.Context(), a.owner, string(a.p.ID), "main", boards.Change{Min: &low, Max: &high})
	expect.OK(t, err)
	for what, c := range map[string]struct {
		in   boards.Score
		code sandlot.Code
	}{
		"NaN":                      {boards.Score{Score: math.NaN()}, sandlot.CodeInvalidField},
		"infinity":                 {boards.Score{Score: math.Inf(-1)}, sandlot.CodeInvalidField},
		"a board with blanks":      {boards.Score{Board: "Level 1"}, sandlot.CodeInvalidField},
		"a board with a long name": {boards.Score{Board: strings.Repeat("a", boards.MaxName+1)}, sandlot.CodeInvalidField},
		"below the least":          {boards.Score{Score: -5e-324}, sandlot.CodeScoreRefused},
		"above the highest":        {boards.Score{Score: 1e308}, sandlot.CodeScoreRefused},
	} {
		_, err := a.try("ada", c.in)
		a.wants(what, err, c.code)
	}
	expect.Equal(t, "the board", ranked(a.top("", boards.Query{})), "1:50")
	expect.Equal(t, "a tiny score within the bounds", a.place("bob", 1e-320).Best, 1e-320)
	_, err = a.Runtime.Boards.Place(t.Context(), sandlot.Caller{}, players.Visit{Project: a.p}, boards.Score{})
	a.wants("a score of nobody", err, sandlot.CodePlayerRequired)
	off := a.visit("ada")
	off.Project.Runtime = sandlot.RuntimeRead
	_, err = a.Runtime.Boards.Place(t.Context(), sandlot.Caller{}, off, boards.Score{})
	a.wants("a score where players only read", err, sandlot.CodeRuntimeOff)
	_, err = a.Runtime.Boards.Top(t.Context(), sandlot.Caller{}, off, boards.Query{})
	expect.OK(t, err)
	off.Project.Runtime = sandlot.RuntimeOff
	_, err = a.Runtime.Boards.Top(t.Context(), sandlot.Caller{}, off, boards.Query{})
	a.wants("the top where the runtime is off", err, sandlot.CodeRuntimeOff)
}

func TestARefusedPlayerHasNoPlace(t *testing.T) {
	a := newArcade(t)
	id := a.place("ada", 50).Player
	expect.OK(t, a.Runtime.Players.RemovePlayer(t.Context(), a.owner, string(a.p.ID), id, true))
	_, err := a.try("ada", boards.Score{Score: 60})
	a.wants("another score", err, sandlot.CodeScoreRefused)
	a.Clock.Move(time.Second)
	expect.Equal(t, "the board", ranked(a.top("", boards.Query{})), "")
}

func TestAProjectHasAtMostMaxBoards(t *testing.T) {
	a := newArcade(t)
	for i := range boards.MaxBoards {
		_, err := a.try(fmt.Sprint("p", i%10), boards.Score{Board: fmt.Sprint("b", i)})
		expect.OK(t, err)
		a.Clock.Move(time.Second)
	}
	_, err := a.try("p0", boards.Score{Board: "one-more"})
	a.wants("one more board", err, sandlot.CodeQuotaExceeded)
}

func TestAListIsASecondOldAndHasYourCurrentPlace(t *testing.T) {
	a := newArcade(t)
	a.place("ada", 10)
	expect.Equal(t, "the board", ranked(a.top("", boards.Query{})), "1:10")
	a.place("bob", 20)
	expect.Equal(t, "the list of a moment ago", ranked(a.top("", boards.Query{})), "1:10")
	expect.Equal(t, "for a player who is not on it", ranked(a.top("eve", boards.Query{})), "1:10")
	top := a.top("bob", boards.Query{})
	expect.Equal(t, "for a player who is new on it", ranked(top), "1:20* 2:10")
	expect.Equal(t, "the player's place", top.You.Rank, int64(1))
	expect.Equal(t, "and then for everybody", ranked(a.top("", boards.Query{})), "1:20 2:10")
	expect.Equal(t, "the same by the player's id", ranked(a.top("", boards.Query{Player: top.You.Player})), "1:20* 2:10")
	a.place("ada", 15)
	a.Clock.Move(time.Second)
	top = a.top("ada", boards.Query{Limit: 1})
	expect.Equal(t, "the first a second later", ranked(top), "1:20")
	expect.Same(t, "the player's place below the list", []any{top.You.Rank, top.You.Score, top.Of}, []any{int64(2), 15.0, int64(2)})
	expect.Equal(t, "around the player", ranked(a.top("ada", boards.Query{Around: true, Limit: 3})), "1:20 2:15*")
	expect.Equal(t, "around nobody", ranked(a.top("eve", boards.Query{Around: true})), "1:20 2:15")
	expect.Equal(t, "of no board", ranked(a.top("ada", boards.Query{Board: "none"})), "")
}

func TestAFirstScoreShowsAfterAnEmptyList(t *testing.T) {
	a := newArcade(t)
	expect.Equal(t, "before", ranked(a.top("ada", boards.Query{})), "")
	a.place("ada", 1)
	expect.Equal(t, "after", ranked(a.top("ada", boards.Query{})), "1:1*")
}

func TestInvalidQueriesAreRefused(t *testing.T) {
	a := newArcade(t)
	for _, q := range []boards.Query{{Board: "A"}, {Period: "month"}, {Limit: -1}, {Limit: boards.MaxTop + 1}} {
		_, err := a.Runtime.Boards.Top(t.Context(), sandlot.Caller{}, a.visit("ada"), q)
		a.wants(fmt.Sprintf("%+v", q), err, sandlot.CodeInvalidField)
	}
}

func TestInvalidChangesAreRefused(t *testing.T) {
	a := newArcade(t)
	a.place("ada", 5)
	f := func(v float64) *float64 { return &v }
	n := func(v int) *int { return &v }
	for _, c := range []boards.Change{
		{Min: f(2), Max: f(1)},
		{Min: f(math.NaN())},
		{Max: f(math.Inf(1))},
		{MinSeconds: n(-1)},
		{MinSeconds: n(3601)},
		{RemovePlayers: make([]string, 101)},
	} {
		_, err := a.Runtime.Boards.Amend(t.Context(), a.owner, string(a.p.ID), "main", c)
		a.wants(fmt.Sprintf("%+v", c), err, sandlot.CodeInvalidField)
	}
	_, err := a.Runtime.Boards.Amend(t.Context(), a.owner, string(a.p.ID), "none", boards.Change{})
	a.wants("of no board", err, sandlot.CodeBoardNotFound)
	a.wants("no board", a.Runtime.Boards.Delete(t.Context(), a.owner, string(a.p.ID), "none"), sandlot.CodeBoardNotFound)
	_, _, err = a.Runtime.Boards.Board(t.Context(), a.owner, string(a.p.ID), boards.Query{Board: "none"})
	a.wants("reading no board", err, sandlot.CodeBoardNotFound)
	b, top, err := a.Runtime.Boards.Board(t.Context(), a.owner, string(a.p.ID), boards.Query{Period: boards.Day})
	expect.OK(t, err)
	expect.Same(t, "the board", []any{b.Name, b.Players, ranked(top)}, []any{"main", int64(1), "1:5"})
}

func TestTheBoardsThatMovedToday(t *testing.T) {
	a := newArcade(t)
	moved := func() (list []string) {
		all, err := a.Runtime.Boards.MovedToday(t.Context(), sandlot.Caller{}, 9)
		expect.OK(t, err)
		for _, m := range all {
			list = append(list, fmt.Sprint(m.Board, " ", m.Best.Score, " ", m.Players))
		}
		return list
	}
	a.place("ada", 10)
	a.Clock.Move(time.Second)
	_, err := a.try("ada", boards.Score{Board: "hard", Score: 3})
	expect.OK(t, err)
	expect.Same(t, "one board of the project", moved(), []string{"hard 3 1"})
	a.Clock.Move(time.Second)
	a.place("bob", 20)
	expect.Same(t, "from a list of a second ago", moved(), []string{"hard 3 1"})
	a.Clock.Move(5 * time.Second)
	expect.Same(t, "from a new list", moved(), []string{"main 20 2"})
	a.Clock.Move(24 * time.Hour)
	expect.Equal(t, "a day later", len(moved()), 0)
}

// TestManyBoardsHideNoOthers: those of four projects, each with all the boards that it may have, moved later.
func TestManyBoardsHideNoOthers(t *testing.T) {
	a := newArcade(t)
	a.place("ada", 10)
	for range 4 {
		p := a.PublishPage(testworld.Nobody(), "<p>anonymous").Project
		for i := range boards.MaxBoards {
			_, err := a.DB.Boards().Place(t.Context(), boards.Placing{
				Holder: players.Holder{Project: p.ID, Fresh: "eve", Now: a.Now().Add(time.Minute)}, Board: fmt.Sprint(i), Score: 1,
				Admit: func(boards.Board) error { return nil },
			})
			expect.OK(t, err)
		}
	}
	all, err := a.Runtime.Boards.MovedToday(t.Context(), sandlot.Caller{}, 9)
	expect.OK(t, err)
	if !slices.ContainsFunc(all, func(m boards.Moved) bool { return m.Project == a.p.ID }) {
		t.Errorf("of %d boards that moved none is that of the project", len(all))
	}
}

// TestAHotListIsReadOnce counts the reads of the store during many calls for the same list.
func TestAHotListIsReadOnce(t *testing.T) {
	a := newArcade(t)
	a.place("ada", 10)
	reads := &counted{Store: a.DB.Boards()}
	s := boards.New(boards.Config{Store: reads, Projects: a.Publish.Reader, Vault: a.Vault(), Limits: a.Runtime.Players.Limits, Now: a.Now})
	v := players.Visit{Project: a.p}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := s.Top(t.Context(), sandlot.Caller{}, v, boards.Query{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	expect.Equal(t, "reads of the store", reads.n, 1)
}

type counted struct {
	boards.Store
	mu sync.Mutex
	n  int
}

func (c *counted) Top(ctx context.Context, r boards.Reading) (boards.Top, error) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	return c.Store.Top(ctx, r)
}
