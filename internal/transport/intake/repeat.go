package intake

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/names"
	"sandlot/internal/format/unpack"
	"sandlot/internal/transport/intake/hint"
)

// Fields that a hint repeats. None of these changes.
var (
	decorations   = []string{"title", "handle", "lang"}
	worded        = []string{"title", "handle", "lang", "email", "version"} // also under a name that surely stands for them
	repeatedTexts = []string{
		"project_id", "filename", "title", "description", "primary_file", "archive_format", "handle", "lang", "upload_id",
		"sha256", "project", "reason", "details", "contact",
	}
)

// Repeat copies the fields of the request into the request of a hint.
func Repeat(on *hint.Request, f *Fields, p sandlot.Places) {
	on.Args = repeatableArgs(f, p)
	_, named := saidOf(f, "project_id")
	on.Doubt = named && f.Set.Chooses && !on.Has("project_id")
	name, _ := saidOf(f, "filename")
	on.Local = hint.LocalName(name.Text)
	// A form has the file's name on the client's side, mostly without its folder.
	sent := hint.LocalName(f.Form.FileName)
	if Nameless(sent) {
		sent = ""
	}
	if sent != "" && path.Base(sent) != path.Base(on.Local) {
		on.Local = sent
	}
	piece := on.Has("upload_id") || on.Has("part")
	own, _, err := names.ReadFilename(f.ownName())
	if err == nil && slices.Contains(f.Set.Names, "filename") && !f.Form.HasArchive && !piece {
		on.Add("filename", own) // it stands in
	}
	if on.Files = f.sentNames; len(on.Files) == 0 {
		on.Files = f.listed()
	}
	if f.Form.HasArchive {
		on.Archive = cmp.Or(sent, "site."+string(cmp.Or(f.format, unpack.ZIP)))
	}
}

// saidOf returns the value of a field in the body, in the query, or under a name that surely stands for the field.
func saidOf(f *Fields, name string) (content.Field, bool) {
	if f.has(name) {
		return f.Form.Get(name)
	}
	if f.Query.Has(name) {
		v := f.Query.Get(name)
		return content.Field{Name: name, Kind: content.String, Text: v, Raw: v}, true
	}
	field, ok := f.strange[name]
	return field, ok
}

const maxStrange = 50

// lookForStrange finds the fields that came under another name which can stand for only one field.
func lookForStrange(f *Fields, p sandlot.Places) {
	f.strange = map[string]content.Field{}
	for field := range f.Form.All() {
		if len(f.strange) == maxStrange || field.Kind == content.Null || slices.Contains(f.Set.All(), field.Name) {
			continue
		}
		right := ""
		if f.Set.Chooses {
			right = missedBy(f, p, field)
		}
		for _, name := range f.Set.Candidates(field.Name) {
			if right == "" && !wasSent(f, name) && slices.Contains(worded, name) {
				right = name
			}
		}
		if slices.Contains(choosing, right) {
			value := readAs(f, p, field, right)
			field = content.Field{Name: field.Name, Kind: content.Null}
			if value != nil {
				field.Kind, field.Text, field.Raw = content.String, fmt.Sprint(value), fmt.Sprint(value)
			}
		}
		if _, there := f.strange[right]; right != "" && !there {
			f.strange[right] = field
		}
	}
}

// repeatableArgs returns the arguments of the request that a hint may repeat. Numbers that came as text are numbers
// here.
func repeatableArgs(f *Fields, p sandlot.Places) (args []sandlot.Arg) {
	lookForStrange(f, p)
	add := func(name string, value any) {
		if slices.Contains(f.Set.Names, name) {
			args = append(args, sandlot.Arg{Name: name, Value: value})
		}
	}
	for _, name := range repeatedTexts {
		if name == "filename" && f.amends() && !f.Form.HasContent {
			continue // the edits have it
		}
		if text, ok := repeatedText(f, name); ok {
			add(name, text)
		}
	}
	field, _ := saidOf(f, "email")
	if email, err := names.Email(strings.TrimSpace(field.Text)); err == nil && hint.Showable(email) {
		add("email", email)
	}
	if n, ok := numberOf(f, "size", 0, 1<<40); ok {
		add("size", n)
	} else if refusedGuard(f, "size") {
		add("size", "<size of the file>")
	}
	if _, ok := repeatedText(f, "sha256"); !ok && refusedGuard(f, "sha256") {
		add("sha256", "<sha256 of the file>")
	}
	if n, ok := numberOf(f, "if_version", 1, 1<<31-1); ok {
		add("if_version", n)
	} else if n := (&Fields{Header: f.Header}).ifMatch(); n != nil {
		add("if_version", *n)
	} else if refusedGuard(f, "if_version") || f.Header.Get("If-Match") != "" && f.Header.Get("If-Match") != "*" {
		add("if_version", "<version>")
	}
	for _, name := range []string{"listed", "threads"} {
		if field, ok := saidOf(f, name); ok && (field.Kind == content.Bool || field.Text == "true" || field.Text == "false") {
			add(name, cmp.Or(field.Text, field.Raw) == "true")
		}
	}
	if tags, err := publish.ReadTags(f.list("tags")); err == nil && tags != "" && hint.Showable(string(tags)) {
		add("tags", strings.Join(tags.List(), ","))
	}
	for _, name := range []string{"replace", "force", DryRun} {
		field, ok := saidOf(f, name)
		switch {
		case ok && (field.Raw == "true" || field.Text == "true"), name == DryRun && refusedGuard(f, name):
			add(name, true)
		case refusedGuard(f, name):
			add(name, "<true or false>")
		}
	}
	if n, ok := numberOf(f, "version", 1, 1<<31-1); ok {
		add("version", n)
	}
	repeatableParts(f, add)
	repeatableChanges(f, add)
	return args
}

// refusedGuard reports whether a field that limits the effect of a call was sent with a value. One that cannot be
// repeated gets a placeholder: without it, the corrected call would have the effect that the guard was to prevent.
func refusedGuard(f *Fields, name string) bool {
	field, ok := saidOf(f, name)
	return ok && field.Kind != content.Null && field.Raw != "false" && field.Text != "false"
}

// repeatedText returns the text of a field if it may stand in a command.
func repeatedText(f *Fields, name string) (string, bool) {
	field, ok := saidOf(f, name)
	text := field.Text
	switch {
	case field.Kind == content.Number && slices.Contains(decorations, name):
		text = field.Raw
	case field.Kind != content.String:
		return "", false
	}
	return text, ok && hint.Showable(text) && (name != "sha256" || validSHA256(text))
}

func repeatableParts(f *Fields, add func(string, any)) {
	part, parted := numberOf(f, "part", 1, publish.MaxParts)
	if parted {
		add("part", part)
	}
	for _, name := range totalFields {
		if n, ok := numberOf(f, name, 1, publish.MaxParts); ok {
			add("total_parts", n)
			return
		}
	}
	if last, ok := saidOf(f, "last"); ok && parted && last.Raw == "true" {
		add("total_parts", part) // says the same
	}
}

// numberOf returns a field as a whole number, even if it was sent as text.
func numberOf(f *Fields, name string, least, most int) (int, bool) {
	field, ok := saidOf(f, name)
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

// filesIn returns the names in a list of files as clients write one: objects with a name, bare names, or an object of
// names and contents.
func filesIn(field content.Field) (list []string) {
	var said any
	_ = json.Unmarshal([]byte(field.Raw), &said) // it was read before
	switch said := said.(type) {
	case []any:
		for _, one := range said {
			name, _ := one.(string)
			if fields, ok := one.(map[string]any); ok {
				name, _ = fields["filename"].(string)
			}
			list = append(list, name)
		}
	case map[string]any:
		list = slices.Sorted(maps.Keys(said))
	}
	return slices.DeleteFunc(list, func(name string) bool { return !hint.Showable(name) })
}
