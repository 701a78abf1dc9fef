// Package edit replaces exact texts in a file, as the editors of agents do. It knows nothing of projects.
package edit

import (
	"bytes"
	"strings"
)

// An Edit replaces a text that stands exactly once in a file.
type Edit struct {
	Index    int // its place in the call, from 0
	File     string
	Old, New string // Old is not empty
}

// MostLines is the largest number of lines that a Fault lists.
const MostLines = 10

// A Reason says why an edit cannot be made.
type Reason int

// The reasons. LineEnds and Blanks are of a text that stands nowhere as it is.
const (
	NotFound  Reason = iota + 1 // the text stands nowhere
	LineEnds                    // it would stand there with the file's line ends
	Blanks                      // it would stand there with other blanks at the ends of lines
	Ambiguous                   // it stands there more than once
)

// A Fault describes an edit that cannot be made.
type Fault struct {
	Edit   Edit
	Reason Reason
	Count  int   // of Ambiguous: how often the text stands there; above MostLines it is MostLines+1
	Lines  []int // of Ambiguous: the lines in which these begin, from 1, each once
	Near   Line  // otherwise the line most like the text, or the first that differs; the zero Line if none is like it
}

// Apply returns the text with the edits made in their order, each on the result of the one before. Old is compared byte
// for byte, and must stand exactly once, places that overlap included. The first edit that cannot be made is returned as
// a Fault, and then there is no result. text is left alone.
func Apply(text []byte, edits []Edit) ([]byte, *Fault) {
	for _, e := range edits {
		old := []byte(e.Old)
		at := places(text, old)
		if len(at) != 1 {
			return nil, fault(string(text), e, at)
		}
		text = bytes.Join([][]byte{text[:at[0]], []byte(e.New), text[at[0]+len(old):]}, nil)
	}
	return text, nil
}

// places returns where old begins in text, at most MostLines+1 places.
func places(text, old []byte) (at []int) {
	for from := 0; len(at) <= MostLines; from = at[len(at)-1] + 1 {
		i := bytes.Index(text[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
	}
	return at
}

func fault(text string, e Edit, at []int) *Fault {
	f := &Fault{Edit: e, Reason: Ambiguous, Count: len(at)}
	for _, i := range at[:min(len(at), MostLines)] {
		if line := 1 + strings.Count(text[:i], "\n"); len(f.Lines) == 0 || f.Lines[len(f.Lines)-1] != line {
			f.Lines = append(f.Lines, line)
		}
	}
	if len(at) > 0 {
		return f
	}
	if f.Near, f.Reason = nearest(text, e.Old); strings.Contains(unix(text), unix(e.Old)) {
		f.Reason = LineEnds
	}
	return f
}

// unix returns a text with LF alone at the ends of its lines.
func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
