package intake

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/edit"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake/hint"
)

// The fields of an update that change files which the project has.
const (
	editsField  = "edits"
	deleteField = "delete"
)

// amends reports whether the call changes files that the project has.
func (f *Fields) amends() bool {
	return slices.Contains(f.Set.Names, editsField) && (f.has(editsField) || f.has(deleteField))
}

// changes puts the edits and deletions of an update into its tree.
func (a *Intake) changes(f *Fields) error {
	if !f.amends() {
		return nil
	}
	edits, err := f.edits()
	if err != nil {
		return err
	}
	gone, err := f.gone()
	if err != nil || len(edits) == 0 && len(gone) == 0 {
		return err
	}
	return a.tree(f).Change(edits, gone)
}

// listIn reads a field that is a list of JSON, in a form or as a text a list written as one. It refuses more entries than
// the field's row has.
func listIn[T any](f *Fields, name, want string) (list []T, err error) {
	field, _ := f.Form.Get(name)
	raw := field.Raw
	if field.Kind == content.String {
		raw = field.Text
	}
	if f.has(name) && json.Unmarshal([]byte(raw), &list) != nil {
		return nil, unlisted(name, "%s is not %s", name, want)
	}
	row := sandlot.OpUpdate.Row()
	if most := row.Fields[slices.Index(row.Names(), name)].Most; len(list) > most {
		return nil, unlisted(name, "%s has %d entries, and at most %d are taken", name, len(list), most)
	}
	return list, nil
}

// unlisted refuses a list. The corrected call would be the same without it, which changes something else: there is none.
func unlisted(name, format string, args ...any) *sandlot.Error {
	return unchanged(name, "The field "+format+".", args...).With(sandlot.OpNothing).
		Note(`Send edits as [{"filename": "a.js", "old": "text that stands once", "new": "text in its place"}], and delete as ["b.js"].`)
}

// gone returns the names of the files to delete. A text that is no list is one name.
func (f *Fields) gone() ([]string, error) {
	field, _ := f.Form.Get(deleteField)
	if field.Kind == content.String && !strings.HasPrefix(strings.TrimSpace(field.Text), "[") {
		if !f.Form.Multipart {
			f.readOnce(publish.ReadAs(deleteField, "a list of one name"))
		}
		return []string{field.Text}, nil
	}
	return listIn[string](f, deleteField, "a list of names")
}

// editMembers maps names that clients give the members of an edit to these, simplified. It never changes.
var editMembers = map[string]string{
	"filename": "filename", "path": "filename", "name": "filename", "file": "filename", "filepath": "filename",
	"old": "old", "oldstring": "old", "oldstr": "old", "oldtext": "old",
	"new": "new", "newstring": "new", "newstr": "new", "newtext": "new",
}

// edits returns the edits of the call. The filename of a call without content is that of edits without one.
func (f *Fields) edits() ([]edit.Edit, error) {
	list, err := listIn[map[string]any](f, editsField, "a list of objects with filename, old and new")
	if err != nil {
		return nil, err
	}
	own := ""
	if !f.Form.HasContent && !f.Form.HasArchive && f.has("filename") {
		own = f.Text("filename")
	}
	edits := make([]edit.Edit, len(list))
	for i, said := range list {
		read, err := f.readEdit(i, said)
		if err != nil {
			return nil, err
		}
		if read["filename"] == nil && own != "" {
			read["filename"], f.alone = &own, true
		}
		for _, name := range []string{"filename", "old", "new"} {
			if read[name] == nil {
				return nil, sandlot.Refuse(sandlot.CodeMissingField, "%s has no %s. Nothing was changed.", entry(i), name).In(editsField).
					Detail("edit", i).With(sandlot.OpNothing).Note("Each of edits needs filename, old and new; an empty new deletes the text.")
			}
		}
		edits[i] = edit.Edit{Index: i, File: *read["filename"], Old: *read["old"], New: *read["new"]}
		if edits[i].Old == "" {
			return nil, unchanged(editsField, "%s has an empty old.", entry(i)).Detail("edit", i).With(sandlot.OpNothing).
				Note("Put the text that is replaced into old. To write a whole file, send it in files.")
		}
	}
	return edits, nil
}

func entry(i int) string { return fmt.Sprintf("edits[%d]", i) }

// readEdit returns the members of an edit by their names. It refuses a value that is no text, and two of one meaning.
func (f *Fields) readEdit(i int, said map[string]any) (map[string]*string, error) {
	read := map[string]*string{}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		right := editMembers[names.Letters(name)]
		text, ok := said[name].(string)
		switch {
		case said[name] == nil:
		case right == "":
			f.strangeInEdits = name
		case !ok:
			return nil, unlisted(editsField, "%s.%s is not a text", entry(i), right)
		case read[right] != nil && *read[right] != text:
			return nil, unlisted(editsField, "%s has %s in two members that differ", entry(i), right)
		default:
			if read[right] = &text; name != right {
				f.readOnce(publish.ReadAs("edits[]."+name, "edits[]."+right))
			}
		}
	}
	return read, nil
}

// warnStrange warns about an unknown member of edits.
func (f *Fields) warnStrange() {
	if f.strangeInEdits != "" {
		f.warn("unknown_field", "The member "+inspect.Quoted(f.strangeInEdits)+" of edits is not known and was ignored.",
			"The members of an edit are: filename, old, new.")
	}
}

// A shownEdit is an edit in a hint.
type shownEdit struct {
	Filename string `json:"filename"`
	Old      string `json:"old"`
	New      string `json:"new"`
}

// repeatableChanges adds the edits and deletions of a call that a hint repeats, each text that cannot be shown as a
// placeholder: a text that no file has.
func repeatableChanges(f *Fields, add func(string, any)) {
	if !f.amends() {
		return
	}
	aside := *f // reading for the hint leaves no warnings
	show := func(text, instead string) string {
		if text == "" || hint.Showable(text) {
			return text
		}
		return instead
	}
	edits, _ := aside.edits()
	var shown []shownEdit
	for i, e := range edits[:min(len(edits), hint.MostFiles)] {
		shown = append(shown, shownEdit{
			show(e.File, "<filename>"), show(e.Old, fmt.Sprintf("<old text %d>", i+1)), show(e.New, fmt.Sprintf("<new text %d>", i+1)),
		})
	}
	if len(shown) > 0 {
		add(editsField, shown)
	}
	gone, _ := aside.gone()
	for i, name := range gone {
		gone[i] = show(name, "<filename>")
	}
	if len(gone) > 0 {
		add(deleteField, gone[:min(len(gone), hint.MostFiles)])
	}
}
