package api

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandlot/internal/content"
	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// request is what a hint repeats of the request at hand, so that the call it
// proposes changes nothing but what the request was to change.
type request struct {
	op    publish.Op
	keyed bool
	args  []publish.Arg // as sent, where it is safe to show
	cut   bool          // whether there was a body that was not read to its end
	local string        // how the client calls the file, if it said
	files []string      // the names in a list of files, which no endpoint takes
	limit int64         // the largest content of one call
}

// Fields that a hint repeats, and the length to which it does so: that of a
// filename. None of these changes.
var (
	decorations   = []string{"title", "handle", "lang"}
	repeatedTexts = []string{"project_id", "filename", "title", "handle", "lang", "upload_id", "sha256"}
	argOrder      = []string{"project_id", "id", "filename", "email", "title", "handle", "lang", "sha256", "size", "if_version", "upload_id", "part", "total_parts"}
)

const maxRepeated = 512

// about is what hints need to know of the request.
func (a *API) about(c *call) request {
	// Of a request that was refused before anybody looked at its key, the header tells.
	on := request{keyed: c.keyed || c.route == nil && c.r.Header.Get("Authorization") != "", args: slices.Clone(c.sent)}
	on.cut = !c.whole && c.r.ContentLength != 0
	on.local, on.files, on.limit = c.local, c.files, a.MaxContent
	if c.route != nil {
		on.op = c.route.op
	}
	switch {
	case c.param != "":
		on.add("project_id", c.param)
	case c.by.Scoped() && (on.op == publish.OpUpdate || on.op == publish.OpDeleteFile):
		on.add("project_id", string(c.by.Key.Project))
	}
	return on
}

// add adds a text where it is safe to show and not there yet.
func (on *request) add(name, value string) {
	if showable(value) && argument(on.args, name, "") == "" {
		on.args = append(on.args, publish.Arg{Name: name, Value: value})
	}
}

// showable tells whether a text can stand in a command: short, without a key or a
// piece of one, and without what a terminal or a reader could take for something
// else.
func showable(s string) bool {
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	return s != "" && len(s) <= maxRepeated && utf8.ValidString(s) && publish.Redact(s) == s && !strings.ContainsFunc(s, odd)
}

// repeatable is what the body says that a hint may repeat. Numbers that came as
// text are numbers here.
func (f *fields) repeatable() (args []publish.Arg) {
	add := func(name string, value any) { args = append(args, publish.Arg{Name: name, Value: value}) }
	for _, name := range repeatedTexts {
		field, ok := f.form.Get(name)
		text := field.Text
		if field.Kind == content.Number && slices.Contains(decorations, name) {
			text = field.Raw
		} else if field.Kind != content.String {
			continue
		}
		if ok && slices.Contains(f.set.names, name) && showable(text) && (name != "sha256" || validSHA256(text)) {
			add(name, text)
		}
	}
	if field, _ := f.form.Get("email"); slices.Contains(f.set.names, "email") {
		if email, err := names.Email(strings.TrimSpace(field.Text)); err == nil && showable(email) {
			add("email", email)
		}
	}
	if n, ok := f.number("size", 0, 1<<40); ok && slices.Contains(f.set.names, "size") {
		add("size", n)
	}
	if slices.Contains(f.set.names, "if_version") {
		if n, ok := f.number("if_version", 1, 1<<31-1); ok {
			add("if_version", n)
		} else if n := (&fields{header: f.header}).ifMatch(); n != nil {
			add("if_version", *n)
		}
	}
	if !slices.Contains(f.set.names, "part") {
		return args
	}
	part, parted := f.number("part", 1, publish.MaxParts)
	if parted {
		add("part", part)
	}
	for _, name := range totalFields {
		if n, ok := f.number(name, 1, publish.MaxParts); ok {
			add("total_parts", n)
			return args
		}
	}
	if last, ok := f.form.Get("last"); ok && parted && last.Raw == "true" {
		add("total_parts", part) // says the same
	}
	return args
}

// number reads a whole number, also one that was sent as text.
func (f *fields) number(name string, least, most int) (int, bool) {
	field, ok := f.form.Get(name)
	if !ok {
		return 0, false
	}
	text := field.Raw
	if field.Kind == content.String {
		text = strings.TrimSpace(field.Text)
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= least && n <= most
}

// same gives the arguments of the request's own operation, with those of the fix
// in place of its own, and without the field at fault unless the fix has it, and
// without those that the fix leaves out.
func (on request) same(fix []publish.Arg, fault string, without ...string) []publish.Arg {
	var all []publish.Arg
	for _, sent := range on.args {
		if sent.Name != fault && !has(fix, sent.Name) && !slices.Contains(without, sent.Name) {
			all = append(all, sent)
		}
	}
	for _, a := range fix {
		// With a key, an address is a change of the account's: no part of a correction.
		if a.Name != "email" || !on.keyed {
			all = append(all, a)
		}
	}
	if on.op == publish.OpPublish || on.op == publish.OpUpdate {
		all = inParts(all, fault)
	}
	slices.SortStableFunc(all, func(a, b publish.Arg) int { return order(a) - order(b) })
	return all
}

func order(a publish.Arg) int {
	if i := slices.Index(argOrder, a.Name); i >= 0 {
		return i
	}
	return len(argOrder)
}

// inParts completes a call of an upload that lost its upload_id or its part,
// because it was not right. Without a usable upload_id it begins anew; which part
// it is, only the client knows, for part 1 would replace one that has been
// accepted.
func inParts(args []publish.Arg, fault string) []publish.Arg {
	upload, part, total := has(args, "upload_id"), has(args, "part"), has(args, "total_parts")
	switch {
	case upload && part, !upload && !part && !total && fault != "part" && fault != "upload_id":
		return args
	case upload && total && fault != "part" && fault != "content":
		return args // tells the total alone
	case upload:
		return append(args, publish.Arg{Name: "part", Value: publish.PlaceholderPart})
	}
	args = slices.DeleteFunc(args, func(a publish.Arg) bool { return a.Name == "upload_id" || a.Name == "part" })
	return append(args, publish.Arg{Name: "upload_id", Value: rand.Text()}, publish.Arg{Name: "part", Value: 1})
}

func has(args []publish.Arg, name string) bool {
	return slices.ContainsFunc(args, func(a publish.Arg) bool { return a.Name == name })
}
