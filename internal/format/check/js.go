package check

import (
	"bytes"
	"cmp"
	"unicode/utf8"
)

// scriptFile scans a script that is a file of its own.
func (s *scanner) scriptFile() {
	x := lexer{scanner: s, end: len(s.text), last: -1}
	open := x.run(0)
	f, sure := fault{}, false
	if s.whole {
		f, sure = s.parse(0, len(s.text))
		x.doubtful = x.doubtful || !utf8.Valid(s.text)
	}
	switch {
	case sure && f.atEnd:
		s.cutOff(cmp.Or(open, "in the middle of a statement"))
	case sure && f.says != "":
		s.faults = append(s.faults, f)
	case !sure && open != "" && !x.doubtful && !endsWith(s.text, "};)"):
		s.cutOff(open)
	}
}

// script scans the script of a page between two offsets; ended reports whether its end tag is there.
func (s *scanner) script(from, to int, ended, module bool) {
	defer func() { s.module = place{} }() // the page itself is no module
	x := lexer{scanner: s, end: to, last: -1}
	x.run(from)
	if code := s.text[from:to]; !ended || s.svg || len(s.faults) == mostFaults || bytes.Contains(code, []byte("<!--")) && bytes.Contains(code, []byte("<script")) {
		return // for a browser it ends elsewhere
	}
	f, sure := s.parse(from, to)
	if s.module.line > 0 && !module {
		f = fault{place: s.module, says: `import or export without type="module"`}
	}
	if sure && f.says != "" {
		s.faults = append(s.faults, f)
	}
}

// A lexer separates the strings of a script from its comments, its regular expressions and its code. It knows no
// grammar: when in doubt it goes on, and at worst a reference is missed.
type lexer struct {
	*scanner
	end      int
	braces   int   // open in the current code
	outer    []int // the open braces around each template
	doubtful bool  // whether something is unlike a script
	tried    int   // before this offset a slash begins no regular expression
	last     int   // the end of the last string whose call names a file after it; -1 for none
	after    how   // how the call loads that file
	row      row   // the current list
}

// deepest is the most templates inside each other.
const deepest = 32

// stops are the bytes at which a lexer looks closer.
var stops = [256]bool{'"': true, '\'': true, '`': true, '/': true, '{': true, '}': true}

// run reads on from an offset, and returns the construct that is open at the end: "" for none.
func (x *lexer) run(i int) (open string) {
	t := x.text[:x.end]
	defer x.endList()
	for {
		for i < len(t) && !stops[t[i]] {
			i++
		}
		if i >= len(t) {
			if x.braces > 0 || len(x.outer) > 0 {
				return "inside a block of a script"
			}
			return ""
		}
		switch t[i] {
		case '"', '\'':
			end, closed := endOfString(t, i)
			if closed {
				x.literal(i, end)
				x.element(i, end)
			}
			x.doubtful = x.doubtful || !closed
			i = end + 1
		case '`':
			i = x.template(t, i, i+1)
		case '/':
			from := i
			if i = x.slash(t, i); i != from+1 {
				x.pass(from, i)
			}
		case '{':
			x.braces++
			i++
		case '}':
			if n := len(x.outer); x.braces == 0 && n > 0 {
				x.braces, x.outer = x.outer[n-1], x.outer[:n-1]
				i = x.template(t, -1, i+1)
				break
			}
			x.braces--
			i++
		}
		if i < 0 {
			return "inside a comment or a text of a script"
		}
	}
}

// template scans the text of a template up to its end, or to code in it. start is its beginning, if all of it may be a
// plain string, and otherwise negative. A negative result is the end of the text.
func (x *lexer) template(t []byte, start, i int) (next int) {
	for ; i < len(t); i++ {
		switch t[i] {
		case '`':
			if start >= 0 {
				x.literal(start, i)
				x.element(start, i)
			}
			return i + 1
		case '\\':
			i++
		case '$':
			if at1(t, i+1) != '{' {
				continue
			}
			if t[i-1] == '/' {
				x.facts |= joins
			}
			if len(x.outer) == deepest {
				x.doubtful = true
				return -1
			}
			x.outer, x.braces = append(x.outer, x.braces), 0
			return i + 2
		}
	}
	return -1
}

// slash skips a comment, a regular expression, or a slash alone. A negative result is the end.
func (x *lexer) slash(t []byte, i int) (next int) {
	switch at1(t, i+1) {
	case '/':
		if n := bytes.IndexByte(t[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(t)
	case '*':
		if n := bytes.Index(t[i+2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
		return -1
	}
	if i < x.tried || !beforePattern(t[:i]) {
		return i + 1
	}
	return x.pattern(t, i)
}

// beforePattern reports whether a slash after this code begins a regular expression: after a name, a number or a
// closing parenthesis it divides.
func beforePattern(code []byte) bool {
	code = code[max(0, len(code)-40):]
	code = bytes.TrimRight(code, " \t\r\n")
	if len(code) == 0 {
		return true
	}
	switch c := code[len(code)-1]; {
	case c == ')' || c == ']' || c == '"' || c == '\'' || c == '`' || c == '.':
		return false
	case inName(c):
		switch string(wordBefore(code)) {
		case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "instanceof", "await", "yield":
			return true
		}
		return false
	}
	return true
}

// longestPattern is the longest regular expression, in bytes.
const longestPattern = 2000

// pattern skips a regular expression. If none ends on the line, the slash was a division, and so are all others up to
// the end of that search, so that no byte is searched again and again.
func (x *lexer) pattern(t []byte, i int) (next int) {
	class := false
	most := min(len(t), i+longestPattern)
	for j := i + 1; j < most; j++ {
		switch t[j] {
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			x.tried, x.doubtful = j, true
			return i + 1
		case '/':
			if !class {
				return j + 1
			}
		}
	}
	x.tried, x.doubtful = most, true
	return i + 1
}

// inName reports whether a byte belongs to a name in a script.
func inName(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$'
}

// wordBefore returns the name that code ends with, at most 30 bytes of it.
func wordBefore(code []byte) []byte {
	n := len(code)
	for n > 0 && len(code)-n < 30 && inName(code[n-1]) {
		n--
	}
	return code[n:]
}
