package figures

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestASketchTellsHowManyThereWere(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 50, 96, 97, 200, 500, 1000, 3000, 20_000} {
		for try := range 8 {
			var whole, nodes Sketch
			parts := make([]Sketch, 3)
			for i := range n {
				player := fmt.Sprint(try, "-", i)
				whole.Add(player)
				whole.Add(player)
				parts[i%3].Add(player)
				parts[i*i%3].Add(player)
			}
			for _, p := range parts {
				before := string(p)
				nodes.Merge(p)
				nodes.Merge(p)
				expect.Equal(t, "a sketch that was merged", string(p), before)
			}
			if string(whole) != string(nodes) || len(whole) > registers {
				t.Errorf("%d players: three nodes have %d together, one %d", n, nodes.Count(), whole.Count())
			}
			if off := math.Abs(float64(whole.Count()) - float64(n)); n <= mostHashes && off > 0 || off > 0.14*float64(n) {
				t.Errorf("%d players are told as %d", n, whole.Count())
			}
		}
	}
}

func TestASketchOfAnyBytesIsHarmless(t *testing.T) {
	t.Parallel()
	for n := range registers + 9 {
		s := Sketch(strings.Repeat("\xff", n))
		var into Sketch
		into.Merge(s)
		s.Merge(into)
		s.Add("x")
		if c := s.Count(); c < 0 {
			t.Errorf("%d bytes are %d players", n, c)
		}
	}
}

func TestMediansAreRightWithinTheirSizes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var l, again Lengths
		middle := time.Duration(math.Exp(r.Float64()*7)) * time.Second // up to 18 minutes
		for i := range 2*r.IntN(40) + 1 {
			d := middle
			if i%2 == 1 {
				d = time.Duration(r.Int64N(int64(middle)))
			} else if i > 0 {
				d = middle + time.Duration(r.Int64N(int64(time.Hour)))
			}
			l.Add(d)
		}
		again.Merge(ReadLengths(l.Bytes()))
		median, known := again.Median()
		if off := (median - middle).Abs(); !known || off > max(firstSize, middle/5) {
			t.Errorf("the median of %s is told as %s", middle, median)
		}
	}
	if _, known := Lengths(nil).Median(); known {
		t.Error("there is a median of none")
	}
	var long Lengths
	long.Add(1 << 62)
	long.Add(-1)
	if median, _ := long.Median(); median > 5*time.Hour || len(long) != sizes || len(long.Bytes()) > 4*sizes {
		t.Errorf("of the longest it is %s, in %d sizes", median, len(long))
	}
	for _, damaged := range []string{"\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", strings.Repeat("\x01", 999)} {
		if l := ReadLengths([]byte(damaged)); len(l) > sizes {
			t.Errorf("%q is read as %v", damaged, l)
		}
	}
}

func TestOfAReferrerTheHostAloneIsTold(t *testing.T) {
	t.Parallel()
	places := sandlot.Places{Base: &url.URL{Scheme: "https", Host: "sandlot.example:8443"}, Content: "play.example:8443"}
	for referrer, want := range map[string]string{
		"":                                                "",
		"https://News.Example.org/a?b=c#d":                "news.example.org",
		"http://www.example.org:8080":                     "example.org",
		"https://example.org./x":                          "example.org",
		"HTTPS://EXAMPLE.ORG\\@evil":                      "",
		"https://xn--bcher-kva.example/":                  "xn--bcher-kva.example",
		"http://[2001:db8::1]:80/":                        "2001:db8::1",
		"http://192.0.2.7/":                               "192.0.2.7",
		"https://sandlot.example/p/x":                     "",
		"https://game-abc123.play.example/":               "",
		"https://play.example/":                           "",
		"https://display.example/":                        "display.example",
		"https://user:secret@example.org/":                "",
		"https://secret@example.org/":                     "",
		"android-app://com.example/":                      "",
		"file:///home/me":                                 "",
		"about:blank":                                     "",
		"https://":                                        "",
		"https:///path":                                   "",
		"https://a b/":                                    "",
		"https://=cmd|calc!A1/":                           "",
		"https://<script>/":                               "",
		"https://\u202eexample.org/":                      "",
		"https://a..b/":                                   "",
		"https://direct/":                                 "",
		"https://other/":                                  "",
		"https://" + strings.Repeat("a", 64):              "",
		"https://" + strings.Repeat("a.", 200):            "",
		"https://a.example/" + strings.Repeat("x", 1<<20): "",
	} {
		expect.Equal(t, referrer[:min(len(referrer), 60)], Source(places, referrer), want)
	}
}

func TestHundredThousandHostsTakeTheRoomOfFifty(t *testing.T) {
	t.Parallel()
	var a Added
	for i := range 100_000 {
		a.Play(1, "x", fmt.Sprint(i, ".example"))
	}
	expect.Same(t, "hosts, plays, and those of others", []int64{int64(len(a.Sources)), a.Whole().Plays, a.Sources[Others]}, []int64{MostSources + 1, 100_000, 100_000 - MostSources})
}

func TestStays(t *testing.T) {
	t.Parallel()
	type beat struct {
		after   time.Duration
		player  string
		version int
		gone    bool
	}
	const s = time.Second
	hours := func(length time.Duration, last beat) (list []beat) {
		for at := time.Duration(0); at <= length; at += 20 * s {
			list = append(list, beat{at, "x", 1, false})
		}
		return append(list, last)
	}
	for name, c := range map[string]struct {
		beats []beat
		want  []Stay // of project a, when all have ended
	}{
		"from the first heartbeat to the last":           {[]beat{{0, "x", 1, false}, {20 * s, "x", 1, false}, {40 * s, "x", 1, false}}, []Stay{{"a", 1, 40 * s}}},
		"to when the page is left":                       {[]beat{{0, "x", 1, false}, {20 * s, "x", 1, false}, {33 * s, "x", 1, true}}, []Stay{{"a", 1, 33 * s}}},
		"one heartbeat is a stay":                        {[]beat{{0, "x", 1, false}}, []Stay{{"a", 1, 0}}},
		"who leaves without a stay has none":             {[]beat{{0, "x", 1, true}}, nil},
		"who comes back has two":                         {[]beat{{0, "x", 1, false}, {9 * s, "x", 1, true}, {20 * s, "x", 1, false}, {50 * s, "x", 1, true}}, []Stay{{"a", 1, 9 * s}, {"a", 1, 30 * s}}},
		"who is silent for five minutes has left":        {[]beat{{0, "x", 1, false}, {20 * s, "x", 1, false}, {20*s + Silence, "x", 1, false}}, []Stay{{"a", 1, 20 * s}, {"a", 1, 0}}},
		"who is silent for less has not":                 {[]beat{{0, "x", 1, false}, {Silence - 1, "x", 1, false}}, []Stay{{"a", 1, Silence - 1}}},
		"a goodbye after a long silence says nothing":    {[]beat{{0, "x", 1, false}, {20 * s, "x", 1, false}, {2 * Silence, "x", 1, true}}, []Stay{{"a", 1, 20 * s}}},
		"a version that changes meanwhile is not theirs": {[]beat{{0, "x", 1, false}, {20 * s, "x", 2, false}}, []Stay{{"a", 1, 20 * s}}},
		"two players":                                   {[]beat{{0, "x", 1, false}, {s, "y", 1, false}, {20 * s, "x", 1, true}, {5 * s, "y", 1, true}}, []Stay{{"a", 1, 4 * s}, {"a", 1, 20 * s}}},
		"a clock that is set back a little":             {[]beat{{0, "x", 1, false}, {60 * s, "x", 1, false}, {50 * s, "x", 1, false}, {70 * s, "x", 1, true}}, []Stay{{"a", 1, 70 * s}}},
		"a clock that is set back a year":               {[]beat{{0, "x", 1, false}, {60 * s, "x", 1, false}, {-8760 * time.Hour, "x", 1, false}}, []Stay{{"a", 1, 0}, {"a", 1, 60 * s}}},
		"a clock that is ahead a year, and back":        {[]beat{{0, "x", 1, false}, {8760 * time.Hour, "x", 1, false}, {20 * s, "x", 1, false}}, []Stay{{"a", 1, 0}, {"a", 1, 0}, {"a", 1, 0}}},
		"long ones, through many turns of what is kept": {hours(2*time.Hour, beat{2*time.Hour + s, "x", 1, true}), []Stay{{"a", 1, 2*time.Hour + s}}},
	} {
		t.Run(name, func(t *testing.T) {
			stays := NewStays(10)
			var got []Stay
			last := noon
			for _, b := range c.beats {
				last = noon.Add(b.after)
				if !b.gone {
					got = append(got, stays.Beat("a", b.version, b.player, last, func() bool { return true })...)
				} else if over, ok := stays.Gone("a", b.player, last); ok {
					got = append(got, over)
				}
			}
			got = append(got, stays.End(last, false)...)
			got = append(got, stays.End(last, true)...)
			sortStays(got)
			sortStays(c.want)
			expect.Same(t, "stays", got, c.want)
		})
	}
}

func sortStays(list []Stay) {
	slices.SortFunc(list, func(a, b Stay) int { return cmp.Compare(a.Length, b.Length) })
}

func TestStaysAreBounded(t *testing.T) {
	t.Parallel()
	stays := NewStays(10)
	always := func() bool { return true }
	for i := range 100 {
		stays.Beat("a", 1, fmt.Sprint(i), noon, always)
	}
	expect.Equal(t, "stays beyond the most", len(stays.End(noon, true)), 10)
	stays.Beat("a", 1, "x", noon, func() bool { return false })
	expect.Equal(t, "stays that may not begin", len(stays.End(noon, true)), 0)
	stays.Beat("a", 1, "x", noon, always)
	stays.Beat("a", 1, "x", noon.Add(time.Minute), func() bool { t.Error("it was asked again"); return false })
	over := stays.End(noon.Add(time.Minute+2*Silence), false)
	over = append(over, stays.End(noon.Add(time.Minute+4*Silence), false)...)
	expect.Same(t, "a stay of which nothing is heard", over, []Stay{{"a", 1, time.Minute}})
}
