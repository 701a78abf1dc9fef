package linediff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/web/linediff"
)

// apply makes the texts that a Diff with all lines is of.
func apply(d linediff.Diff) (before, after string) {
	for _, h := range d.Hunks {
		for _, l := range h {
			text := l.Text
			if !l.Open {
				text += "\n"
			}
			if l.Kind != linediff.New {
				before += text
			}
			if l.Kind != linediff.Gone {
				after += text
			}
		}
	}
	return before, after
}

func TestADiffLeadsFromOneTextToTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%d\n", r.IntN(1+r.IntN(12)))
		}
		return b.String() + []string{"", "end"}[r.IntN(2)]
	}
	for range 500 {
		a, b := text(), text()
		before, after := apply(linediff.Compare(a, b, 1000, 10_000))
		if a != b && (before != a || after != b) {
			t.Fatalf("%q to %q is told as %q to %q", a, b, before, after)
		}
	}
}

func TestADiffIsAsShortAsAReaderWouldMakeIt(t *testing.T) {
	for _, c := range []struct {
		before, after string
		gone, added   int
		hunks         string
	}{
		{"a\nb\nc\n", "a\nb\nc\n", 0, 0, ""},
		{"", "a\nb\n", 0, 2, "+a +b"},
		{"a\n", "", 1, 0, "-a"},
		{"a\nb\nc\n", "a\nX\nc\n", 1, 1, " a -b +X  c"},
		{"a\n", "a", 1, 1, "-a +a!"},
		{"f() {\n}\ng() {\n}\n", "f() {\n}\nh() {\n}\ng() {\n}\n", 0, 2, " } +h() { +}  g() {"},
		{"}\n}\n}\n}\n", "}\n}\n}\n", 1, 0, " } -}"},
	} {
		d := linediff.Compare(c.before, c.after, 1, 100)
		var lines []string
		for _, h := range d.Hunks {
			for _, l := range h {
				lines = append(lines, string(" -+"[l.Kind])+l.Text+strings.Repeat("!", map[bool]int{true: 1}[l.Open]))
			}
		}
		if got := strings.Join(lines, " "); got != c.hunks || d.Gone != c.gone || d.New != c.added || d.More {
			t.Errorf("%q to %q: %+v is %q", c.before, c.after, d, got)
		}
	}
}

func TestManyScatteredChangesAreToldOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a := make([]string, 5000)
	for i := range a {
		if a[i] = fmt.Sprintf("line %d", i); i%3 == 0 {
			a[i] = "}"
		}
	}
	b := append([]string(nil), a...)
	for i := range 1000 {
		b[i*5] = fmt.Sprint("other ", r.Uint64())
	}
	d := linediff.Compare(strings.Join(a, "\n"), strings.Join(b, "\n"), 3, 5000)
	if d.Gone != 1000 || d.New != 1000 {
		t.Errorf("of 1,000 changes there are %d and %d", d.Gone, d.New)
	}
	if d.More != true || len(d.Hunks) == 0 {
		t.Errorf("more than may be shown is not told: %d hunks", len(d.Hunks))
	}
}

func TestHunksHaveNoMoreLinesThanWanted(t *testing.T) {
	d := linediff.Compare("", strings.Repeat("x\n", 100), 3, 10)
	if n := len(d.Hunks[0]); n != 10 || !d.More || d.New != 100 {
		t.Errorf("%d lines of %d, more: %v", n, d.New, d.More)
	}
}

func TestSoakTheWorstTextsTakeABoundedTime(t *testing.T) {
	testenv.Unraced(t)
	r := rand.New(rand.NewPCG(5, 6))
	var x, y, p, q strings.Builder
	for i := range 1 << 18 {
		x.WriteString([]string{"a\n", "b\n"}[r.IntN(2)])
		y.WriteString([]string{"a\n", "b\n"}[r.IntN(2)])
		if i < 70_000 {
			fmt.Fprintf(&p, "%d\n", i)
			fmt.Fprintf(&q, "%d\n", 70_000-i)
		}
	}
	for name, c := range map[string][2]string{
		"two kinds of line": {x.String(), y.String()}, "lines in the other order": {p.String(), q.String()},
		"empty lines": {strings.Repeat("\n", 1<<19), strings.Repeat("\nx", 1<<18)},
	} {
		began := time.Now()
		linediff.Compare(c[0], c[1], 3, 5000)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Log(name, took)
		}
	}
}
