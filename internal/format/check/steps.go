package check

import "github.com/tdewolff/parse/v2/js"

const (
	// mostSteps bounds the parser's work on the scripts of one call. A step is one name in one scope, or eight bytes:
	// 0.35 microseconds at most. Each script costs forty more. Real scripts of 200 KB take 100,000.
	mostSteps = 300_000
	// deepestBrackets is the most brackets of a script that may be open at once. Real scripts have forty.
	deepestBrackets = 200
)

// An open bracket, and the constructs begun in it.
type open struct {
	head         bool // of an if, while, for or with: no value, so that a slash after it begins a regular expression
	arrows, fors int
}

// A meter counts the parser's work in advance. The parser carries each name through all scopes around it, and a sender
// could make as many scopes as there are bytes. So the meter reads the same tokens, and counts each name for each scope
// that may be open: one for each bracket, arrow or for.
type meter struct {
	levels      []open
	scopes      int // arrows and fors that are open
	prev, prev2 js.TokenType
	head        bool // the last closed bracket was such a head
	steps       int  // -1 for more than the parser may take, or if the meaning of a slash is unclear
}

func newMeter(size int) meter { return meter{levels: make([]open, 1, 8), steps: 40 + size/8} }

// count counts one token.
func (m *meter) count(tt js.TokenType) {
	switch tt {
	case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
		return
	}
	if m.steps >= 0 && len(m.levels) > 0 { // else the parser goes no further
		m.token(tt)
	}
	m.prev, m.prev2 = tt, m.prev
}

// token counts one token that is no blank.
func (m *meter) token(tt js.TokenType) {
	last := &m.levels[len(m.levels)-1]
	switch tt {
	case js.OpenParenToken, js.OpenBraceToken, js.OpenBracketToken, js.TemplateStartToken:
		m.levels = append(m.levels, open{head: tt == js.OpenParenToken && m.beforeHead()})
	case js.CloseParenToken, js.CloseBraceToken, js.CloseBracketToken, js.TemplateEndToken:
		m.head, m.scopes = last.head, m.scopes-last.arrows-last.fors
		m.levels = m.levels[:len(m.levels)-1]
	case js.ArrowToken:
		last.arrows++
		m.scopes++
	case js.ForToken:
		last.fors++
		m.scopes++
	case js.CommaToken: // a comma ends an arrow function, but no loop
		m.scopes, last.arrows = m.scopes-last.arrows, 0
	case js.SemicolonToken:
		m.scopes, last.arrows, last.fors = m.scopes-last.arrows-last.fors, 0, 0
	default:
		if js.IsIdentifier(tt) {
			m.steps += len(m.levels) + m.scopes
		}
	}
	if len(m.levels) > deepestBrackets || m.steps > mostSteps {
		m.steps = -1
	}
}

// beforeHead reports whether a parenthesis here would begin the head of a statement.
func (m *meter) beforeHead() bool {
	switch m.prev {
	case js.IfToken, js.WhileToken, js.ForToken, js.WithToken:
		return m.prev2 != js.DotToken && m.prev2 != js.OptChainToken
	case js.AwaitToken:
		return m.prev2 == js.ForToken
	}
	return false
}

// slash reports whether a slash here begins a regular expression, as far as the tokens before it determine that.
func (m *meter) slash() (pattern, known bool) {
	switch m.prev {
	case js.CloseBraceToken, js.AwaitToken, js.YieldToken, js.OfToken:
		return false, false
	case js.CloseParenToken:
		return m.head, true
	case js.CloseBracketToken, js.StringToken, js.TemplateToken, js.TemplateEndToken, js.RegExpToken,
		js.PrivateIdentifierToken, js.IncrToken, js.DecrToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return false, true
	}
	if js.IsNumeric(m.prev) || js.IsIdentifier(m.prev) || m.prev2 == js.DotToken || m.prev2 == js.OptChainToken {
		return false, true
	}
	return true, true
}
