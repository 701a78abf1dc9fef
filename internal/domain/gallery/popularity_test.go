package gallery

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// taken is how many of n at once an address gets.
func taken(l *countLimit, id sandlot.ProjectID, from string, n int, now time.Time) (got int) {
	for range n {
		if l.take(id, netip.MustParseAddr(from), now) {
			got++
		}
	}
	return got
}

func TestRegression06ANetworkAddsSoMuchToAProject(t *testing.T) {
	t.Parallel()
	t.Run("at once, and in an hour", func(t *testing.T) {
		for _, c := range []struct{ atOnce, anHour int }{{playsAtOnce, playsAnHour}, {likesAtOnce, likesAnHour}} {
			l := newCountLimit(c.atOnce, c.anHour)
			if got := taken(l, "a", "203.0.113.7", 1000, noon); got != c.atOnce {
				t.Errorf("%d at once, want %d", got, c.atOnce)
			}
			later := 0
			for minute := range 60 {
				later += taken(l, "a", "203.0.113.7", 1000, noon.Add(time.Duration(minute+1)*time.Minute))
			}
			if later != c.anHour {
				t.Errorf("%d in the hour after, want %d", later, c.anHour)
			}
			if got := taken(l, "a", "203.0.113.7", 1000, noon.Add(10*time.Hour)); got != c.atOnce {
				t.Errorf("%d after a pause, want %d", got, c.atOnce)
			}
		}
	})
	t.Run("each project and each network for itself", func(t *testing.T) {
		l := newCountLimit(20, 60)
		for _, c := range [][2]string{{"a", "203.0.113.7"}, {"b", "203.0.113.7"}, {"a", "203.0.113.8"}, {"a", "2001:db8::1"}, {"a", "2001:db9::1"}} {
			expect.Equal(t, c[0]+" "+c[1], taken(l, sandlot.ProjectID(c[0]), c[1], 100, noon), 20)
		}
		expect.Equal(t, "for other addresses of the same networks", taken(l, "a", "2001:db8::2", 100, noon)+taken(l, "a", "::ffff:203.0.113.7", 100, noon), 0)
	})
	t.Run("who has many networks has more, and not as many times more", func(t *testing.T) {
		l := newCountLimit(20, 60)
		sum := func(format string) (got int) {
			for i := range 256 {
				got += taken(l, "a", fmt.Sprintf(format, i), 100, noon)
			}
			return got
		}
		expect.Equal(t, "a /56 has", sum("2001:db8:0:%x::1"), 4*20)
		expect.Equal(t, "a /48 has", 4*20+sum("2001:db8:0:%x00::1"), 16*20)
	})
	t.Run("what is not an address is a network, too", func(t *testing.T) {
		l, got := newCountLimit(20, 60), 0
		for range 100 {
			if l.take("a", netip.Addr{}, noon) {
				got++
			}
		}
		if got != 20 {
			t.Errorf("%d, want 20", got)
		}
	})
	t.Run("no crowd of addresses and projects makes it forget", func(t *testing.T) {
		l := newCountLimit(20, 60)
		taken(l, "a", "203.0.113.7", 100, noon)
		for i := range 2 * countCells {
			l.take(sandlot.ProjectID(fmt.Sprint(i%1000)), netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 1}), noon)
		}
		expect.Equal(t, "more after it", taken(l, "a", "203.0.113.7", 100, noon), 0)
	})
	t.Run("a clock that was ahead leaves nobody without", func(t *testing.T) {
		l := newCountLimit(20, 60)
		taken(l, "a", "203.0.113.7", 100, noon.Add(365*24*time.Hour))
		expect.Equal(t, "at once", taken(l, "a", "203.0.113.7", 100, noon.Add(time.Hour)), 0)
		expect.Equal(t, "an hour later", taken(l, "a", "203.0.113.7", 100, noon.Add(2*time.Hour)), 20)
	})
}
