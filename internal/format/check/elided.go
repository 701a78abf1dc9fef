package check

import (
	"bytes"
	"regexp"
)

const (
	// mostElisions is how many comments of a file are checked closely.
	mostElisions = 50
	// longestElision is the most bytes of such a comment.
	longestElision = 160
)

// anElision is a comment that stands for omitted code: "... existing code ...", "rest of the code remains the same".
var anElision = regexp.MustCompile(`(?i)^\s*(?://+|/\*+|<!--|\{/\*)\s*[\[(]?\s*(?:(?:\.\.\.|…)\s*[\[(]?` +
	`(?:(?:the|all|your|other|keep)\s+)*(?:existing|rest|remaining|previous|unchanged|same|other)\b.*|` +
	`(?:the\s+)?(?:(?:rest|remainder)(?:\s+of\s+(?:the|your)?\s*\w+)?|` +
	`(?:existing|remaining|previous|other)\s+(?:code|functions?|methods?|styles?|css|html|markup|scripts?|content))\s+` +
	`(?:\w+\s+)?(?:unchanged|the same|same as before|as before|omitted)\b.*)$`)

// elision checks the line of a word that such comments contain.
func (s *scanner) elision(at int) {
	if s.elisions++; s.elisions > mostElisions || s.elided.line > 0 {
		return
	}
	from := max(bytes.LastIndexByte(s.text[max(0, at-longestElision):at], '\n')+1+max(0, at-longestElision), 0)
	line := s.text[from:min(len(s.text), at+longestElision)]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if anElision.Match(line) {
		s.elided = s.anywhere(from)
	}
}
