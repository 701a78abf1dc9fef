// Package linediff tells which lines two texts have in common, for people who look at what was changed.
//
// Whatever the texts are, the work is bounded by their length: lines that are in both once are
// matched first, as a reader would; between these the shortest way from one text to the other is
// looked for as long as it is short. Where there is none, all between is another.
package linediff

import "strings"

// Kind tells which of the texts a Line is in.
type Kind byte

// The kinds.
const (
	Same Kind = iota // in both
	Gone             // in the old text alone
	New              // in the new text alone
)

// A Line is a line of either text, or of both.
type Line struct {
	Kind     Kind
	Old, New int    // its numbers, from 1; 0 where it is not
	Text     string // without the line feed
	Open     bool   // whether it is the last one, and has no line feed
}

// A Diff is what is other between two texts.
type Diff struct {
	Hunks     [][]Line // lines that are other with some around them, in their order
	Gone, New int      // how many lines are other, those that are not in Hunks, too
	More      bool     // whether there are more than Hunks has
}

// Compare compares two texts. Each change comes with as many same lines on either side as around
// says; the hunks have at most that many lines in all.
func Compare(before, after string, around, most int) Diff {
	a, b := split(before), split(after)
	m := newMatcher(a, b)
	m.between(span{0, len(a)}, span{0, len(b)}, maxDepth)
	return m.diff(a, b, around, most)
}

// split cuts a text into its lines, each with its line feed.
func split(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// diff gathers the lines that are not matched.
func (m *matcher) diff(a, b []string, around, most int) Diff {
	w := writer{a: a, b: b, around: around, most: most}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && m.to[i] < 0:
			w.change(Gone, i, j)
			i++
		case j < len(b) && (i == len(a) || j < int(m.to[i])):
			w.change(New, i, j)
			j++
		default:
			w.same(i, j)
			i, j = i+1, j+1
		}
	}
	w.close()
	return w.Diff
}

// A writer makes hunks of lines that come one after another.
type writer struct {
	Diff
	a, b         []string
	around, most int
	hunk         []Line // the one that is open
	tail         int    // same lines at its end
	written      int
}

func (w *writer) line(k Kind, i, j int) Line {
	l := Line{Kind: k}
	if k != New {
		l.Old, l.Text = i+1, w.a[i]
	}
	if k != Gone {
		l.New, l.Text = j+1, w.b[j]
	}
	text, ended := strings.CutSuffix(l.Text, "\n")
	l.Text, l.Open = text, !ended
	return l
}

// change adds a line that is other, and before it, if it begins a hunk, those that lead to it.
func (w *writer) change(k Kind, i, j int) {
	if k == Gone {
		w.Gone++
	} else {
		w.New++
	}
	if w.hunk == nil {
		for n := min(w.around, i, j); n > 0; n-- {
			w.add(w.line(Same, i-n, j-n))
		}
	}
	w.add(w.line(k, i, j))
	w.tail = 0
}

// same adds a line behind a change, up to where the next may begin a hunk of its own.
func (w *writer) same(i, j int) {
	if w.hunk == nil {
		return
	}
	w.add(w.line(Same, i, j))
	if w.tail++; w.tail > 2*w.around {
		w.close()
	}
}

func (w *writer) add(l Line) {
	if w.written++; w.written > w.most {
		w.More = true
		return
	}
	w.hunk = append(w.hunk, l)
}

// close ends a hunk with no more same lines than are wanted.
func (w *writer) close() {
	extra := min(max(w.tail-w.around, 0), len(w.hunk))
	for ; extra > 0 && w.hunk[len(w.hunk)-1].Kind == Same; extra-- {
		w.hunk = w.hunk[:len(w.hunk)-1]
		w.written--
	}
	if len(w.hunk) > 0 {
		w.Hunks = append(w.Hunks, w.hunk)
	}
	w.hunk, w.tail = nil, 0
}
