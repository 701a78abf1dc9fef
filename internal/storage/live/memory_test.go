package live

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestMemory(t *testing.T) {
	storetest.TestLive(t, func(*testing.T) gallery.Live { return NewMemory(Limits{}) })
}

func touch(tb testing.TB, m *Memory, id sandlot.ProjectID, player int, now time.Time) {
	tb.Helper()
	expect.OK(tb, m.Touch(tb.Context(), id, name(player), now))
}

func name(player int) gallery.PlayerID {
	return gallery.PlayerID(fmt.Sprintf("player-%020d", player))
}

func players(tb testing.TB, m *Memory, id sandlot.ProjectID, now time.Time) int {
	tb.Helper()
	n, err := m.Players(tb.Context(), id, now)
	expect.OK(tb, err)
	return n
}

// kept counts the players in memory, in both ways.
func kept(tb testing.TB, m *Memory) int {
	tb.Helper()
	n := 0
	for i := range m.shards {
		n += len(m.shards[i].places)
	}
	if int64(n) != m.total.Load() {
		tb.Errorf("%d players in the shards, %d in all", n, m.total.Load())
	}
	return n
}

func TestLimits(t *testing.T) {
	now := time.Now()
	t.Run("beyond PerProject the project's longest silent player gives way", func(t *testing.T) {
		m := crowded(t, now)
		touch(t, m, "other", 0, now)
		expect.Equal(t, "players", players(t, m, "game", now.Add(15*time.Second)), 10)
		expect.Equal(t, "players of the other project", players(t, m, "other", now.Add(15*time.Second)), 1)
		// 5 and 99 stay the longest; of the others 7 to 14 are left.
		for later, want := range map[time.Duration]int{6: 10, 7: 9, 13: 3, 14: 2, 15: 0} {
			at := now.Add(gallery.Presence + later*time.Second)
			if n := players(t, crowded(t, now), "game", at); n != want {
				t.Errorf("%d s later: %d players, want %d", later, n, want)
			}
		}
	})
	t.Run("beyond Players somebody gives way, and the memory stays bounded", func(t *testing.T) {
		m := NewMemory(Limits{Players: 1000})
		for i := range 10000 {
			id := sandlot.ProjectID(fmt.Sprint("game-", i%500))
			touch(t, m, id, i, now)
			if n := players(t, m, id, now); n < 1 {
				t.Fatalf("player %d does not count", i)
			}
		}
		if n := kept(t, m); n > 1000+shards {
			t.Errorf("%d players kept, want at most %d", n, 1000+shards)
		}
	})
	t.Run("those who are gone do not take the place of others", func(t *testing.T) {
		m := NewMemory(Limits{Players: 1000})
		for i := range 1000 {
			touch(t, m, "left-alone", i, now)
		}
		later := now.Add(gallery.Presence)
		for i := range 900 {
			touch(t, m, sandlot.ProjectID(fmt.Sprint("game-", i)), i, later)
		}
		present := 0
		for i := range 900 {
			present += players(t, m, sandlot.ProjectID(fmt.Sprint("game-", i)), later)
		}
		// A few gave way before the shard of those who are gone had its turns.
		if present < 900-shards-1000/expireStep {
			t.Errorf("%d of 900 players count", present)
		}
	})
	t.Run("a shard nobody visits is cleared by the others", func(t *testing.T) {
		m := NewMemory(Limits{})
		for i := range 300 {
			touch(t, m, "left-alone", i, now)
		}
		for i := range 10 * shards {
			touch(t, m, "game", i, now.Add(gallery.Presence))
		}
		if n := kept(t, m); n != 10*shards {
			t.Errorf("%d players kept, want %d", n, 10*shards)
		}
	})
	t.Run("an empty shard gives its memory back", func(t *testing.T) {
		m := NewMemory(Limits{})
		for i := range 2 * worthKeeping {
			touch(t, m, "game", i, now)
		}
		players(t, m, "game", now.Add(gallery.Presence))
		room, _ := m.hash("game", "")
		if s := m.shard(room); s.all != nil || s.places != nil || s.rooms != nil || kept(t, m) != 0 {
			t.Errorf("%d places left", len(s.all))
		}
		touch(t, m, "game", 1, now.Add(gallery.Presence))
		expect.Equal(t, "players", players(t, m, "game", now.Add(gallery.Presence)), 1)
	})
}

// crowded holds at most ten players of a project: 15 came, one a second, then 5
// was seen again, so that 6 was the one to give way when 99 came.
func crowded(t *testing.T, now time.Time) *Memory {
	m := NewMemory(Limits{PerProject: 10})
	for i := range 15 {
		touch(t, m, "game", i, now.Add(time.Duration(i)*time.Second))
	}
	touch(t, m, "game", 5, now.Add(15*time.Second))
	touch(t, m, "game", 99, now.Add(15*time.Second))
	return m
}

func TestSoakMemoryPerPlayer(t *testing.T) {
	testenv.Unraced(t)
	for _, projects := range []int{1, 1000, 100_000} {
		t.Run(fmt.Sprintf("at most 100 bytes, on %d projects", projects), func(t *testing.T) {
			const n = 100_000
			m := NewMemory(Limits{})
			now := time.Now()
			before := heap()
			for i := range n {
				touch(t, m, sandlot.ProjectID(fmt.Sprint("game-", i%projects)), i, now)
			}
			each := float64(heap()-before) / n
			t.Logf("%.0f bytes a player", each)
			limit := 100.0
			if projects == n {
				limit = 170 // each with the record of a project of its own
			}
			if each > limit {
				t.Errorf("%.0f bytes a player, want at most %.0f", each, limit)
			}
			runtime.KeepAlive(m)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
