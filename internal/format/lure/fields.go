package lure

import (
	"slices"
	"strings"
)

// value looks at the string at the top of the stack and at the target of its assignment.
func (f *folder) value() {
	v := f.top(0)
	switch {
	case f.is(1, "="):
		f.assigned(v.value())
	case f.is(1, "{") && f.is(2, "=") && f.top(3).kind == word:
		f.member(f.top(3).text, v.value())
	case f.is(1, "+="):
		f.summed(f.top(2).text, v.value())
	case f.is(1, ":") && (f.top(2).kind == word || f.top(2).kind == quoted) && !f.is(3, "?"):
		f.member(f.top(2).value(), v.value())
	case f.is(1, "?"), f.is(1, ":"):
		f.chosen(v.value())
	case f.is(1, ","):
		f.argument(v.value())
	case f.is(1, "(") && f.top(2).kind == word:
		f.first(f.top(2).text, v.value())
	}
}

// assigned looks at NAME = v.
func (f *folder) assigned(v string) {
	name := f.top(2)
	switch {
	case name.kind != word:
	case f.is(3, ".") || f.is(3, "?."):
		if f.is(4, "this") && f.depth == 0 {
			return // a class that has a member of that name
		}
		f.property(name.text, v)
	case f.near("input") || f.near("form") || f.near("textarea"): // an attribute of a tag within a script
		f.property(name.text, v)
	}
	if name.kind == word && !f.is(3, ".") && len(v) <= 512 {
		f.names[name.text] = v
	}
}

// summed collects strings that are added to a variable or written, piece by piece.
func (f *folder) summed(name, v string) {
	sum := f.sums[name]
	if sum == nil {
		sum = &strings.Builder{}
		f.sums[name] = sum
		sum.WriteString(f.names[name])
	}
	if f.spend(len(v)) {
		sum.WriteString(v)
	}
}

// member looks at {NAME: v}, which counts close behind the name of an element.
func (f *folder) member(name, v string) {
	if f.near("input") || f.near("form") || f.near("textarea") {
		f.property(name, v)
	}
}

// chosen looks at NAME = condition ? v : v.
func (f *folder) chosen(v string) {
	for i := 2; i < 24; i++ {
		if f.is(i, "=") && f.top(i+1).kind == word && f.is(i+2, ".") || f.is(i, ":") && f.is(i+1, "type") && f.near("input") {
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
	if f.is(at, "(") && f.top(2).kind == quoted && sets(f.top(at+1).text) {
		f.property(f.top(2).value(), v)
	}
	if f.is(at, "(") && f.is(at+1, "createInput") {
		f.field = true
		f.property("type", v)
	}
	if f.is(3, "(") && f.is(4, "write") {
		f.summed("write", v)
	}
}

// sets reports whether a function of that name sets an attribute.
func sets(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "attr") || strings.Contains(name, "prop") || name == "set"
}

// first looks at the first argument of a call.
func (f *folder) first(function, v string) {
	switch {
	case function == "write" || function == "writeln":
		f.summed("write", v)
	case (strings.EqualFold(v, "input") || strings.EqualFold(v, "textarea")) && !slices.Contains(ofEvents, function):
		f.field = true
	case (function == "m" || function == "h") && strings.HasPrefix(v, "input") && strings.Contains(v, "type=password"):
		f.sign(Password)
	}
}

// ofEvents are functions whose argument "input" names no new element. It never changes.
var ofEvents = []string{
	"on", "once", "off", "addEventListener", "removeEventListener", "emit", "trigger", "is", "has", "get", "set", "add", "closest",
	"matches", "querySelector", "querySelectorAll", "getElementsByTagName", "Event", "require", "import", "dispatch", "log",
}

// near reports whether the name of an element stands among the last tokens, as in createElement("input", {.
func (f *folder) near(element string) bool {
	for i := 3; i < 64; i++ {
		t := f.top(i)
		switch t.kind {
		case quoted:
			if text := strings.TrimLeft(t.text, "<"); len(text) < 16 && strings.EqualFold(strings.TrimRight(text, "/> "), element) {
				return true
			}
		case word:
			if t.text == element && f.is(i+1, "<") {
				f.field = f.field || element != "form"
				return true
			}
		}
	}
	return false
}

// property looks at a property or an attribute of an element that a script sets.
func (f *folder) property(name, v string) {
	if len(v) > 512 {
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
