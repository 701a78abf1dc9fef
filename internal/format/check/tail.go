package check

import "bytes"

// Unended reports whether a page is longer than the part that was read, so that End must check whether it was cut off.
func (l *Look) Unended() bool { return l != nil && l.kind == page && l.document && !l.whole }

// End checks the last bytes of such a page, at most Tail. The middle stays unread: the state at the end follows from
// the last end tag that no script can hold by chance, or, without one, from the last character.
func (l *Look) End(tail []byte) {
	tail = tail[max(len(tail)-Tail, 0):]
	from, closed := lastEnd(tail)
	text := bytes.TrimSpace(tail[bytes.LastIndexByte(tail, '>')+1:])
	if from < 0 {
		if len(text) > 0 {
			l.cut = "inside a script, a style or a tag"
		}
		return
	}
	rest := scanner{Look: &Look{kind: page, whole: true}, text: tail[from:], line: 1}
	rest.page()
	if l.cut = rest.cut; l.cut == "" && l.body && !closed && len(text) > 0 {
		l.cut = "in the middle of the text of the page"
	}
}

// lastEnd returns the beginning of the last end tag of a script, a style, the body or the document, -1 for none, and
// reports whether the body or the document ends anywhere.
func lastEnd(text []byte) (at int, closed bool) {
	at = -1
	for i := 0; ; {
		n := bytes.Index(text[i:], []byte("</"))
		if n < 0 {
			return at, closed
		}
		i += n
		for _, name := range []string{"script", "style", "body", "html"} {
			if name := []byte(name); bytes.EqualFold(text[i+2:min(len(text), i+2+len(name))], name) {
				at, closed = i, closed || len(name) == 4
			}
		}
		i += 2
	}
}
