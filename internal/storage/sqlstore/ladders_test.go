package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRanksAreThoseOfASortedSlice(t *testing.T) {
	t.Parallel()
	ranksAreExact(t, mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db")))
}

func TestRanksAreThoseOfASortedSliceOnPostgres(t *testing.T) {
	t.Parallel()
	db, err := OpenPostgres(t.Context(), emptyServer.Postgres(t), postgres.Options{Connections: 4})
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	ranksAreExact(t, db)
}

// A held is a row of the sorted slice.
type held struct {
	player int
	score  float64
	at     int
}

// ranksAreExact places scores at random, on boards with small blocks and few rows, and compares every rank with the
// place in a sorted slice.
func ranksAreExact(t *testing.T, db *DB) {
	p := mustProject(t, db, 1)
	for _, ascending := range []bool{false, true} {
		c := climbing{t: t, store: Boards{db, 8, 60}, project: p.ID, board: fmt.Sprint("b", ascending), ascending: ascending, r: rand.New(rand.NewPCG(1, 2))}
		for n := range 300 {
			switch c.r.IntN(20) {
			case 0:
				c.removeOne()
			case 1:
				if n%3 == 0 {
					c.bound()
				}
			default:
				c.place(n)
			}
			c.compare(n)
		}
		expect.Equal(t, "the board was filled", c.most, 60)
	}
}

type climbing struct {
	t         *testing.T
	store     Boards
	project   sandlot.ProjectID
	board     string
	ascending bool
	r         *rand.Rand
	rows      []held
	most      int
	ids       [90]string
}

func token(player int) sandlot.Digest { return benchSum("player", uint64(player)) }

func (c *climbing) sorted() {
	slices.SortFunc(c.rows, func(a, b held) int {
		by := cmp.Compare(a.score, b.score)
		if !c.ascending {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.at, b.at))
	})
}

func (c *climbing) better(a, b float64) bool { return c.ascending && a < b || !c.ascending && a > b }

func (c *climbing) place(n int) {
	player, score := c.r.IntN(len(c.ids)), float64(c.r.IntN(40))-20
	if c.r.IntN(10) == 0 {
		score = []float64{1e308, -1e308, 1e-320, -1e-320, math.Copysign(0, -1), 0}[c.r.IntN(6)]
	}
	got, err := c.store.Place(context.Background(), boards.Placing{
		Holder: players.Holder{Project: c.project, Token: token(player), Fresh: fmt.Sprintf("p%09d", player), Now: c.at(n)},
		Board:  c.board, Ascending: c.ascending, Score: score, Admit: func(boards.Board) error { return nil },
	})
	expect.OK(c.t, err)
	c.ids[player] = got.Player
	i := slices.IndexFunc(c.rows, func(h held) bool { return h.player == player })
	switch {
	case i < 0:
		c.rows = append(c.rows, held{player, score, n})
	case c.better(score, c.rows[i].score):
		c.rows[i] = held{player, score, n}
		expect.Equal(c.t, "improved", got.Improved, true)
	default:
		expect.Equal(c.t, "improved", got.Improved, false)
		expect.Equal(c.t, "the best", got.Best, c.rows[i].score)
	}
	c.sorted()
	c.rows = c.rows[:min(len(c.rows), int(c.store.most))]
	c.most = max(c.most, len(c.rows))
	expect.Equal(c.t, "rank", got.Rank, int64(1+slices.IndexFunc(c.rows, func(h held) bool { return h.player == player })))
	expect.Equal(c.t, "of", got.Of, int64(len(c.rows)))
}

func (c *climbing) at(n int) time.Time {
	return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Microsecond)
}

func (c *climbing) removeOne() {
	if len(c.rows) == 0 {
		return
	}
	i := c.r.IntN(len(c.rows))
	_, err := c.store.Amend(context.Background(), c.project, c.board, boards.Change{RemovePlayers: []string{c.ids[c.rows[i].player]}}, c.at(0))
	expect.OK(c.t, err)
	c.rows = slices.Delete(c.rows, i, i+1)
}

// bound sets bounds, which remove rows, and takes them away again.
func (c *climbing) bound() {
	if len(c.rows) == 0 {
		return
	}
	low, high := -15.0, 15.0
	b, err := c.store.Amend(context.Background(), c.project, c.board, boards.Change{Min: &low, Max: &high}, c.at(0))
	expect.OK(c.t, err)
	c.rows = slices.DeleteFunc(c.rows, func(h held) bool { return h.score < low || h.score > high })
	expect.Equal(c.t, "players within the bounds", b.Players, int64(len(c.rows)))
	_, err = c.store.Amend(context.Background(), c.project, c.board, boards.Change{NoMin: true, NoMax: true}, c.at(0))
	expect.OK(c.t, err)
}

// compare compares each rank of all time with the slice, now and then those of the other periods, and the counts of the
// blocks with their rows.
func (c *climbing) compare(n int) {
	if n%4 > 0 {
		return
	}
	top, err := c.store.Top(context.Background(), boards.Reading{Project: c.project, Board: c.board, Limit: 100})
	if len(c.rows) == 0 && sandlot.Gone(err) {
		return
	}
	expect.OK(c.t, err)
	expect.Equal(c.t, "entries", len(top.Entries), len(c.rows))
	for i, h := range c.rows {
		e := top.Entries[i]
		expect.Equal(c.t, "the player of an entry", e.Player, c.ids[h.player])
		expect.Equal(c.t, "its score", e.Score, h.score)
	}
	if n%20 > 0 || len(c.rows) == 0 {
		return
	}
	for i, h := range c.rows {
		at, err := c.store.Top(context.Background(), boards.Reading{Project: c.project, Board: c.board, Token: token(h.player), Limit: 5, Around: true})
		expect.OK(c.t, err)
		expect.Equal(c.t, "rank", at.You.Rank, int64(i+1))
		expect.Equal(c.t, "the first around", at.Entries[0].Rank, max(1, int64(i+1-2)))
		expect.Equal(c.t, "you are among those around", slices.ContainsFunc(at.Entries, func(e boards.Entry) bool { return e == *at.You }), true)
	}
	c.counts()
}

func (c *climbing) counts() {
	wrong, err := all(context.Background(), c.store.db, scanValue[int64], `SELECT b.period FROM blocks b
		LEFT JOIN scores s ON s.board = b.board AND s.period = b.period AND (s.sort, s.at, s.player) >= (b.sort, b.at, b.player)
			AND NOT EXISTS (SELECT 1 FROM blocks x WHERE x.board = b.board AND x.period = b.period
				AND (x.sort, x.at, x.player) > (b.sort, b.at, b.player) AND (x.sort, x.at, x.player) <= (s.sort, s.at, s.player))
		GROUP BY b.board, b.period, b.sort, b.at, b.player, b.n HAVING b.n <> count(s.player) OR b.n > ?`, c.store.size)
	expect.OK(c.t, err)
	expect.Equal(c.t, "blocks with a wrong count", len(wrong), 0)
	blocks, err := one(context.Background(), c.store.db, scanValue[int64], "SELECT count(*) FROM blocks WHERE period = 0")
	expect.OK(c.t, err)
	if blocks > 2*2*int64(len(c.rows)+100)/(c.store.size/4)+4 {
		c.t.Errorf("%d rows are in %d blocks", len(c.rows), blocks)
	}
}
