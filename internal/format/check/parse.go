package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// mostFaults bounds the scripts of one page that are reported.
const mostFaults = 5

// A fault is the place where a script breaks the grammar.
type fault struct {
	place
	says   string // in the words of the parser
	atEnd  bool   // the script ends before it is finished
	markup bool   // it begins like an element, as JSX does
}

// parse finds the syntax error of the script between two offsets. sure is false for a text that is no script, one that
// would cost too much, and one that browsers can read and the parser cannot. steps are those of the meter.
func (s *scanner) parse(from, to, steps int) (f fault, sure bool) {
	code := s.text[from:to:to]
	if !bytes.ContainsAny(code, " ;({") {
		return f, len(bytes.TrimSpace(code)) == 0 // text still in base64 is no script
	}
	isJSON := bytes.HasPrefix(bytes.TrimSpace(code), []byte("{")) && json.Valid(code)
	if len(code) > Sample || !utf8.Valid(code) || bytes.IndexByte(code, 0) >= 0 || isJSON {
		return f, false
	}
	if steps < 0 || steps > mostSteps-*s.steps {
		return f, false
	}
	*s.steps += steps
	code = withoutAttributes(code)
	ast, err := js.Parse(input(code), js.Options{})
	var e *parse.Error
	if !errors.As(err, &e) {
		if n := moduleAt(ast, code); n >= 0 && s.module.line == 0 {
			s.module = s.anywhere(from + n)
		}
		return f, err == nil
	}
	off := offsetOf(code, e.Line, e.Column)
	f = fault{s.anywhere(from + off), e.Message, endsEarly(e.Message, code[off:]), strings.HasPrefix(e.Message, "unexpected <")}
	return f, !doubted(e.Message, code[:off], code[off:])
}

// attributes are those of an import, which give its type.
var attributes = regexp.MustCompile(`(?:from|import)\s*(?:"[^"\n]*"|'[^'\n]*')\s*with\s*\{[^{}]*\}`)

// withoutAttributes returns code with blanks in place of the attributes of imports, which the parser does not know.
func withoutAttributes(code []byte) []byte {
	if !bytes.Contains(code, []byte("with")) {
		return code
	}
	return attributes.ReplaceAllFunc(code, func(found []byte) []byte {
		found = bytes.Clone(found)
		for i := bytes.LastIndex(found, []byte("with")); i < len(found); i++ {
			if found[i] != '\n' {
				found[i] = ' '
			}
		}
		return found
	})
}

// offsetOf returns the offset of a line and a column of the parser, which counts characters.
func offsetOf(code []byte, line, col int) (off int) {
	for ; line > 1 && off < len(code); line-- {
		n := bytes.IndexAny(code[off:], "\n\r\u2028\u2029")
		if n < 0 {
			break
		}
		_, size := utf8.DecodeRune(code[off+n:])
		if bytes.HasPrefix(code[off+n:], []byte("\r\n")) {
			size = 2
		}
		off += n + size
	}
	for ; col > 1 && off < len(code); col-- {
		_, size := utf8.DecodeRune(code[off:])
		off += size
	}
	return off
}

// endsEarly reports whether the code ends at the parser's error, or before the end that it expects.
func endsEarly(message string, rest []byte) bool {
	switch {
	case strings.HasPrefix(message, "unterminated template literal"):
		return true
	case strings.HasPrefix(message, "unterminated string literal"), strings.HasPrefix(message, "unexpected EOF or newline"):
		return bytes.IndexByte(bytes.TrimRight(rest, " \t\r\n"), '\n') < 0
	}
	return strings.Contains(message, "EOF")
}

// ownErrors are messages of errors that may be the parser's own.
var ownErrors = regexp.MustCompile("too many nested|legacy octal|unexpected @| in with statement|unexpected function in statement|" +
	"unexpected in in |unexpected await|unexpected yield|unexpected let|instead of source|instead of defer")

// doubted reports whether an error may be the parser's own: syntax that only classic scripts may use, limits of the
// parser, and syntax newer than it.
func doubted(message string, before, rest []byte) bool {
	if ownErrors.MatchString(message) {
		return true
	}
	code := bytes.TrimRight(before, " \t\r\n")
	begins := len(rest) > 0 && strings.IndexByte("[(`", rest[0]) >= 0
	if begins && bytes.HasSuffix(code, []byte("}")) && bytes.IndexByte(before[len(code):], '\n') >= 0 {
		return true // an arrow function ends with the line
	}
	switch string(wordBefore(code)) {
	case "using", "defer", "source", "accessor", "assert":
		return true
	}
	return false
}

// relevant returns the faults of a file that are worth reporting: a script that another program reads may not be
// JavaScript.
func (f *finder) relevant(l *Look) []fault {
	if l.kind == script && len(l.faults) > 0 && (f.any(translates) || !f.All && l.faults[0].markup) {
		return nil
	}
	return l.faults
}
