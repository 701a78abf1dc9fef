package intake

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/format/content"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake/hint"
)

// choosing are the fields that say what an update or a deletion changes. Any
// other field is ignored under a wrong name, with a warning; one of these would
// leave its default in place and change something else.
var choosing = []string{"project_id", "filename", "if_version"}

// checkChoice refuses a near miss of a field that chooses, unless the right
// field is there and says the same. The same holds for the query, which is not
// read at all.
func checkChoice(f *Fields, p sandlot.Places) error {
	if !f.Set.Chooses {
		return nil
	}
	for field := range f.Form.All() {
		if field.Kind == content.Null || slices.Contains(f.Set.All(), field.Name) {
			continue
		}
		if right := missedBy(f, p, field); right != "" {
			return misnamed(f, p, field, right, "The field "+Shown(field.Name)+" is not known here")
		}
	}
	for _, field := range inQuery(f.Query) {
		right := field.Name
		if !slices.Contains(choosing, right) {
			right = missedBy(f, p, field)
		}
		if right != "" && !saysSame(f, p, field, right) {
			return misnamed(f, p, field, right, "The query of the address says "+Shown(field.Name)+", and it is not read")
		}
	}
	return nil
}

// inQuery gives the parameters of a query as fields.
func inQuery(query url.Values) (list []content.Field) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			list = append(list, content.Field{Name: name, Kind: content.String, Text: v, Raw: v})
		}
	}
	return list
}

// missedBy is the choosing field for which an unknown one was probably meant, or
// "" if it was meant for none, or says nothing new.
func missedBy(f *Fields, p sandlot.Places, field content.Field) string {
	all := f.Set.Candidates(field.Name)
	if right := guessed(field.Name); len(all) == 0 && right != "" && slices.Contains(f.Set.All(), right) && !wasSent(f, right) {
		all = []string{right}
	}
	same := func(right string) bool { return saysSame(f, p, field, right) }
	if len(all) == 0 || slices.ContainsFunc(all, same) {
		return ""
	}
	right := all[0]
	// What could be one of several is most likely the one that was not sent.
	if i := slices.IndexFunc(all, func(name string) bool { return !wasSent(f, name) }); i >= 0 {
		right = all[i]
	} else if slices.ContainsFunc(all, func(name string) bool { return !slices.Contains(choosing, name) }) {
		return ""
	}
	if !slices.Contains(choosing, right) || right == "if_version" && echoesAnswer(f, p) {
		return ""
	}
	return right
}

// wasSent tells whether a field came with a value, content included.
func wasSent(f *Fields, name string) bool {
	return f.has(name) || name == "content" && f.Form.HasContent
}

// saysSame reports whether a field under another name repeats the right one.
func saysSame(f *Fields, p sandlot.Places, field content.Field, right string) bool {
	if right == "if_version" {
		said := guardOf(f)
		n, ok := versionIn(field)
		return ok && said != nil && *said == n
	}
	own, ok := f.Form.Get(right)
	if !ok || own.Kind != content.String || field.Kind != content.String {
		return false
	}
	switch right {
	case "project_id":
		return p.ProjectID(own.Text) == p.ProjectID(field.Text)
	case "filename":
		return plainFilename(own.Text) == plainFilename(field.Text)
	}
	return false
}

func plainFilename(s string) string {
	if name, _, err := names.ReadFilename(s); err == nil {
		return name
	}
	return s
}

// guardOf is the version that the right field or If-Match names, if any.
func guardOf(f *Fields) *int {
	quiet := &Fields{Set: f.Set, Header: f.Header, Form: f.Form}
	return quiet.ifVersion()
}

// versionIn reads a version from a number, a text, or an ETag.
func versionIn(field content.Field) (int, bool) {
	text := field.Raw
	if field.Kind == content.String {
		text = strings.Trim(strings.TrimPrefix(strings.TrimSpace(field.Text), "W/"), `"`)
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// echoesAnswer recognises an earlier answer that was sent back whole: it bears the
// project's id and its address. Its version is then a fact of that answer and
// not a condition.
func echoesAnswer(f *Fields, p sandlot.Places) bool {
	id, ok := f.Form.Get("project_id")
	address, told := f.Form.Get("url")
	return ok && told && id.Text != "" && address.Kind == content.String && p.ProjectID(address.Text) == p.ProjectID(id.Text)
}

// ofAnswers are fields that only answers have.
var ofAnswers = []string{"updated_at", "previous_version", "version_url", "content_type", "created", "created_at"}

// explainDigest tells the sender of an earlier answer that its size and sha256 are
// those of the file as it was then. Without both, the call works.
func explainDigest(f *Fields, e *sandlot.Error) {
	if !slices.ContainsFunc(ofAnswers, f.has) {
		return
	}
	e.Fix = sandlot.Fix{Op: sandlot.OpSame, Without: []string{"size", "sha256"}}
	e.Note("The fields size and sha256 came with an earlier answer: they are of the old file. Leave both out, or send those of the new file:")
}

// misnamed refuses a near miss. The hint sends what was most likely meant.
func misnamed(f *Fields, p sandlot.Places, field content.Field, right, begin string) error {
	e := sandlot.Refuse(sandlot.CodeInvalidField, "%s; %s was probably meant, and it chooses what is changed. Nothing was changed.", begin, right).In(right)
	value := readAs(f, p, field, right)
	own, ok := f.Form.Get(right)
	switch {
	case ok && own.Kind == content.String && own.Text != "":
		said := sandlot.Arg{Name: right, Value: own.Text}
		return e.With(sandlot.OpSame, said).
			Note("%s is %s, and %s says something else. Send %s alone, with the value that is meant: %s or %s.", right, Shown(own.Text), Shown(field.Name), right, Shown(own.Text), Shown(cmp.Or(field.Text, field.Raw)))
	case value == nil && right == "if_version":
		return e.With(sandlot.OpProject).Note("Send the version that the project has now as if_version.")
	case value == nil:
		return e.With(sandlot.OpSame).Note("Send it as %s.", right)
	}
	return e.With(sandlot.OpSame, sandlot.Arg{Name: right, Value: value}).Note("Send it as %s, or leave it out.", right)
}

// readAs is the value of a near miss as the right field would have it, or nil if
// it cannot be shown or would not do.
func readAs(f *Fields, p sandlot.Places, field content.Field, right string) any {
	switch right {
	case "if_version":
		if n, ok := versionIn(field); ok && n > 0 {
			return n
		}
		return nil
	case "project_id":
		if id := string(p.ProjectID(field.Text)); names.ValidProjectID(id) {
			return id
		}
		return nil
	}
	if field.Kind == content.String && hint.Showable(field.Text) {
		return field.Text
	}
	return nil
}
