package figures_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// A house is a project of which two nodes count the plays.
type house struct {
	*testworld.World
	t     *testing.T
	nodes []*testworld.World
	by    sandlot.Caller
	id    sandlot.ProjectID
}

func newHouse(t *testing.T, set testworld.Option) *house {
	w := testworld.New(t, set)
	out := w.PublishPage(testworld.Nobody(), page)
	return &house{w, t, []*testworld.World{w, w.Node(t), w.Node(t)}, w.CallerOf(out.Keys.Project), out.Project.ID}
}

func (h *house) play(node int, p gallery.Player) {
	h.nodes[node].Gallery.Play(h.t.Context(), testworld.Nobody(), h.id, p)
}

func (h *house) flush() {
	h.t.Helper()
	for _, n := range h.nodes {
		expect.OK(h.t, n.Counters.Flush(h.t.Context()))
	}
}

func (h *house) days(node, n int) figures.Days {
	h.t.Helper()
	out, err := h.nodes[node].Figures.ByDay(h.t.Context(), h.by, string(h.id), n)
	expect.OK(h.t, err)
	return out
}

func (h *house) versions(node int) map[int]figures.Numbers {
	h.t.Helper()
	out, err := h.nodes[node].Figures.ByVersion(h.t.Context(), h.by, string(h.id))
	expect.OK(h.t, err)
	all := map[int]figures.Numbers{}
	for i, v := range out.Versions {
		all[v.Version] = v.Numbers
		if i > 0 && out.Versions[i-1].Version <= v.Version {
			h.t.Errorf("version %d comes after %d", v.Version, out.Versions[i-1].Version)
		}
	}
	return all
}

// TestFiguresAreAPlainCount lets three nodes count random plays and likes over some days, and compares the figures of each with a plain count of
// it. Some writes fail, before or after they happened.
func TestFiguresAreAPlainCount(t *testing.T) {
	t.Parallel()
	h := newHouse(t, testworld.Embedded())
	r := rand.New(rand.NewPCG(3, 4))
	lost := errors.New("the connection broke")
	type seen struct {
		day    int
		player string
	}
	const days = 5
	plays, likes, players, versions, hosts := [days]int64{}, [days]int64{}, map[seen]bool{}, map[int]int64{}, map[string]int64{}
	token, err := h.Gallery.MintPlayerToken(t.Context(), testworld.Nobody())
	expect.OK(t, err)
	liked, version := false, 1
	for day := range days {
		for n := range 40 {
			player := fmt.Sprint(r.IntN(30))
			host := []string{"", "a.example", "b.example"}[r.IntN(3)]
			if r.IntN(20) == 0 {
				version++
				h.PutFile(h.by, h.id, "a.css", fmt.Sprint(version))
			}
			// A player comes once in half an hour, to any node: there is no other that counts the same.
			h.play(r.IntN(3), gallery.Player{ID: gallery.PlayerID(fmt.Sprint(day, player, "-", n)), Version: version, Source: host})
			plays[day]++
			players[seen{day, fmt.Sprint(player, "-", n)}] = true
			versions[version]++
			hosts[host]++
			if r.IntN(10) == 0 {
				liked = !liked
				_, err := h.Gallery.Like(t.Context(), testworld.Nobody(), h.id, token, netip.Addr{}, liked)
				expect.OK(t, err)
				likes[day] += map[bool]int64{true: 1, false: -1}[liked]
			}
			if node := h.nodes[r.IntN(3)]; r.IntN(4) == 0 {
				fails := []error{nil, nil}
				fails[r.IntN(2)] = lost
				node.Faults.Step = func(step string) (error, error) {
					if step == "AddCounts" && r.IntN(2) == 0 {
						return fails[0], fails[1]
					}
					return nil, nil
				}
				_ = node.Counters.Flush(t.Context())
				node.Faults.Step = nil
			}
		}
		h.flush()
		h.Clock.Move(24 * time.Hour)
	}
	h.Clock.Move(-24 * time.Hour)
	for node := range h.nodes {
		got := h.days(node, days)
		for day, d := range got.Days {
			of := int64(0)
			for s := range players {
				if s.day == day {
					of++
				}
			}
			expect.Same(t, fmt.Sprint("plays, likes and players of day ", day), []int64{d.Plays, d.Likes, d.Players}, []int64{plays[day], likes[day], of})
		}
		for _, ref := range got.Referrers {
			want := hosts[ref.Host]
			if ref.Host == figures.Direct {
				want = hosts[""]
			}
			expect.Equal(t, "plays from "+ref.Host, ref.Plays, want)
		}
		for n, v := range h.versions(node) {
			expect.Equal(t, fmt.Sprint("plays of version ", n), v.Plays, versions[n])
		}
		expect.Equal(t, "plays in all", got.Total.Plays, int64(days*40))
	}
}

func TestWhatIsNotWrittenYetIsTold(t *testing.T) {
	t.Parallel()
	h := newHouse(t, testworld.Embedded())
	tell := func(what string, want int64) {
		t.Helper()
		d := h.days(0, 2)
		sum := int64(0)
		for _, ref := range d.Referrers {
			sum += ref.Plays
		}
		expect.Same(t, what, []int64{d.Days[1].Plays, d.Days[1].Players, d.Total.Plays, h.versions(0)[1].Plays, sum}, []int64{want, want, want, want, want})
	}
	tell("nothing", 0)
	h.play(0, gallery.Player{ID: "x", Source: "a.example"})
	tell("a play", 1)
	h.Faults.Step = func(step string) (error, error) {
		if step == "AddCounts" {
			return nil, errors.New("the answer was lost")
		}
		return nil, nil
	}
	if err := h.Counters.Flush(t.Context()); err == nil {
		t.Error("the write did not fail")
	}
	tell("a play of which nobody knows whether it is written", 1)
	h.play(0, gallery.Player{ID: "y"})
	tell("and another", 2)
	h.Faults.Step = nil
	h.flush()
	tell("when they are written", 2)
}

func TestAPlayerWhomThreeNodesHearOfIsOnePlayInEveryFigure(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	out := w.PublishPage(testworld.Nobody(), page)
	var flushes []func(context.Context) error
	for range 3 {
		g, counters := w.AnotherCounting(gallery.Config{Shared: true})
		g.Play(t.Context(), testworld.Nobody(), out.Project.ID, gallery.Player{ID: "x", Version: 1, Source: "a.example"})
		flushes = append(flushes, counters.Flush)
	}
	for _, flush := range flushes {
		expect.OK(t, flush(t.Context()))
	}
	h := &house{w, t, []*testworld.World{w}, w.CallerOf(out.Keys.Project), out.Project.ID}
	d := h.days(0, 1)
	expect.Same(t, "plays, players and plays of the version", []int64{d.Total.Plays, d.Total.Players, h.versions(0)[1].Plays}, []int64{1, 1, 1})
	expect.Same(t, "referrers", d.Referrers, []figures.Referrer{{Host: "a.example", Plays: 1}})
}

func TestHowLongPeoplePlay(t *testing.T) {
	t.Parallel()
	h := newHouse(t, testworld.Embedded())
	touch := func(id string) {
		t.Helper()
		expect.OK(t, h.Gallery.Touch(t.Context(), testworld.Nobody(), h.id, gallery.Player{ID: gallery.PlayerID(id), Source: "b.example"}))
	}
	h.play(0, gallery.Player{ID: "x", Version: 1})
	if h.days(0, 1).Total.Known {
		t.Error("it is known of nobody")
	}
	touch("x")
	h.PutFile(h.by, h.id, "a.css", "p {}") // a new version while somebody plays
	for range 6 {
		h.Clock.Move(20 * time.Second)
		touch("x")
	}
	expect.OK(t, h.Gallery.Leave(t.Context(), testworld.Nobody(), h.id, gallery.Player{ID: "x"}))
	for what, n := range map[string]figures.Numbers{"today": h.days(0, 1).Total, "the version in which it began": h.versions(0)[1]} {
		if !n.Known || (n.Median-2*time.Minute).Abs() > 25*time.Second {
			t.Errorf("the median of %s is %s", what, n.Median)
		}
	}
	h.flush()
	expect.Same(t, "where the player came from, told by the page", h.days(0, 1).Referrers, []figures.Referrer{{Host: "b.example", Plays: 1}})
	touch("y")
	h.Clock.Move(30 * time.Second)
	touch("y")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	h.Counters.Run(ctx) // as at the end of the process
	if n := h.versions(1)[2]; !n.Known || n.Median < 20*time.Second || n.Median > 40*time.Second {
		t.Errorf("the stay that a stop has ended is %v", n)
	}
}

func TestMidnightDividesDays(t *testing.T) {
	t.Parallel()
	h := newHouse(t, testworld.Embedded())
	h.Clock.Move(11*time.Hour + 59*time.Minute + 59*time.Second) // Start is at noon
	h.play(0, gallery.Player{ID: "x"})
	h.flush()
	h.Clock.Move(time.Second)
	h.play(0, gallery.Player{ID: "y"})
	got := h.days(0, 2)
	expect.Same(t, "plays before and after", []int64{got.Days[0].Plays, got.Days[1].Plays}, []int64{1, 1})
	h.flush()
	h.Clock.Move(-time.Hour)
	h.play(0, gallery.Player{ID: "z"})
	h.flush()
	expect.Same(t, "plays of the day to which the clock was set back", h.days(0, 1).Days[0].Plays, int64(2))
}

func TestDaysThatAreNone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, testworld.Embedded())
	for _, n := range []int{0, -1, figures.MostDays + 1, 1 << 40} {
		_, err := h.Figures.ByDay(t.Context(), h.by, string(h.id), n)
		if e := sandlot.AsError(err); !errors.Is(err, sandlot.CodeInvalidField) || e.Field != "days" || e.Fix.Op != sandlot.OpStats {
			t.Errorf("%d days: %v", n, err)
		}
	}
	expect.Equal(t, "days at most", len(h.days(0, figures.MostDays).Days), figures.MostDays)
}
