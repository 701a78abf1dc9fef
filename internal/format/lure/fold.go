package lure

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// window is the most tokens of a script that a folder remembers.
const window = 1 << 13

// A folder reads a script token by token, and puts together its strings: those joined, decoded, reversed or built from
// character codes becomes one string on its stack.
type folder struct {
	*Look
	depth int
	stack []token
	gone  int               // tokens that are forgotten
	opens []int             // the places of open brackets
	names map[string]string // strings that variables hold
	sums  map[string]*strings.Builder
	all   []string // short strings, where an obfuscator wrote the script
	hides bool     // an obfuscator wrote the script
}

// script reads a script.
func (l *Look) script(text string, depth int) {
	f := &folder{Look: l, depth: depth, names: map[string]string{}, sums: map[string]*strings.Builder{}}
	x := &lexer{text: text}
	for t := x.next(); t.kind != end; t = x.next() {
		f.push(t)
	}
	f.push(token{kind: operator, text: ";"})
	f.drop(len(f.stack))
	for _, sum := range f.sums {
		f.examine(sum.String())
	}
	if f.hides {
		f.hidden()
	}
}

// top returns the token at that distance from the top of the stack, or one of the kind end.
func (f *folder) top(i int) *token {
	if i < 0 || i >= len(f.stack) {
		return &token{}
	}
	return &f.stack[len(f.stack)-1-i]
}

// is reports whether the token at that distance from the top is an operator or a word with that text.
func (f *folder) is(i int, text string) bool {
	t := f.top(i)
	return t.kind != quoted && t.text == text
}

func (f *folder) push(t token) {
	f.settle(&t)
	if len(f.stack) >= window {
		f.drop(window / 2)
	}
	if t.kind == operator {
		switch t.text {
		case "(", "[", "{":
			f.opens = append(f.opens, f.gone+len(f.stack))
		case ")", "]", "}":
			t.open = f.close()
		}
	}
	f.hides = f.hides || t.kind == word && strings.HasPrefix(t.text, "_0x")
	f.stack = append(f.stack, t)
	if t.kind == operator && t.open >= 0 {
		switch t.text {
		case ")":
			f.call(len(f.stack) - 1 - t.open)
		case "]":
			f.list(len(f.stack) - 1 - t.open)
		}
	}
}

// close returns the place of the innermost open bracket in the stack, or a negative number where that is forgotten.
func (f *folder) close() int {
	if len(f.opens) == 0 {
		return -1
	}
	open := f.opens[len(f.opens)-1] - f.gone
	f.opens = f.opens[:len(f.opens)-1]
	return open
}

// drop examines and forgets the first n tokens.
func (f *folder) drop(n int) {
	for i := range f.stack[:n] {
		if t := &f.stack[i]; t.kind == quoted {
			f.examine(t.value())
		}
	}
	f.stack = f.stack[:copy(f.stack, f.stack[n:])]
	f.gone += n
	for i := range f.stack {
		f.stack[i].open -= n
	}
}

// settle ends the value at the top of the stack, which t follows.
func (f *folder) settle(t *token) {
	f.resolve(t)
	if t.text == "=>" && t.kind == operator {
		f.forgetParameters()
	}
	if f.top(0).kind != quoted {
		if f.is(1, "=") && f.top(2).kind == word && t.text != "." {
			delete(f.names, f.top(2).text)
		}
		return
	}
	if t.kind == operator && (t.text == "." || t.text == "[" || t.text == "?.") {
		return
	}
	f.join()
	if t.kind != operator || t.text != "+" {
		f.value()
	}
}

// resolve replaces a variable at the top of the stack by the string that it holds.
func (f *folder) resolve(t *token) {
	top := f.top(0)
	text, known := f.names[top.text]
	if !known || top.kind != word || f.is(1, ".") || f.is(1, "?.") || t.kind == word || t.kind == quoted {
		return
	}
	switch t.text {
	case "=", ":", "(", "=>", "+=", "++", "--":
		return
	}
	if f.spend(len(text)) {
		*top = token{kind: quoted, text: text}
	}
}

// forgetParameters forgets the variables that have the names of the parameters of a function.
func (f *folder) forgetParameters() {
	from := len(f.stack) - 1
	if f.is(0, ")") {
		from = f.top(0).open
	}
	for i := max(from, 0); i < len(f.stack); i++ {
		if f.stack[i].kind == word {
			delete(f.names, f.stack[i].text)
		}
	}
}

// join joins the string at the top of the stack to the one before it, also over the tokens between them.
func (f *folder) join() {
	if !f.is(1, "+") {
		return
	}
	at := 2
	for f.top(at).kind != quoted {
		t := f.top(at)
		switch {
		case at > 48 || t.kind == end || t.kind == operator && (strings.Contains("([{,;=:?", t.text) || t.text == "=>" || t.text == "+="):
			return
		case t.kind == operator && (t.text == ")" || t.text == "]"):
			if t.open < 0 {
				return
			}
			at = len(f.stack) - t.open
		default:
			at++
		}
	}
	left, right := f.top(at), f.top(0).value()
	if !f.spend(len(right)) {
		return
	}
	for i := 1; i < at; i++ {
		if t := f.top(i); t.kind == quoted {
			f.examine(t.value())
		}
	}
	left.add(right)
	f.stack = f.stack[:len(f.stack)-at]
}

// add joins text to a string.
func (t *token) add(text string) {
	if t.more == nil {
		t.more = &strings.Builder{}
		t.more.WriteString(t.text)
	}
	t.more.WriteString(text)
}

// replace puts a string in the place of the last n tokens.
func (f *folder) replace(n int, text string) {
	f.stack = append(f.stack[:len(f.stack)-n], token{kind: quoted, text: text})
}

// list reduces the list of n elements, commas and brackets at the top of the stack.
func (f *folder) list(n int) {
	inner := f.stack[len(f.stack)-n : len(f.stack)-1]
	before := f.top(n + 1)
	member := before.kind == quoted || before.kind == word && !keywords[before.text] || before.kind == operator && (before.text == ")" || before.text == "]")
	if member && len(inner) == 1 && inner[0].kind == quoted {
		name := strings.TrimSpace(inner[0].value())
		f.stack = append(f.stack[:len(f.stack)-n-1], token{kind: operator, text: "."}, token{kind: word, text: name})
		return
	}
	if text, ok := codes(inner); ok && len(inner) > 6 && !member && readable(text) {
		f.replace(n+1, text)
		return
	}
	if texts, ok := strs(inner); ok && len(texts) > 1 {
		if joined := strings.Join(texts, ""); strings.Contains(joined, "<") && f.spend(len(joined)) {
			f.examine(joined)
		}
	}
}

// codes returns the text of a list of character codes, or of the bytes of UTF-8.
func codes(list []token) (string, bool) {
	var b strings.Builder
	var octets []byte
	for i, t := range list {
		n, err := strconv.ParseInt(t.text, 10, 32)
		switch {
		case i%2 == 1 && t.kind == operator && t.text == ",":
		case i%2 == 0 && t.kind == number && err == nil:
			b.WriteRune(rune(n))
			if n <= 0xff {
				octets = append(octets, byte(n))
			}
		default:
			return "", false
		}
	}
	if len(octets) == (len(list)+1)/2 && utf8.Valid(octets) {
		return string(octets), len(list) > 0
	}
	return b.String(), len(list) > 0
}

// strs returns the elements of a list of strings.
func strs(list []token) ([]string, bool) {
	texts := make([]string, 0, len(list)/2+1)
	for i, t := range list {
		switch {
		case i%2 == 1 && t.kind == operator && t.text == ",":
		case i%2 == 0 && t.kind == quoted:
			texts = append(texts, t.value())
		default:
			return nil, false
		}
	}
	return texts, true
}
