package check

import (
	"bytes"
	"path"
	"strings"
)

// styleFile scans a style sheet that is a file of its own.
func (s *scanner) styleFile() {
	if depth := s.styles(0, len(s.text)); depth > 0 && !endsWith(s.text, "};") {
		s.cutOff("inside a rule")
	}
}

// endsWith reports whether the last byte that is no blank is one of chars.
func endsWith(text []byte, chars string) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && bytes.IndexByte([]byte(chars), text[len(text)-1]) >= 0
}

// inlineStyle keeps the references in the style of an element.
func (s *scanner) inlineStyle(style []byte, at int) {
	inner := scanner{Look: &Look{}, text: style, line: 1}
	inner.styles(0, len(style))
	for _, r := range inner.refs {
		s.ref(loads, []byte(r.to), at)
	}
}

// styleStops are the bytes at which the scan of a style looks closer.
var styleStops = [256]bool{'"': true, '\'': true, '/': true, '(': true, '@': true, '{': true, '}': true}

// styles keeps the references in the styles between two offsets, and returns how many braces are open at their end.
func (s *scanner) styles(from, to int) (depth int) {
	t := s.text[:to]
	for i := from; i < to; i++ {
		if !styleStops[t[i]] {
			continue
		}
		switch t[i] {
		case '"', '\'':
			i, _ = endOfString(t, i)
		case '/':
			if at1(t, i+1) == '*' {
				n := bytes.Index(t[i+2:], []byte("*/"))
				if n < 0 {
					return depth
				}
				i += n + 3
			}
		case '(':
			if i-from >= 3 && foldedIs(t[i-3:i], "url") {
				i = s.styleURL(t, i+1)
			}
		case '@':
			if i+7 < to && foldedIs(t[i:i+7], "@import") {
				i = s.styleImport(t, i+7)
			}
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	return depth
}

// styleURL keeps the content of url(...), from after the parenthesis, and returns its last offset.
func (s *scanner) styleURL(t []byte, i int) int {
	i, quoted := s.styleString(t, i)
	if quoted {
		return i
	}
	n := bytes.IndexByte(t[i:], ')')
	if n < 0 {
		return len(t)
	}
	s.styleRef(t[i:i+n], i)
	return i + n
}

// styleImport keeps the string after @import; url() is handled by itself.
func (s *scanner) styleImport(t []byte, i int) int {
	i, quoted := s.styleString(t, i)
	if quoted {
		return i
	}
	return i - 1
}

// styleString keeps the string that comes next, and returns its last offset. Without a string it returns the offset of
// the next byte that is no blank.
func (s *scanner) styleString(t []byte, i int) (at int, quoted bool) {
	for i < len(t) && t[i] <= ' ' {
		i++
	}
	if c := at1(t, i); c != '"' && c != '\'' {
		return i, false
	}
	end, closed := endOfString(t, i)
	if closed {
		s.styleRef(t[i+1:end], i)
	}
	return end, true
}

// styleRef keeps a reference of a style, except for fonts of Internet Explorer, and for files of large libraries that
// few pages use.
func (s *scanner) styleRef(value []byte, at int) {
	if len(value) <= longestRef && !bytes.Contains(value, []byte(".eot")) && !libraryStyle(s.Look) {
		s.ref(loads, value, at)
	}
}

// libraryStyle reports whether a file is the style of such a library, by its name.
func libraryStyle(l *Look) bool {
	base := strings.ToLower(path.Base(l.name))
	for _, name := range []string{"bootstrap", "foundation", "jquery-ui", "jquery.mobile"} {
		if strings.HasPrefix(base, name) {
			return true
		}
	}
	return false
}

// endOfString returns the end of the string that begins at i, and whether it was closed. The end of the line or of the
// text ends it, too.
func endOfString(t []byte, i int) (end int, closed bool) {
	quote := t[i]
	for i++; i < len(t); i++ {
		switch t[i] {
		case quote:
			return i, true
		case '\\':
			i++
		case '\n':
			return i, false
		}
	}
	return len(t), false
}
