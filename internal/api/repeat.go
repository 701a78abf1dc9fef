package api

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"path"
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
	token bool          // whether it brought the upload_token of an upload
	args  []publish.Arg // as sent, where it is safe to show
	cut   bool          // whether there was a body that was not read to its end
	doubt bool          // whether it named a project that cannot be repeated
	once  string        // its Idempotency-Key, where it is safe to show
	local string        // how the client calls the file, if it said
	files []string      // the names in a list of files, which no endpoint takes
	limit int64         // the largest content of one call
	most  int64         // the largest file, however many parts bring it
	least int64         // how large the file is at the least, by what was declared
}

// Fields that a hint repeats, and the length to which it does so: that of a
// filename. None of these changes.
var (
	decorations   = []string{"title", "handle", "lang"}
	worded        = []string{"title", "handle", "lang", "email"} // also under a name that surely stands for them
	repeatedTexts = []string{"project_id", "filename", "title", "handle", "lang", "upload_id", "sha256"}
	argOrder      = []string{"project_id", "id", "filename", "email", "title", "handle", "lang", "sha256", "size", "if_version", "upload_id", "part", "total_parts"}
)

const maxRepeated = 512

// named is the route that the request names, or else the one that was probably
// meant; nil if it is like none.
func (c *call) named() *route { return cmp.Or(c.route, c.meant.route) }

// about is what hints need to know of the request.
func (a *API) about(c *call) request {
	// Of a request that was refused before anybody looked at its key, the header tells.
	on := request{keyed: c.keyed || c.route == nil && c.r.Header.Get("Authorization") != ""}
	on.token = !on.keyed && c.r.Header.Get("Authorization") != ""
	on.cut = !c.whole && c.r.ContentLength != 0
	on.limit, on.most, on.least = a.MaxContent, a.MaxFile, c.leastFile()
	if rt := c.named(); rt != nil {
		on.op = rt.op
		if rt.takes != nil {
			on.repeats(cmp.Or(c.said, &fields{set: rt.takes, header: c.r.Header, query: c.r.URL.Query()}), a.Places)
		}
	}
	if values := c.r.Header.Values(idempotencyKey); len(values) == 1 && showable(values[0]) && publish.CheckIdempotencyKey(values[0]) == nil {
		on.once = values[0]
	}
	switch id := cmp.Or(c.param, c.meant.id); {
	case id != "":
		on.add("project_id", id)
	case c.by.Scoped() && (on.op == publish.OpUpdate || on.op == publish.OpDeleteFile):
		on.add("project_id", string(c.by.Key().Project))
	}
	if name, _, err := names.ReadFilename(c.meant.filename); err == nil && (on.op == publish.OpUpdate || on.op == publish.OpDeleteFile) {
		on.add("filename", name)
	}
	return on
}

// repeats takes over what the request said in its fields.
func (on *request) repeats(f *fields, p publish.Places) {
	on.args = f.repeatable(p)
	_, named := f.said("project_id")
	on.doubt = named && f.set.chooses && !has(on.args, "project_id")
	name, _ := f.said("filename")
	on.local = localName(name.Text)
	// A form tells how the file is called where it came from, mostly without its folder.
	if own := localName(f.form.FileName); own != "" && !nameless(own) && path.Base(own) != path.Base(on.local) {
		on.local = own
	}
	if own, _, err := names.ReadFilename(f.ownName()); err == nil && slices.Contains(f.set.names, "filename") && !has(on.args, "upload_id") && !has(on.args, "part") {
		on.add("filename", own) // it stands in, but for a piece
	}
	if list, ok := f.form.Get("files"); ok {
		on.files = filesIn(list)
	}
}

// leastFile is how large the file in a body of the declared length is at the least:
// a form has it as it is, and what maxBody grants to base64 is ample.
func (c *call) leastFile() int64 {
	n := c.r.ContentLength - bodyRoom
	switch kind, _, err := mediaType(c); {
	case n <= 0 || err != nil:
		return 0
	case kind == formBody:
		return n
	}
	return n / 2
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

// said is what the request says of a field: in its body, or else in the query,
// which is not read, or else under a name that surely stands for the field.
func (f *fields) said(name string) (content.Field, bool) {
	if f.has(name) {
		return f.form.Get(name)
	}
	if f.query.Has(name) {
		v := f.query.Get(name)
		return content.Field{Name: name, Kind: content.String, Text: v, Raw: v}, true
	}
	for i, field := range f.strange {
		if f.stands[i] == name {
			return field, true
		}
	}
	return content.Field{}, false
}

// maxStrange bounds the unknown fields that are looked at for a hint.
const maxStrange = 50

// lookForStrange finds the fields that came under another name, where there is only
// one for which they can stand.
func (f *fields) lookForStrange(p publish.Places) {
	f.strange, f.stands = nil, nil
	for field := range f.form.All() {
		if len(f.strange) == maxStrange {
			return
		}
		if field.Kind == content.Null || slices.Contains(f.set.all(), field.Name) {
			continue
		}
		right := ""
		if f.set.chooses {
			right = f.missed(p, field)
		}
		for _, name := range f.set.candidates(field.Name) {
			if right == "" && !f.sent(name) && slices.Contains(worded, name) {
				right = name
			}
		}
		if slices.Contains(choosing, right) {
			field = asRight(field, f.readAs(p, field, right))
		}
		f.strange, f.stands = append(f.strange, field), append(f.stands, right)
	}
}

// asRight is a field with the value that the right one would have; null if it says
// nothing of use.
func asRight(field content.Field, value any) content.Field {
	text := fmt.Sprint(value)
	if value == nil {
		return content.Field{Name: field.Name, Kind: content.Null}
	}
	return content.Field{Name: field.Name, Kind: content.String, Text: text, Raw: text}
}

// repeatable is what the request says that a hint may repeat. Numbers that came as
// text are numbers here.
func (f *fields) repeatable(p publish.Places) (args []publish.Arg) {
	f.lookForStrange(p)
	add := func(name string, value any) {
		if slices.Contains(f.set.names, name) {
			args = append(args, publish.Arg{Name: name, Value: value})
		}
	}
	for _, name := range repeatedTexts {
		if text, ok := f.repeatedText(name); ok {
			add(name, text)
		}
	}
	field, _ := f.said("email")
	if email, err := names.Email(strings.TrimSpace(field.Text)); err == nil && showable(email) {
		add("email", email)
	}
	if n, ok := f.number("size", 0, 1<<40); ok {
		add("size", n)
	}
	if n, ok := f.number("if_version", 1, 1<<31-1); ok {
		add("if_version", n)
	} else if n := (&fields{header: f.header}).ifMatch(); n != nil {
		add("if_version", *n)
	}
	f.repeatableParts(add)
	return args
}

// repeatedText is a text that may stand in a command.
func (f *fields) repeatedText(name string) (string, bool) {
	field, ok := f.said(name)
	text := field.Text
	switch {
	case field.Kind == content.Number && slices.Contains(decorations, name):
		text = field.Raw
	case field.Kind != content.String:
		return "", false
	}
	return text, ok && showable(text) && (name != "sha256" || validSHA256(text))
}

// repeatableParts adds what the request says of an upload in parts.
func (f *fields) repeatableParts(add func(string, any)) {
	part, parted := f.number("part", 1, publish.MaxParts)
	if parted {
		add("part", part)
	}
	for _, name := range totalFields {
		if n, ok := f.number(name, 1, publish.MaxParts); ok {
			add("total_parts", n)
			return
		}
	}
	if last, ok := f.said("last"); ok && parted && last.Raw == "true" {
		add("total_parts", part) // says the same
	}
}

// number reads a whole number, also one that was sent as text.
func (f *fields) number(name string, least, most int) (int, bool) {
	field, ok := f.said(name)
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
