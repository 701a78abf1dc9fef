package lure

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// call reduces a call, or an expression in parentheses, that ends at the top of the stack: n tokens are behind the opening one.
func (f *folder) call(n int) {
	inner, name := f.stack[len(f.stack)-n:len(f.stack)-1], f.top(n+1)
	switch {
	case f.is(n+1, "}") && len(inner) > 6 && inner[6].kind == list:
		f.packed(inner)
		return
	case name.kind != word || slices.Contains(keywords, name.text):
		if len(inner) == 1 && (inner[0].kind == quoted || inner[0].kind == list) {
			f.cut(n+1, inner[0])
		}
		return
	case name.text == "function" || f.is(n+2, "function"):
		f.forgetParameters()
		return
	}
	all, of := n+2, f.top(n+3)
	if !f.is(all, ".") {
		of = &token{}
	} else if of.kind == quoted || of.kind == list {
		all += 2
	} else {
		for f.is(all, ".") && f.top(all+1).kind == word && all < n+mostBack {
			all += 2
		}
	}
	if name.text == "write" && of.text == "document" && f.bait.writes == "" && len(inner) > 0 && inner[0].kind != quoted {
		f.bait.writes = f.current
	}
	if t, ok := f.result(name.text, of, inner); ok {
		f.cut(all, t)
	}
}

// result returns the string or the list that a function, or a method of such a value, returns.
func (f *folder) result(name string, of *token, inner []token) (t token, ok bool) {
	last := token{}
	if len(inner) > 0 {
		last = inner[len(inner)-1]
	}
	switch name {
	case "atob", "unescape", "decodeURI", "decodeURIComponent":
		if plain, ok := reveal(last.value()); ok && len(inner) == 1 && last.kind == quoted && f.spend(len(plain)) {
			return token{kind: quoted, text: plain}, true
		}
		return last, len(inner) == 1 && last.kind == quoted
	case "fromCharCode", "fromCodePoint", "apply":
		if text, ok := codes(inner); ok {
			return token{kind: quoted, text: text}, true
		}
		return last, last.kind == quoted
	}
	switch {
	case of.kind == list:
		return f.ofList(name, of, &last)
	case of.kind != quoted:
		return t, false
	case name == "split" && f.spend(16*(1+strings.Count(of.value(), last.value()))):
		return token{kind: list, texts: strings.Split(of.value(), last.value())}, true
	case name == "concat":
		texts, ok := strs(inner)
		text := strings.Join(texts, "")
		return token{kind: quoted, text: of.value() + text}, ok && f.spend(len(of.value())+len(text))
	case name == "replace" || name == "replaceAll":
		return f.replaced(of.value(), inner)
	}
	return *of, len(inner) == 0 || name == "map" || name == "join" // such as trim
}

// ofList is result for a method of a list.
func (f *folder) ofList(name string, of, last *token) (t token, ok bool) {
	switch name {
	case "reverse":
		slices.Reverse(of.texts)
	case "join":
		text := strings.Join(of.texts, last.value())
		return token{kind: quoted, text: text}, f.spend(len(text))
	}
	return *of, name == "reverse" || name == "map"
}

// replaced is result for a call of replace that takes out, or exchanges, a text.
func (f *folder) replaced(of string, inner []token) (t token, ok bool) {
	if len(inner) != 3 || inner[2].kind != quoted || inner[0].kind != quoted && inner[0].kind != pattern {
		return t, false
	}
	old, with := inner[0].value(), inner[2].value()
	if old == "" || inner[0].kind == pattern && strings.ContainsAny(old, `\.[](){}*+?^$|`) || !f.spend(len(of)+strings.Count(of, old)*len(with)) {
		return t, false
	}
	return token{kind: quoted, text: strings.ReplaceAll(of, old, with)}, true
}

// packed looks at the code that a packer wrote as numbers of words: its text, the base of the numbers, how many, and the words.
func (f *folder) packed(inner []token) {
	base, _ := strconv.Atoi(inner[2].text)
	list := inner[6].texts
	f.examine(packedWords.ReplaceAllStringFunc(inner[0].value(), func(w string) string {
		n := 0
		for _, c := range w {
			n = min(n*base+strings.IndexRune(packedDigits, c), len(list))
		}
		if n < 0 || n >= len(list) || list[n] == "" || !f.spend(len(list[n])) {
			return w
		}
		return list[n]
	}))
}

// The numbers of packers.
const packedDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

var packedWords = regexp.MustCompile(`\w+`)

// list reduces the list, or the name of a member, in brackets at the top of the stack: n tokens are behind the opening one.
func (f *folder) list(n int) {
	inner, before := f.stack[len(f.stack)-n:len(f.stack)-1], f.top(n+1)
	switch before.kind {
	case quoted, list, word, operator:
		if before.kind == word && slices.Contains(keywords, before.text) || before.kind == operator && before.text != ")" && before.text != "]" {
			break
		}
		if len(inner) == 1 && inner[0].kind == quoted {
			f.cut(n+1, token{kind: operator, text: "."}, token{kind: word, text: strings.TrimSpace(inner[0].value())})
		}
		return
	}
	f.bait.sealed = f.bait.sealed || len(inner) > longSeal
	if text, ok := codes(inner); ok && (len(inner) > 6 && readable(text) || len(inner) > 128) {
		f.cut(n+1, token{kind: quoted, text: text})
	} else if len(inner) == 2 && inner[0].text == "..." && inner[1].kind == quoted && f.spend(16*len(inner[1].value())) {
		f.cut(n+1, token{kind: list, texts: strings.Split(inner[1].value(), "")})
	} else if texts, ok := strs(inner); ok {
		if joined := strings.Join(texts, ""); f.spend(len(joined)) {
			f.bait.seals(joined)
		}
		f.cut(n+1, token{kind: list, texts: texts})
	}
}

// codes returns the text of a list of character codes, or of the bytes of UTF-8.
func codes(list []token) (string, bool) {
	var b strings.Builder
	var octets []byte
	for i, t := range list {
		n, err := strconv.ParseInt(t.text, 0, 32)
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
	return texts, len(texts) > 0
}
