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
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake/hint"
)

// choosing are the fields that select the target of an update or a deletion. If one of these were ignored under a wrong
// name, its default would apply and the call would change something else.
var choosing = []string{"project_id", "filename", "if_version"}

// checkChoice refuses a near miss of a choosing field, unless the right field is there with the same value. It applies
// the same rule to the query, which is not read at all.
func checkChoice(f *Fields, p sandlot.Places) error {
	if !f.Set.Chooses {
		return nil
	}
	for field := range f.Form.All() {
		if field.Kind == content.Null || slices.Contains(f.Set.All(), field.Name) {
			continue
		}
		if right := missedBy(f, p, field); right != "" {
			return misnamed(f, p, field, right, "The field "+inspect.Quoted(field.Name)+" is not known here")
		}
	}
	for _, field := range inQuery(f.Query) {
		right := field.Name
		if !slices.Contains(choosing, right) {
			right = missedBy(f, p, field)
		}
		if right != "" && !saysSame(f, p, field, right) {
			return misnamed(f, p, field, right, "The query of the address says "+inspect.Quoted(field.Name)+", and it is not read")
		}
	}
	return nil
}

func inQuery(query url.Values) (list []content.Field) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			list = append(list, content.Field{Name: name, Kind: content.String, Text: v, Raw: v})
		}
	}
	return list
}

// missedBy returns the choosing field that an unknown field probably stands for, or "" if it adds nothing new.
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
	// A name that could stand for several fields most likely stands for the one that was not sent.
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

// wasSent reports whether a field, content included, came with a value.
func wasSent(f *Fields, name string) bool {
	return f.has(name) || name == "content" && f.Form.HasContent
}

// saysSame reports whether a field under another name repeats the right one.
func saysSame(f *Fields, p sandlot.Places, field content.Field, right string) bool {
	if right == "if_version" {
		said := (&Fields{Set: f.Set, Header: f.Header, Form: f.Form}).ifVersion() // without a failure of f
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
		name, _, err := names.ReadFilename(own.Text)
		other, _, failed := names.ReadFilename(field.Text)
		return own.Text == field.Text || err == nil && failed == nil && name == other
	}
	return false
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

// echoesAnswer recognizes an earlier answer that was sent back whole: its version is a fact, not a condition.
func echoesAnswer(f *Fields, p sandlot.Places) bool {
	id, ok := f.Form.Get("project_id")
	address, told := f.Form.Get("url")
	return ok && told && id.Text != "" && address.Kind == content.String && p.ProjectID(address.Text) == p.ProjectID(id.Text)
}

// ofAnswers are fields that occur only in answers.
var ofAnswers = []string{"updated_at", "previous_version", "version_url", "content_type", "created", "created_at"}

// explainDigest explains to a client that sent back an earlier answer that its size and sha256 are of the old file.
func explainDigest(f *Fields, e *sandlot.Error) {
	if !slices.ContainsFunc(ofAnswers, f.has) {
		return
	}
	e.Fix = sandlot.Fix{Op: sandlot.OpSame, Without: []string{"size", "sha256"}}
	e.Note("The fields size and sha256 came with an earlier answer: they are of the old file. " +
		"Leave both out, or send those of the new file:")
}

// misnamed refuses a near miss. Its hint sends the probable field.
func misnamed(f *Fields, p sandlot.Places, field content.Field, right, begin string) error {
	e := unchanged(right, "%s; %s was probably meant, and it chooses what is changed.", begin, right)
	value := readAs(f, p, field, right)
	own, ok := f.Form.Get(right)
	switch {
	case ok && own.Kind == content.String && own.Text != "":
		said := sandlot.Arg{Name: right, Value: own.Text}
		return e.With(sandlot.OpSame, said).Note("Send %s alone, with the value that is meant: %s or %s.",
			right, inspect.Quoted(own.Text), inspect.Quoted(cmp.Or(field.Text, field.Raw)))
	case value == nil && right == "if_version":
		return e.With(sandlot.OpProject).Note("Send the version that the project has now as if_version.")
	case value == nil:
		return e.With(sandlot.OpSame).Note("Send it as %s.", right)
	}
	return e.With(sandlot.OpSame, sandlot.Arg{Name: right, Value: value}).Note("Send it as %s, or leave it out.", right)
}

// readAs converts the value of a near miss to that of the right field; nil if it cannot be shown or is not valid there.
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
