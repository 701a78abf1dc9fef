package lure

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The kinds of a token of a script.
const (
	end      = iota
	word     // a name or a keyword
	quoted   // a string, with its escapes decoded
	number   // in decimal
	operator // an operator or a bracket
	pattern  // a regular expression, without its slashes
)

// token is a token of a script. Comments and spaces are none.
type token struct {
	kind int
	text string
	more *strings.Builder // the strings joined to a string
	open int              // of a closing bracket: where its opening one is
}

// value returns the text of a string.
func (t *token) value() string {
	if t.more != nil {
		return t.more.String()
	}
	return t.text
}

// lexer splits a script into tokens. A template is read as strings that are joined with the tokens in its braces.
type lexer struct {
	text    string
	at      int
	last    token  // decides whether a slash begins a pattern
	heads   []bool // of each open parenthesis: whether it follows if, while, for or with
	shut    bool   // the last parenthesis that closed was such a head
	braces  []bool // of each open brace: whether it is one of a template
	pending []token
}

// longSigns are the keywords of several characters that matter; all others may be read by character.
var longSigns = []string{"===", "!==", "...", "=>", "==", "!=", "+=", "-=", "*=", "/=", "|=", "&=", "++", "--", "<=", ">=", "&&", "||", "??", "?."}

// next returns the next token, or one of the kind end.
func (l *lexer) next() token {
	if len(l.pending) > 0 {
		l.last, l.pending = l.pending[0], l.pending[1:]
		return l.last
	}
	l.last = l.scan()
	return l.last
}

func (l *lexer) scan() token {
	l.skip()
	if l.at >= len(l.text) {
		return token{}
	}
	c := l.text[l.at]
	switch {
	case c == '"' || c == '\'':
		return l.quotes(c)
	case c == '`':
		l.at++
		return l.template()
	case c >= '0' && c <= '9':
		return l.number()
	case inWord(c) || c == '\\':
		return l.word()
	case c == '/' && l.patternMayBegin():
		return l.pattern()
	}
	return l.sign(c)
}

// skip skips spaces and comments.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] <= ' ':
			l.at++
		case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "<!--"):
			l.to(strings.IndexByte(rest, '\n'), 1)
		case strings.HasPrefix(rest, "/*"):
			l.to(strings.Index(rest[2:], "*/"), 4)
		case strings.HasPrefix(rest, "\u00a0"):
			l.at += 2
		case strings.HasPrefix(rest, "\u2028"), strings.HasPrefix(rest, "\u2029"), strings.HasPrefix(rest, "\ufeff"):
			l.at += 3
		default:
			return
		}
	}
}

// to moves on by n and more, or to the end where n is negative.
func (l *lexer) to(n, more int) {
	if n < 0 {
		l.at = len(l.text)
		return
	}
	l.at += n + more
}

func (l *lexer) quotes(quote byte) token {
	from := l.at + 1
	for i := from; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			if i++; strings.HasPrefix(l.text[i:], "\r\n") {
				i++
			}
		case '\n', quote: // a string that no quote ends, ends with its line
			l.at = i + 1
			return token{kind: quoted, text: unescape(l.text[from:i])}
		}
	}
	l.at = len(l.text)
	return token{kind: quoted, text: unescape(l.text[from:])}
}

// template reads a part of a template, up to its end or to a brace.
func (l *lexer) template() token {
	from := l.at
	for i := from; i < len(l.text); i++ {
		switch {
		case l.text[i] == '\\':
			i++
		case l.text[i] == '`':
			l.at = i + 1
			return token{kind: quoted, text: unescape(l.text[from:i])}
		case strings.HasPrefix(l.text[i:], "${"):
			l.at = i + 2
			l.braces = append(l.braces, true)
			l.pending = append(l.pending, token{kind: operator, text: "+"}, token{kind: operator, text: "("})
			return token{kind: quoted, text: unescape(l.text[from:i])}
		}
	}
	l.at = len(l.text)
	return token{kind: quoted, text: unescape(l.text[from:])}
}

func (l *lexer) number() token {
	from := l.at
	for l.at < len(l.text) && (inWord(l.text[l.at]) || l.text[l.at] == '.') {
		l.at++
	}
	text := l.text[from:l.at]
	if n, err := strconv.ParseInt(text, 0, 32); err == nil && len(text) > 1 && text[0] == '0' {
		text = strconv.FormatInt(n, 10)
	}
	return token{kind: number, text: text}
}

func (l *lexer) word() token {
	from := l.at
	for l.at < len(l.text) && (inWord(l.text[l.at]) || l.text[l.at] == '\\' || strings.HasSuffix(l.text[from:l.at], `\u`) || l.inBraces(from)) {
		l.at++
	}
	return token{kind: word, text: unescape(l.text[from:l.at])}
}

// inBraces reports whether the lexer is inside of an escape such as \u{70} of the name that begins at from.
func (l *lexer) inBraces(from int) bool {
	name := l.text[from:l.at]
	return l.text[l.at] == '}' && strings.LastIndex(name, `\u{`) > strings.LastIndexByte(name, '}')
}

func (l *lexer) sign(c byte) token {
	rest := l.text[l.at:]
	for _, s := range longSigns {
		if strings.HasPrefix(rest, s) {
			l.at += len(s)
			return token{kind: operator, text: s}
		}
	}
	l.at++
	switch c {
	case '(':
		l.heads = append(l.heads, l.last.kind == word && isHead(l.last.text))
	case ')':
		l.shut, l.heads = pop(l.heads)
	case '{':
		l.braces = append(l.braces, false)
	case '}':
		var template bool
		if template, l.braces = pop(l.braces); template {
			more := l.template()
			l.pending = append([]token{{kind: operator, text: "+"}, more}, l.pending...)
			return token{kind: operator, text: ")"}
		}
	}
	return token{kind: operator, text: rest[:1]}
}

func isHead(name string) bool {
	return name == "if" || name == "while" || name == "for" || name == "with"
}

func pop(stack []bool) (bool, []bool) {
	if len(stack) == 0 {
		return false, stack
	}
	return stack[len(stack)-1], stack[:len(stack)-1]
}

// patternMayBegin reports whether a slash is not a division.
func (l *lexer) patternMayBegin() bool {
	switch l.last.kind {
	case quoted, number, pattern:
		return false
	case word:
		return keywords[l.last.text]
	case operator:
		return l.last.text != "]" && (l.last.text != ")" || l.shut)
	}
	return true
}

// keywords are the keywords that a value follows. It never changes.
var keywords = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "of": true, "do": true, "else": true, "void": true, "delete": true,
	"instanceof": true, "new": true, "throw": true, "await": true, "yield": true,
}

// pattern reads a regular expression. A slash without another in its line is a division.
func (l *lexer) pattern() token {
	class := false
	for i := l.at + 1; i < len(l.text) && l.text[i] != '\n'; i++ {
		switch c := l.text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			t := token{kind: pattern, text: l.text[l.at+1 : i]}
			for l.at = i + 1; l.at < len(l.text) && inWord(l.text[l.at]); l.at++ {
			}
			return t
		}
	}
	return l.sign('/')
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}
