package lure

import (
	"io"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// The kinds of a token of a script.
const (
	none     = iota
	word     // a name or a keyword
	quoted   // a string, with its escapes decoded
	list     // a list of strings
	number   // as it is written
	operator // an operator or a bracket
	pattern  // a regular expression, without its slashes
)

// token is a token of a script, or the strings that several tokens make.
type token struct {
	kind  int
	text  string
	more  *strings.Builder // the strings joined to a string
	texts []string         // of a list
	open  int              // of a closing bracket: where its opening one is
}

// value returns the text of a string.
func (t *token) value() string {
	if t.more != nil {
		return t.more.String()
	}
	return t.text
}

// add joins text to a string.
func (t *token) add(text string) {
	if t.more == nil {
		t.more = &strings.Builder{}
		t.more.WriteString(t.text)
	}
	t.more.WriteString(text)
}

// script reads a script. Its lexer knows no grammar, and goes on behind a text that is no token.
func (l *Look) script(text string, depth int) {
	f := &folder{Look: l, depth: depth, names: map[string]string{}, sums: map[string]*strings.Builder{}}
	l.bait.code += len(text)
	in := parse.NewInputString(text + "\n") // the lexer would read on behind a # at the end
	for lexer := js.NewLexer(in); ; {
		kind, raw := lexer.Next()
		if (kind == js.DivToken || kind == js.DivEqToken) && !f.divides() {
			if kind, raw = lexer.RegExp(); kind == js.ErrorToken && f.spend(len(text)) {
				in.Rewind(1) // a slash without another in its line
				kind, raw = js.DivToken, in.Shift()
			}
		}
		if kind == js.ErrorToken && (lexer.Err() == io.EOF || !f.spend(len(text))) { // each error costs a pass over the text
			break
		}
		if raw == nil {
			raw = in.Shift()
		}
		f.read(kind, string(raw))
	}
	f.push(token{kind: operator, text: ";"})
	f.drop(len(f.stack))
	for _, sum := range f.sums {
		f.examine(sum.String())
	}
	if f.hides {
		f.hidden()
	}
	if f.moves && f.leaves {
		l.bait.redirects = l.bait.redirects || depth == 0
		l.leads()
	}
}

// read adds a token of the lexer. A template is read as strings that are joined with the tokens in its braces.
func (f *folder) read(kind js.TokenType, raw string) {
	switch {
	case raw == "" || kind == js.WhitespaceToken || kind == js.LineTerminatorToken || kind == js.CommentToken || kind == js.CommentLineTerminatorToken:
	case js.IsIdentifierName(kind):
		f.hides = f.hides || strings.HasPrefix(raw, "_0x")
		f.push(token{kind: word, text: unescape(raw)})
	case js.IsNumeric(kind):
		f.push(token{kind: number, text: raw})
	case kind == js.RegExpToken:
		f.push(token{kind: pattern, text: raw[1:strings.LastIndexByte(raw, '/')]})
	case strings.IndexByte("'\"`", raw[0]) >= 0, kind == js.TemplateMiddleToken, kind == js.TemplateEndToken:
		f.part(raw)
	default:
		f.push(token{kind: operator, text: raw})
	}
}

// part adds a string, or a part of a template with its braces. A string that no quote ends, ends with its line.
func (f *folder) part(raw string) {
	if raw[0] == '}' {
		f.push(token{kind: operator, text: ")"})
		f.push(token{kind: operator, text: "+"})
	}
	text, more := raw[1:], false
	if raw[0] == '`' || raw[0] == '}' {
		text, more = strings.CutSuffix(text, "${")
		text = strings.TrimSuffix(text, "`")
	} else {
		text = strings.TrimSuffix(text, raw[:1])
	}
	f.push(token{kind: quoted, text: unescape(text)})
	if more {
		f.push(token{kind: operator, text: "+"})
		f.push(token{kind: operator, text: "("})
	}
}

// keywords are the keywords that a value follows, heads those with a condition in parentheses. They never change.
var (
	keywords = strings.Fields("return typeof case in of do else void delete instanceof new throw await yield")
	heads    = strings.Fields("if while for with")
)

// divides reports whether a slash behind the last token is a division, or belongs to a tag.
func (f *folder) divides() bool {
	t := f.top(0)
	switch {
	case t.kind == word:
		return !slices.Contains(keywords, t.text)
	case t.kind != operator:
		return t.kind != none
	case t.text == ")" && t.open > 0:
		return !slices.Contains(heads, f.stack[t.open-1].text)
	}
	return slices.Contains([]string{")", "]", "<", "++", "--"}, t.text)
}
