package check

import (
	"bytes"
	"cmp"
	"io"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// scriptFile scans a script that is a file of its own.
func (s *scanner) scriptFile() {
	x := lexer{scanner: s, end: len(s.text)}
	open := x.run(0)
	f, sure := fault{}, false
	if s.whole {
		f, sure = s.parse(0, len(s.text), x.meter.steps)
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
	code := s.text[from:to]
	if len(bytes.TrimSpace(code)) == 0 {
		return
	}
	defer func() { s.module = place{} }() // the page itself is no module
	x := lexer{scanner: s, end: to}
	x.run(from)
	elsewhere := bytes.Contains(code, []byte("<!--")) && bytes.Contains(code, []byte("<script")) // for a browser it ends there
	if !ended || s.svg || len(s.faults) == mostFaults || elsewhere {
		return
	}
	f, sure := s.parse(from, to, x.meter.steps)
	if s.module.line > 0 && !module {
		f = fault{place: s.module, says: `import or export without type="module"`}
	}
	if sure && f.says != "" {
		s.faults = append(s.faults, f)
	}
}

// A lexer goes through the tokens of a script for its strings, and counts the parser's work. It knows no grammar: when
// in doubt it goes on, and at worst a reference is missed.
type lexer struct {
	*scanner
	meter    meter
	end      int
	braces   int  // open, those of templates included
	doubtful bool // whether something is unlike a script
	last     int  // the end of the last string whose call names a file after it; -1 for none
	after    how  // how the call loads that file
	row      row  // the current list
}

// mostErrors is how many errors of the lexer are passed over: each costs a pass over the script, for its place.
const mostErrors = 5

// run reads on from an offset, and returns the construct that is open at the end: "" for none.
func (x *lexer) run(begin int) (open string) {
	in := input(x.text[begin:x.end])
	lex := js.NewLexer(in)
	x.last, x.meter = -1, newMeter(x.end-begin)
	defer x.endList()
	for errors := 0; errors < mostErrors; {
		kind, text := lex.Next()
		if kind == js.DivToken || kind == js.DivEqToken {
			pattern, known := x.meter.slash()
			if !known {
				x.doubtful, x.meter.steps = true, -1
			}
			if pattern {
				kind, text = lex.RegExp()
			}
		}
		to := begin + in.Offset()
		from := to - len(text)
		switch kind {
		case js.ErrorToken:
			switch {
			case lex.Err() == io.EOF && x.braces > 0:
				return "inside a block of a script"
			case lex.Err() == io.EOF:
				return ""
			case to == x.end && (text == nil || text[0] == '`' || text[0] == '}'):
				return "inside a comment or a text of a script"
			}
			x.doubtful = true
			errors++
		case js.StringToken, js.TemplateToken:
			x.literal(from, to-1)
			x.element(from, to-1)
		case js.CommentToken, js.CommentLineTerminatorToken, js.RegExpToken:
			x.pass(from, to)
		case js.OpenBraceToken, js.TemplateStartToken:
			x.braces++
		case js.CloseBraceToken, js.TemplateEndToken:
			x.braces--
		}
		if bytes.HasSuffix(text, []byte("/${")) {
			x.facts |= joins
		}
		x.meter.count(kind)
	}
	return ""
}

// input returns code for the lexer, which would read on behind a # at the end.
func input(code []byte) *parse.Input {
	code = code[:len(code):len(code)]
	if bytes.HasSuffix(code, []byte("#")) {
		code = append(code, '\n')
	}
	return parse.NewInputBytes(code)
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
