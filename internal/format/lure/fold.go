package lure

import (
	"slices"
	"strings"
)

// window is the most tokens of a script that a folder remembers.
const window = 1 << 13

// A folder puts together the strings of a script: those joined, decoded, reversed or built from character codes become one
// string on its stack.
type folder struct {
	*Look
	depth         int
	stack         []token
	gone          int               // tokens that are forgotten
	opens         []int             // the places of open brackets
	names         map[string]string // strings that variables hold
	sums          map[string]*strings.Builder
	all           []string // short strings
	hides         bool     // an obfuscator wrote the script
	moves, leaves bool     // it goes to an address; it has one elsewhere
}

// top returns the token at that distance from the top of the stack, or one of the kind none.
func (f *folder) top(i int) *token {
	f.steps++
	if i < 0 || i >= len(f.stack) {
		return &token{}
	}
	return &f.stack[len(f.stack)-1-i]
}

// is reports whether the token at that distance from the top is an operator or a word with that text.
func (f *folder) is(i int, text string) bool {
	t := f.top(i)
	return t.text == text && (t.kind == operator || t.kind == word)
}

func (f *folder) push(t token) {
	f.settle(&t)
	if len(f.stack) >= window {
		f.drop(window / 2)
	}
	if t.kind != operator {
		f.stack = append(f.stack, t)
		return
	}
	f.moves = f.moves || f.goes(t.text)
	switch t.text {
	case "(", "[", "{":
		f.opens = append(f.opens, f.gone+len(f.stack))
	case ")", "]", "}":
		t.open = -1
		if n := len(f.opens) - 1; n >= 0 {
			t.open, f.opens = f.opens[n]-f.gone, f.opens[:n]
		}
	}
	f.stack = append(f.stack, t)
	if n := len(f.stack) - 1 - t.open; t.open >= 0 && t.text == ")" {
		f.call(n)
	} else if t.open >= 0 && t.text == "]" {
		f.list(n)
	}
}

// goes reports whether a script goes to an address by an operator behind the top of the stack.
func (f *folder) goes(operator string) bool {
	switch operator {
	case "=":
		return f.is(0, "location") || f.is(0, "href") && f.is(2, "location")
	case "(":
		return (f.is(0, "replace") || f.is(0, "assign")) && f.is(2, "location") || f.is(0, "open") && (!f.is(1, ".") || f.is(2, "window"))
	}
	return false
}

// drop examines and forgets the first n tokens.
func (f *folder) drop(n int) {
	for i := range f.stack[:n] {
		switch t := &f.stack[i]; t.kind {
		case quoted:
			f.examine(t.value())
		case list:
			for _, text := range t.texts {
				f.examine(text)
			}
			if joined := strings.Join(t.texts, ""); f.spend(len(joined)) {
				f.examine(joined)
			}
		}
	}
	f.stack = f.stack[:copy(f.stack, f.stack[n:])]
	f.gone += n
	for i := range f.stack {
		f.stack[i].open -= n
	}
}

// cut puts other tokens in the place of the last n.
func (f *folder) cut(n int, with ...token) { f.stack = append(f.stack[:len(f.stack)-n], with...) }

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
	if known && t.kind == operator && t.text == "+=" {
		f.sum(top.text)
	}
	if !known || top.kind != word || f.is(1, ".") || f.is(1, "?.") || t.kind != operator ||
		slices.Contains([]string{"=", ":", "(", "=>", "+=", "++", "--"}, t.text) {
		return
	}
	if f.spend(len(text)) {
		*top = token{kind: quoted, text: text}
	}
}

// mostBack bounds how far a folder looks back.
const mostBack = 64

// forgetParameters forgets the variables that have the names of the parameters of a function.
func (f *folder) forgetParameters() {
	n := 1
	if f.is(0, ")") {
		n = len(f.stack) - f.top(0).open
	}
	for i := range min(n, mostBack) {
		delete(f.names, f.top(i).text)
	}
}

// ends are the operators over which no strings are joined. It never changes.
var ends = strings.Fields("( [ { , ; = : ? => +=")

// join joins the string at the top of the stack to the one before it, also over the tokens between them.
func (f *folder) join() {
	if !f.is(1, "+") {
		return
	}
	at := 2
	for f.top(at).kind != quoted {
		t := f.top(at)
		switch {
		case at > mostBack || t.kind == none || t.kind == operator && slices.Contains(ends, t.text):
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
	if right := f.top(0).value(); f.spend(len(right)) {
		for i := 1; i < min(at, mostBack); i++ {
			if t := f.top(i); t.kind == quoted {
				f.examine(t.value())
			}
		}
		f.top(at).add(right)
		f.cut(at)
	}
}
