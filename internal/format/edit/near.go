package edit

import "strings"

// A Line is a line of a file, or a piece of a long one.
type Line struct {
	N    int // from 1
	Text string
}

const (
	// mostText is the longest text of a Line, in bytes.
	mostText = 200
	// mostRun bounds the lines of a text that are compared one by one.
	mostRun = 16
	// leastLike is the least likeness of a nearest line.
	leastLike = 0.4
)

// nearest returns the line of a text at which old differs from it. That is the line after the longest run of lines that
// are as in old, blanks at their ends aside, or else the line most like the first line of old.
func nearest(text, old string) (Line, Reason) {
	want := linesOf(old)
	if len(want) == 0 {
		return Line{}, NotFound
	}
	var best, like Line
	var longest int
	var likeness float64
	first := newSample(want[0])
	for n, rest := 1, text; rest != ""; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		if run, end := runOf(want, n, rest); run > longest {
			best, longest = end, run
		}
		if longest == 0 {
			if l, part := first.in(strings.TrimSpace(line)); l > likeness {
				like, likeness = Line{n, part}, l
			}
		}
		rest = after
	}
	switch {
	case longest == len(want):
		return clean(best), Blanks
	case longest > 0:
		return clean(best), NotFound
	case likeness >= leastLike:
		return clean(like), NotFound
	}
	return Line{}, NotFound
}

// clean returns a Line without blanks around its text, and valid.
func clean(l Line) Line {
	text := strings.TrimSpace(l.Text)
	return Line{l.N, strings.ToValidUTF8(text[:min(len(text), mostText)], "")}
}

// linesOf returns the first lines of a text without blanks around each, from the first that is not blank.
func linesOf(text string) (list []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" || len(list) > 0 {
			list = append(list, line)
		}
		if len(list) == mostRun {
			break
		}
	}
	return list
}

// runOf returns the number of lines at the beginning of rest, which begins with line n of the text, that are as those
// wanted, and the line after them, or the first if all are. Of several lines the first may end with the wanted one, and
// the last begin with it.
func runOf(want []string, n int, rest string) (run int, end Line) {
	several := len(want) > 1
	for i, w := range want {
		line, after, more := strings.Cut(rest, "\n")
		same := strings.TrimSpace(line)
		begins := several && i == 0 && strings.HasSuffix(same, w)
		ends := several && i == len(want)-1 && strings.HasPrefix(same, w)
		if same != w && !begins && !ends {
			return i, Line{n + i, line}
		}
		if i == 0 {
			end = Line{n, line}
		}
		if !more {
			return i + 1, end
		}
		rest = after
	}
	return len(want), end
}

// A sample is a text by its pieces of three bytes.
type sample struct {
	grams map[string]bool
	width int
}

func newSample(text string) sample {
	text = text[:min(len(text), mostText)]
	s := sample{map[string]bool{}, len(text)}
	for i := 0; i+3 <= len(text); i++ {
		s.grams[text[i:i+3]] = true
	}
	return s
}

// in returns how like a line is to the sample, from 0 to 1, and its most alike piece, if it is long.
func (s sample) in(line string) (likeness float64, part string) {
	hits, most, at := 0, 0, 0
	for i := 0; i+3 <= len(line); i++ {
		if s.grams[line[i:i+3]] {
			hits++
		}
		if out := i - s.width; out >= 0 && s.grams[line[out:out+3]] {
			hits--
		}
		if hits > most {
			most, at = hits, i
		}
	}
	if most == 0 {
		return 0, ""
	}
	from := max(0, at+3-max(s.width, mostText*3/4))
	if len(line) <= mostText {
		from = 0
	}
	shorter := min(len(line), mostText) - 2
	return 2 * float64(min(most, len(s.grams))) / float64(len(s.grams)+min(shorter, s.width)), line[from:]
}
