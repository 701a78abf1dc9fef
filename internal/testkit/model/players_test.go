package model_test

import (
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
)

// kept is the data of a project's players. It is deleted with the project.
type playing struct {
	saves  [playersOf]map[string]string // by slots
	shared map[string]string            // by keys
	best   [playersOf]int               // of the board, whose lower score is better in every other project; none is 0
	first  [playersOf]int               // the number of the score that was the best first
	scores int
	seen   [playersOf]time.Time // when a player last kept something
}

// playersOf is the number of players of a project. Those of all projects have the same tokens.
const playersOf = 3

// slots and keys are few, so that values meet.
var slots = []string{"main", "__proto__", "a.b"}

// visit is a call of a player of a project.
func (p *project) visit(player int) players.Visit {
	return players.Visit{
		Project: sandlot.Project{ID: p.id, Account: p.owner.id}, Token: sandlot.Digest{31: byte(player + 1)},
		From: netip.AddrFrom4([4]byte{192, 0, 2, 1}), Exempt: true,
	}
}

// rising reports whether lower is better on the project's board.
func (p *project) rising() bool { return len(p.id)%2 == 0 }

// play draws a call of a player: most keep something.
func (m *machine) play(t *rapid.T) {
	if len(m.projects) == 0 {
		m.publish(t)
		return
	}
	p, player := pick(t, "project", m.projects), rapid.IntRange(0, playersOf-1).Draw(t, "player")
	v, slot := p.visit(player), pick(t, "slot", slots)
	if p.playing.saves[player] == nil {
		p.playing.saves[player] = map[string]string{}
	}
	if p.playing.shared == nil {
		p.playing.shared = map[string]string{}
	}
	p.playing.seen[player] = m.now
	switch rapid.IntRange(0, 6).Draw(t, "call") {
	case 0, 1:
		value := fmt.Sprintf(`{"n":%d}`, m.value())
		_, err := m.players.Save(t.Context(), nobody, v, slot, []byte(value))
		if m.happened(t, "save", err, nil) {
			p.playing.saves[player][slot] = value
		}
	case 2:
		if err := m.players.DeleteSave(t.Context(), nobody, v, slot); m.happened(t, "delete a save", err, nil) {
			delete(p.playing.saves[player], slot)
		}
	case 3:
		value := fmt.Sprint(m.value())
		_, err := m.players.Share(t.Context(), nobody, v, slot, []byte(value))
		if m.happened(t, "share", err, nil) {
			p.playing.shared[slot] = value
		}
	case 4:
		if err := m.players.DeleteShared(t.Context(), nobody, v, slot); m.happened(t, "delete a shared value", err, nil) {
			delete(p.playing.shared, slot)
		}
	default:
		m.score(t, p, v, player)
	}
}

// value returns a value of its own for each call.
func (m *machine) value() int {
	m.values++
	return m.values
}

// score places a score; the same scores come often.
func (m *machine) score(t *rapid.T, p *project, v players.Visit, player int) {
	n := rapid.IntRange(1, 4).Draw(t, "score")
	in := boards.Score{Score: float64(n), Ascending: p.rising(), Since: players.Stamp(m.vault, v, m.now.Add(-10*time.Second))}
	out, err := m.boards.Place(t.Context(), nobody, v, in)
	if !m.happened(t, "score", err, nil) {
		return
	}
	k := &p.playing
	k.scores++
	if k.best[player] == 0 || p.better(n, k.best[player]) {
		k.best[player], k.first[player] = n, k.scores
	}
	rank, of := p.rank(player)
	if out.Best != float64(k.best[player]) || out.Rank != rank || out.Of != of {
		t.Fatalf("a score of %d is placed %+v; the best is %d, rank %d of %d", n, out, k.best[player], rank, of)
	}
}

func (p *project) better(a, b int) bool { return a != b && (a < b) == p.rising() }

// rank is the place of a player on the board: ties go to the earlier.
func (p *project) rank(player int) (rank, of int64) {
	k := &p.playing
	for other := range playersOf {
		if k.best[other] == 0 {
			continue
		}
		of++
		if other == player || p.better(k.best[other], k.best[player]) || k.best[other] == k.best[player] && k.first[other] < k.first[player] {
			rank++
		}
	}
	return rank, of
}

// comparePlayers compares the data of all players of a project.
func (m *machine) comparePlayers(t *rapid.T, p *project) {
	for player := range playersOf {
		v := p.visit(player)
		m.forgetPlayer(t, p, v, player)
		for _, slot := range slots {
			save, err := m.players.Load(t.Context(), nobody, v, slot)
			m.found(t, fmt.Sprint("slot ", slot, " of player ", player, " of ", p.id), string(save.JSON), err, p.playing.saves[player][slot])
			shared, err := m.players.LoadShared(t.Context(), nobody, v, slot)
			m.found(t, fmt.Sprint("shared value ", slot, " of ", p.id), string(shared.JSON), err, p.playing.shared[slot])
		}
		list, err := m.players.Saves(t.Context(), nobody, v)
		if err != nil || len(list) != len(p.playing.saves[player]) {
			t.Fatalf("player %d of %s has the saves %+v, %v, want %v", player, p.id, list, err, p.playing.saves[player])
		}
		m.compareRank(t, p, v, player)
	}
	keys, err := m.players.SharedKeys(t.Context(), nobody, p.visit(0), "")
	if err != nil || len(keys) != len(p.playing.shared) {
		t.Fatalf("%s has the shared values %+v, %v, want %v", p.id, keys, err, slices.Sorted(maps.Keys(p.playing.shared)))
	}
}

// forgetPlayer forgets a player who has expired, as the clock is set back and forth by years.
func (m *machine) forgetPlayer(t *rapid.T, p *project, v players.Visit, player int) {
	const aDay = 24 * time.Hour
	if m.now.Sub(p.playing.seen[player]) < players.Kept-aDay {
		return
	}
	if hello, err := m.players.Hello(t.Context(), nobody, v); err != nil || hello.ID == "" {
		p.playing.saves[player], p.playing.best[player] = nil, 0
	}
}

func (m *machine) found(t *rapid.T, what, got string, err error, want string) {
	if want == "" {
		m.happened(t, what, err, []sandlot.Code{sandlot.CodeSaveNotFound})
	} else if err != nil || got != want {
		t.Fatalf("%s is %q, %v, want %q", what, got, err, want)
	}
}

// compareRank compares a player's own place, which is not from a list of a second ago.
func (m *machine) compareRank(t *rapid.T, p *project, v players.Visit, player int) {
	top, err := m.boards.Top(t.Context(), nobody, v, boards.Query{Around: true})
	if err != nil {
		t.Fatalf("the board of %s: %v", p.id, err)
	}
	best := p.playing.best[player]
	if best == 0 {
		if top.You != nil {
			t.Fatalf("player %d of %s, who has no score, is %+v", player, p.id, top.You)
		}
		return
	}
	if rank, _ := p.rank(player); top.You == nil || math.Abs(top.You.Score-float64(best)) > 0 || top.You.Rank != rank {
		t.Fatalf("player %d of %s, with %d at %d, is %+v", player, p.id, best, rank, top.You)
	}
}
