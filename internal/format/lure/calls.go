package lure

import (
	"slices"
	"strings"
)

// call reduces a call, or an expression in parentheses, that ends at the top of the stack: n tokens with the opening one
// counted.
func (f *folder) call(n int) {
	inner := f.stack[len(f.stack)-n : len(f.stack)-1]
	name := f.top(n + 1)
	if name.kind != word || keywords[name.text] {
		if len(inner) == 1 && inner[0].kind == quoted {
			f.replaceToken(n+1, inner[0])
		}
		return
	}
	if name.text == "function" || f.is(n+2, "function") {
		f.forgetParameters()
		return
	}
	if f.is(n+2, ".") {
		f.method(n, name.text, inner)
		return
	}
	f.function(n, n+2, name.text, inner)
}

// replaceToken puts a string in the place of the last n tokens.
func (f *folder) replaceToken(n int, t token) {
	f.stack = append(f.stack[:len(f.stack)-n], t)
}

// function reduces the call of a function that decodes. all is the length of the call with its receiver.
func (f *folder) function(n, all int, name string, inner []token) {
	switch name {
	case "atob", "unescape", "decodeURI", "decodeURIComponent":
		if len(inner) == 1 && inner[0].kind == quoted {
			text := inner[0].value()
			if plain, ok := decoded(name, text); ok && f.spend(len(plain)) {
				text = plain
			}
			f.replace(all, text)
		}
	case "fromCharCode", "fromCodePoint":
		if text, ok := codes(inner); ok {
			f.replace(all, text)
		} else if len(inner) == 2 && inner[0].text == "..." && inner[1].kind == quoted {
			f.replaceToken(all, inner[1])
		}
	}
}

func decoded(name, text string) (string, bool) {
	if name == "atob" {
		return fromBase64(text)
	}
	return percent(text)
}

// method reduces the call of a method: of n tokens behind its name.
func (f *folder) method(n int, name string, inner []token) {
	of := f.top(n + 3) // the receiver of the method
	switch {
	case of.kind == word && slices.Contains(globals, of.text):
		f.function(n, n+4, name, inner)
	case name == "apply" && (of.text == "fromCharCode" || of.text == "fromCodePoint") && len(inner) > 0 && inner[len(inner)-1].kind == quoted:
		f.replaceToken(n+6, inner[len(inner)-1]) // String.fromCharCode.apply(null, codes)
	case name == "join":
		f.joined(n, inner)
	case of.kind != quoted:
	case name == "concat":
		if texts, ok := strs(inner); ok && f.spend(len(strings.Join(texts, ""))) {
			whole := *of
			whole.add(strings.Join(texts, ""))
			f.replaceToken(n+4, whole)
		}
	case name == "replace" || name == "replaceAll":
		f.replaced(n, of.value(), inner)
	case len(inner) == 0 && slices.Contains(same, name), name == "map":
		f.replaceToken(n+4, *of)
	}
}

// globals are the objects that have functions which decode. It never changes.
var globals = []string{"window", "self", "globalThis", "top", "parent", "String", "document"}

// same are methods of strings that change nothing that matters. It never changes.
var same = []string{"trim", "toString", "toLowerCase", "toUpperCase", "normalize", "valueOf", "trimStart", "trimEnd"}

// replaced reduces a call of replace that takes out, or exchanges, a text.
func (f *folder) replaced(n int, of string, inner []token) {
	if len(inner) != 3 || inner[2].kind != quoted || inner[0].kind != quoted && inner[0].kind != pattern {
		return
	}
	old := inner[0].value()
	if old == "" || inner[0].kind == pattern && strings.ContainsAny(old, `\.[](){}*+?^$|`) {
		return
	}
	with := inner[2].value()
	if grown := strings.Count(of, old) * len(with); f.spend(len(of) + grown) {
		f.replace(n+4, strings.ReplaceAll(of, old, with))
	}
}

// joined reduces a call of join, whose n tokens are at the top of the stack: of a list of strings, perhaps reversed, or of a
// string that was split.
func (f *folder) joined(n int, inner []token) {
	separator := ""
	if len(inner) == 1 && inner[0].kind == quoted {
		separator = inner[0].value()
	} else if len(inner) > 0 {
		return
	}
	at, back := n+3, false
	if f.is(at, ")") && f.is(at+1, "(") && f.is(at+2, "reverse") && f.is(at+3, ".") {
		at, back = at+4, true
	}
	parts, from := f.parts(at)
	if parts == nil {
		return
	}
	if back {
		slices.Reverse(parts)
	}
	if text := strings.Join(parts, separator); f.spend(len(text)) {
		f.replace(from, text)
	}
}

// parts returns the strings of the list that ends at a place of the stack, and how many tokens there are from its
// beginning to the top.
func (f *folder) parts(at int) (texts []string, from int) {
	t := f.top(at)
	switch {
	case t.kind == quoted: // character codes that were mapped
		return []string{t.value()}, at + 1
	case f.is(at, "]") && t.open >= 0:
		from = len(f.stack) - t.open
		inner := f.stack[t.open+1 : len(f.stack)-1-at]
		if len(inner) == 2 && inner[0].text == "..." && inner[1].kind == quoted {
			return f.split(inner[1].value(), ""), from
		}
		texts, _ = strs(inner)
		return texts, from
	case f.is(at, ")") && f.top(at+1).kind == quoted && f.is(at+2, "(") && f.is(at+3, "split") && f.is(at+4, ".") && f.top(at+5).kind == quoted:
		return f.split(f.top(at+5).value(), f.top(at+1).value()), at + 6
	}
	return nil, 0
}

// split splits a string, or returns nil for one that is too long.
func (f *folder) split(text, separator string) []string {
	if !f.spend(16 * (1 + strings.Count(text, separator))) {
		return nil
	}
	return strings.Split(text, separator)
}
