package web

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

func TestADiffLeadsFromOneTextToTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%d\n", r.IntN(1+r.IntN(60)))
		}
		return b.String() + []string{"", "end", "\\ No newline", "@@ -1,1 +1,1 @@\n--- a\n+++ b\n"}[r.IntN(4)]
	}
	for range 500 {
		a, b := text(), text()
		was, is := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
		for _, hunk := range compareTexts(a, b, 10_000).Hunks {
			for _, l := range hunk {
				whole := l.Text + "\n"
				if l.Open {
					whole = l.Text
				}
				if l.Old > 0 && was[l.Old-1] != whole || l.New > 0 && is[l.New-1] != whole || l.Old+l.New == 0 {
					t.Fatalf("%q to %q has %+v", a, b, l)
				}
				if l.Kind == lineGone {
					was[l.Old-1] = ""
				}
				if l.Kind == lineNew {
					is[l.New-1] = ""
				}
			}
		}
		if strings.Join(was, "") != strings.Join(is, "") {
			t.Fatalf("%q to %q leaves %q and %q", a, b, was, is)
		}
	}
}

func TestADiffIsAsAReaderWouldMakeIt(t *testing.T) {
	for _, c := range []struct{ before, after, lines string }{
		{"a\nb\nc\n", "a\nb\nc\n", ""},
		{"", "a\nb\n", "+a +b"},
		{"a\n", "", "-a"},
		{"a\nb\nc\n", "a\nX\nc\n", " a -b +X  c"},
		{"a\n", "a", "-a +a!"},
		{"f() {\n}\ng() {\n}\n", "f() {\n}\nh() {\n}\ng() {\n}\n", " f() {  } +h() { +}  g() {  }"},
	} {
		d := compareTexts(c.before, c.after, 100)
		var lines []string
		for _, h := range d.Hunks {
			for _, l := range h {
				lines = append(lines, string(" -+"[l.Kind])+l.Text+strings.Repeat("!", map[bool]int{true: 1}[l.Open]))
			}
		}
		if got := strings.Join(lines, " "); got != c.lines || d.More {
			t.Errorf("%q to %q: %+v is %q", c.before, c.after, d, got)
		}
	}
}

func TestADiffHasNoMoreLinesThanWantedAndCountsAll(t *testing.T) {
	d := compareTexts("", strings.Repeat("x\n", 100), 10)
	if n := len(d.Hunks[0]); n != 10 || !d.More || d.New != 100 || d.Gone != 0 {
		t.Errorf("%d lines of %d, more: %v", n, d.New, d.More)
	}
	was := make([]string, 5000)
	for i := range was {
		if was[i] = fmt.Sprintf("line %d", i); i%3 == 0 {
			was[i] = "}"
		}
	}
	is := append([]string(nil), was...)
	for i := range 1000 {
		is[i*5] = fmt.Sprint("other ", i)
	}
	if d := compareTexts(strings.Join(was, "\n"), strings.Join(is, "\n"), 5000); d.Gone != 1000 || d.New != 1000 {
		t.Errorf("of 1,000 changes there are %d and %d", d.Gone, d.New)
	}
}

func TestSoakTheWorstTextsAreComparedInABoundedTime(t *testing.T) {
	testenv.Unraced(t)
	r := rand.New(rand.NewPCG(5, 6))
	var x, y, p, q strings.Builder
	for i := range maxCompared / 2 {
		x.WriteString([]string{"a\n", "b\n"}[r.IntN(2)])
		y.WriteString([]string{"a\n", "b\n"}[r.IntN(2)])
		if i < 70_000 {
			fmt.Fprintf(&p, "%d\n", i)
			fmt.Fprintf(&q, "%d\n", 70_000-i)
		}
	}
	for name, c := range map[string][2]string{
		"two kinds of line": {x.String(), y.String()}, "lines in the other order": {p.String(), q.String()},
		"empty lines": {strings.Repeat("\n", maxCompared), strings.Repeat("\nx", maxCompared/2)},
		"long lines":  {strings.Repeat("x", maxCompared), strings.Repeat("y", maxCompared)},
		"no line":     {"", strings.Repeat("\n", maxCompared)},
	} {
		began := time.Now()
		compareTexts(c[0], c[1], 5000)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Log(name, took)
		}
	}
}
