package web

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// The kinds of a diffLine.
const (
	lineSame = iota // in both texts
	lineGone        // in the old text alone
	lineNew         // in the new text alone
)

// A diffLine is a line of either text of a comparison, or of both.
type diffLine struct {
	Kind     int
	Old, New int    // its numbers, from 1; 0 in the text that does not have it
	Text     string // without the line feed
	Open     bool   // whether it is the last one, and has no line feed
}

// A textDiff is the difference between two texts.
type textDiff struct {
	Hunks     [][]diffLine // lines that differ, with three around them, in their order
	Gone, New int          // how many lines differ, those that are not in Hunks, too
	More      bool         // whether there are more than Hunks has
}

// compareTexts compares two texts of at most maxCompared bytes, in time that grows little faster than their length. The hunks have at
// most that many lines in all.
func compareTexts(before, after string, most int) (d textDiff) {
	was, is := 0, 0 // numbers of the next lines
	shown := 0
	for text := range strings.Lines(string(diff.Diff("", []byte(before), "", []byte(after)))) {
		kind := strings.IndexByte(" -+", text[0])
		switch {
		case text[0] == '@':
			var n int
			_, _ = fmt.Sscanf(text, "@@ -%d,%d +%d,%d @@", &was, &n, &is, &n)
			d.Hunks = append(d.Hunks, nil)
			continue
		case len(d.Hunks) == 0: // of the head
			continue
		case kind < 0: // the last line has no line feed
			markOpen(d.Hunks[len(d.Hunks)-1])
			continue
		}
		l := diffLine{Kind: kind, Text: strings.TrimSuffix(text[1:], "\n")}
		if kind != lineNew {
			l.Old, was = was, was+1
		}
		if kind != lineGone {
			l.New, is = is, is+1
		}
		d.count(kind)
		if shown++; shown <= most {
			d.Hunks[len(d.Hunks)-1] = append(d.Hunks[len(d.Hunks)-1], l)
		}
	}
	d.More = shown > most
	return d
}

func markOpen(hunk []diffLine) {
	if len(hunk) > 0 {
		hunk[len(hunk)-1].Open = true
	}
}

func (d *textDiff) count(kind int) {
	switch kind {
	case lineGone:
		d.Gone++
	case lineNew:
		d.New++
	}
}
