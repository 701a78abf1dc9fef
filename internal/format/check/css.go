package check

import (
	"bytes"
	"path"
	"regexp"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
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

// styles keeps the references in the styles between two offsets, and returns how many braces are open at their end.
func (s *scanner) styles(from, to int) (depth int) {
	lex := css.NewLexer(parse.NewInputBytes(s.text[from:to:to]))
	loads := false // the next string is loaded
	for at := from; ; {
		kind, text := lex.Next()
		switch kind {
		case css.ErrorToken:
			return depth
		case css.LeftBraceToken:
			depth++
		case css.RightBraceToken:
			depth--
		case css.URLToken:
			value := bytes.TrimSpace(text[len("url(") : len(text)-len(")")])
			s.styleRef(bytes.Trim(value, `"'`), at+len("url("))
		case css.StringToken:
			if loads {
				s.styleRef(text[1:len(text)-1], at)
			}
		}
		if kind != css.WhitespaceToken && kind != css.CommentToken {
			loads = kind == css.AtKeywordToken && bytes.EqualFold(text, []byte("@import"))
		}
		at += len(text)
	}
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
	return aLibrary.MatchString(path.Base(l.name))
}

var aLibrary = regexp.MustCompile("^(?i:bootstrap|foundation|jquery-ui|jquery[.]mobile)")
