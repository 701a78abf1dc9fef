package hint

import (
	"strings"

	"sandlot"
	"sandlot/internal/format/mediatype"
)

// A member is one of many files in a JSON hint.
type member struct {
	Filename string `json:"filename"`
	Text     string `json:"text"`
}

// members returns the argument that brings the files of a call as JSON: their texts, each a placeholder. ok is false if
// a form is better: if the request was one, for archives and parts, and for files that are not text, whose base64 only
// a program writes.
func (on Request) members(args []sandlot.Arg) (_ sandlot.Arg, ok bool) {
	if !on.JSON || on.Archive != "" || has(args, "upload_id") || has(args, "part") {
		return sandlot.Arg{}, false
	}
	if len(on.Files) == 0 {
		name := usable(on.file(args))
		if has(args, "filename") {
			name = argument(args, "filename", "")
		}
		return sandlot.Arg{Name: "text", Value: textOf(name)}, name == unknownFile || isText(name)
	}
	var files []member
	for _, sent := range on.Files[:min(len(on.Files), MostFiles)] {
		name := usable(sent)
		if !isText(name) {
			return sandlot.Arg{}, false
		}
		files = append(files, member{name, textOf(name)})
	}
	return sandlot.Arg{Name: "files", Value: files}, true
}

// textOf returns the placeholder for the text of a file.
func textOf(name string) string { return sandlot.PlaceholderText + strings.Trim(name, "<>") + ">" }

// isText reports whether a file of that name is written as text.
func isText(name string) bool {
	kind, _, _ := strings.Cut(mediatype.Of(name, true), ";")
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") ||
		strings.HasSuffix(kind, "javascript")
}
