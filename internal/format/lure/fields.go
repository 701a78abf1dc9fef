package lure

import (
	"slices"
	"strings"
)

// longest is the most bytes of the value of a property, or of a variable.
const longest = 512

// value looks at the string at the top of the stack and at its place.
func (f *folder) value() {
	v, name := f.top(0).value(), f.top(2)
	switch {
	case f.is(1, "=") && name.kind == word:
		f.assigned(name.text, v)
	case f.is(1, "{") && f.is(2, "=") && f.top(3).kind == word && f.tagged(): // an attribute of a tag within a script
		f.property(f.top(3).text, v)
	case f.is(1, "+="):
		f.summed(name.text, v)
	case f.is(1, ":") && (name.kind == word || name.kind == quoted) && !f.is(3, "?"):
		if f.tagged() {
			f.property(name.value(), v)
		}
	case f.is(1, "?"), f.is(1, ":"):
		f.chosen(v)
	case f.is(1, ","):
		f.argument(v)
	case f.is(1, "(") && name.kind == word:
		f.first(name.text, v)
	}
}

// assigned looks at NAME = v.
func (f *folder) assigned(name, v string) {
	if f.is(3, ".") || f.is(3, "?.") {
		if !f.is(4, "this") || f.depth > 0 { // else a class that has a member of that name
			f.property(name, v)
		}
		return
	}
	if f.tagged() {
		f.property(name, v)
	}
	if len(v) <= longest {
		f.names[name] = v
	}
}

// summed collects strings that are added to a variable or written, piece by piece.
func (f *folder) summed(name, v string) {
	if f.spend(len(v)) {
		f.sum(name).WriteString(v)
	}
}

// sum returns the sum of a variable, which begins with the string that it holds.
func (f *folder) sum(name string) *strings.Builder {
	if f.sums[name] == nil {
		f.sums[name] = &strings.Builder{}
		f.sums[name].WriteString(f.names[name])
	}
	delete(f.names, name)
	return f.sums[name]
}

// chosen looks at NAME = condition ? v : v.
func (f *folder) chosen(v string) {
	for i := 2; i < 24; i++ {
		if f.is(i, "=") && f.top(i+1).kind == word && f.is(i+2, ".") || f.is(i, ":") && f.is(i+1, "type") && f.tagged() {
			f.property(f.top(i+1).text, v)
			return
		}
	}
}

// argument looks at a call such as setAttribute(NAME, v), also with the name of a space before.
func (f *folder) argument(v string) {
	at := 3
	if f.is(3, ",") {
		at = 5
	}
	set := strings.ToLower(f.top(at + 1).text)
	switch {
	case !f.is(at, "("):
	case set == "createinput":
		f.field = true
		f.property("type", v)
	case f.top(2).kind == quoted && (set == "set" || strings.Contains(set, "attr") || strings.Contains(set, "prop")):
		f.property(f.top(2).value(), v)
	}
}

// first looks at the first argument of a call.
func (f *folder) first(function, v string) {
	switch {
	case function == "write" || function == "writeln":
		f.summed("write", v)
	case (strings.EqualFold(v, "input") || strings.EqualFold(v, "textarea")) && !slices.Contains(ofEvents, function):
		f.field = true
	case v == "iframe" && function == "createElement":
		f.moves = true
	case strings.HasPrefix(v, "input[type=password") && len(function) == 1:
		f.sign(Password)
	}
}

// ofEvents are functions whose argument "input" names no new element. It never changes.
var ofEvents = strings.Fields(`on once off addEventListener removeEventListener emit trigger is has get set add closest matches querySelector
	querySelectorAll getElementsByTagName Event require import dispatch log`)

// tagged reports whether the name of an element stands among the last tokens, as in createElement("input", { or in <input.
func (f *folder) tagged() bool {
	for i := 3; i < mostBack; i++ {
		t, written := f.top(i), false
		switch {
		case t.kind == quoted && len(t.text) < 16:
		case t.kind == word && f.is(i+1, "<"):
			written = true
		default:
			continue
		}
		switch name := strings.ToLower(strings.Trim(t.value(), "</> ")); name {
		case "input", "textarea", "form":
			f.field = f.field || written && name != "form"
			return true
		}
	}
	return false
}

// property looks at a property or an attribute of an element that a script sets.
func (f *folder) property(name, v string) {
	if len(v) > longest {
		return
	}
	v = plainest(v)
	switch strings.ToLower(name) {
	case "type":
		if strings.EqualFold(strings.TrimSpace(v), "password") {
			f.maybe(Password)
		}
	case "action", "formaction":
		if f.elsewhere("", v) {
			f.maybe(Sends)
		}
	case "webkittextsecurity", "-webkit-text-security":
		if v != "none" {
			f.maybe(Password)
		}
	case "autocomplete":
		f.completes(v)
	case "placeholder", "arialabel", "aria-label", "label":
		f.labelled(v)
	case "name", "id":
		f.named(v)
	}
}

// plainest undoes up to two encodings of a short text.
func plainest(v string) string {
	for range 2 {
		if plain, ok := reveal(v); ok {
			v = plain
		}
	}
	return v
}

// hidden looks at the strings of a script that an obfuscator wrote: which of them go together cannot be read.
func (f *folder) hidden() {
	has := map[string]bool{}
	for _, text := range f.all {
		has[strings.ToLower(plainest(text))] = true
	}
	if has["password"] && (has["input"] || has["type"]) {
		f.sign(Password)
	}
	for text := range has {
		if strings.HasPrefix(text, "cc-") && len(text) < 16 {
			f.completes(text)
		}
	}
}
