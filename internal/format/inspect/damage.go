package inspect

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// TailSize is the number of bytes kept from a file's end, to find text behind a page.
const TailSize = 1 << 10

// Damage holds the probable kinds of damage to a text on its way from its author: one bit for each.
type Damage uint8

const (
	diff      Damage = 1 << iota // it is a list of changes
	fenced                       // it stands in the fences of Markdown, or has a closing one
	conflict                     // it has both sides of a merge
	pageProse                    // as a page it has words around it
	codeProse                    // as a script it begins with words
	escaped                      // line feeds and quotes are written as \n and \"
)

// Each is matched against some hundred bytes of a file, in linear time.
var (
	aDiff = regexp.MustCompile(`(?m)\A\s*(?:diff --git \S|\*\*\* Begin Patch|@@ -\d+(?:,\d+)? \+\d)|` +
		`^--- \S[^\n]*\n\+\+\+ \S[^\n]*\n@@ -\d`)
	words    = regexp.MustCompile(`\pL[\pL'’]*(?:[,.:!?]? +|[,.:!?]?\s*\z)`)
	sentence = regexp.MustCompile(`\A\s*(\pL[\pL'’]*,?(?: [\pL'’]+,?){3,})[^;={}()\n]*(?:\n|\z)`)
	keyword  = regexp.MustCompile(`\b(?:as|async|await|case|class|const|default|delete|do|else|export|extends|from|function|get|if|` +
		`import|in|instanceof|let|new|of|return|set|static|throw|typeof|using|var|void|yield)\b`)
	aDocument = regexp.MustCompile(`\A(?i:!doctype|html[> ])`) // after the first <
	literal   = regexp.MustCompile(`[;{}>]\\[nr]|[=(: ]\\\z`)
)

const (
	// early is how far from the beginning a list of changes, or the code after words, may start, in bytes.
	early = 500
	// mostFeeds is the most line feeds of a text whose line feeds are written as \n.
	mostFeeds = 1
)

// DamageOf detects damage in the first and the last bytes of a text.
func DamageOf(head, tail []byte) (d Damage) {
	first := head[:min(len(head), early)]
	if isDiff(first) {
		d |= diff
	}
	if isConflict(head) {
		d |= conflict
	}
	if isFence(first) || endsInFence(tail) {
		d |= fenced
	}
	if before, from, _ := bytes.Cut(first, []byte("<")); aDocument.Match(from) && bytes.IndexByte(before, '{') < 0 && hasWords(before, 3) {
		d |= pageProse
	}
	if said := sentence.FindSubmatch(first); said != nil && !keyword.Match(said[1]) {
		d |= codeProse
	}
	if i := max(lastOf(tail, "</html>"), lastOf(tail, "</HTML>")); i >= 0 {
		switch rest := tail[i+len("</html>"):]; {
		case isFence(rest):
			d |= fenced
		case bytes.IndexByte(rest, '<') < 0 && hasWords(rest, 4):
			d |= pageProse
		}
	}
	if bytes.Count(head, []byte("\n")) <= mostFeeds && bytes.Count(head, []byte(`\n`)) >= 3 && literal.Match(beforeQuote(head)) {
		d |= escaped
	}
	return d
}

// isDiff reports whether a text begins with a list of changes. The pattern alone takes 20 us.
func isDiff(first []byte) bool {
	for _, mark := range []string{"@@ -", "diff --git ", "*** Begin Patch"} {
		if bytes.Contains(first, []byte(mark)) {
			return aDiff.Match(first)
		}
	}
	return false
}

// lastOf returns the last index of a text that is seldom there, or -1. Searches forward are much faster.
func lastOf(b []byte, text string) int {
	if !bytes.Contains(b, []byte(text)) {
		return -1
	}
	return bytes.LastIndex(b, []byte(text))
}

// isConflict reports whether the three marks of a merge stand at the beginnings of lines.
func isConflict(head []byte) bool {
	for _, mark := range []string{"<<<<<<< ", "=======", ">>>>>>> "} {
		i := bytes.Index(head, []byte(mark))
		if i < 0 || i > 0 && head[i-1] != '\n' {
			return false
		}
		head = head[i:]
	}
	return true
}

// isFence reports whether a text begins with a fence of Markdown.
func isFence(text []byte) bool {
	text = bytes.TrimSpace(text)
	return bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~"))
}

// endsInFence reports whether the last line of a text is a fence.
func endsInFence(tail []byte) bool {
	tail = bytes.TrimSpace(tail)
	last := bytes.TrimSpace(tail[bytes.LastIndexByte(tail, '\n')+1:])
	return string(last) == "```" || string(last) == "~~~"
}

// hasWords reports whether a text has at least n words.
func hasWords(text []byte, n int) bool {
	text = bytes.TrimSpace(text)
	return len(text) >= 2*n && len(words.FindAll(text, n)) == n
}

// beforeQuote returns the code before the first string: the part that is certainly no string.
func beforeQuote(code []byte) []byte {
	if i := bytes.IndexAny(code, "\"'`"); i >= 0 {
		return code[:i]
	}
	return code
}

// damages describe each kind of damage, the worst first, and its remedy.
var damages = []struct {
	bit           Damage
	what, instead string
}{
	{diff, "a list of changes (a diff), not the file that they make", "Apply the changes, and send the whole file."},
	{conflict, "both sides of a merge, with the marks between them", "Choose one side, and send the whole file."},
	{fenced, "a text in the fences of Markdown (```)", sendBetween},
	{pageProse, "a page with words around it, which visitors would read", "Send the document alone, from <!doctype html> to </html>."},
	{codeProse, "words, and perhaps code behind them", "Send the code alone."},
}

// Damaged describes the damage to a page, script, style or data of that name; false for other files, and for text that
// may be intended.
func (d Damage) Damaged(filename string) (Seems, bool) {
	switch strings.ToLower(path.Ext(filename)) {
	case ".html", ".htm":
		d &^= codeProse
	case ".js", ".mjs", ".json":
		d &^= pageProse
	case ".css":
		d &^= pageProse | codeProse
	default:
		return Seems{}, false
	}
	for _, of := range damages {
		if d&of.bit != 0 {
			return Seems{of.what, of.instead}, true
		}
	}
	return Seems{}, false
}

// Escaped reports whether such a file was written as the inside of a string.
func (d Damage) Escaped(filename string) bool {
	switch strings.ToLower(path.Ext(filename)) {
	case ".html", ".htm", ".js", ".mjs", ".json", ".css", ".svg":
		return d&escaped != 0
	}
	return false
}
