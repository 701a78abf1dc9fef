package hint

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/mediatype"
	"sandlot/internal/format/names"
)

// mostPart is the largest part that a hint proposes, in bytes: if the connection breaks, the whole part has to be sent
// again.
const mostPart = 64 << 20

// cutIntoParts returns the commands that send a file too large for one call, each piece as one part of a new upload, and
// a sentence before them. The other arguments of the request go with part 1, which is the call for programs.
func cutIntoParts(base string, on Request, op sandlot.Op, args []sandlot.Arg) (lead string, _ call) {
	id := rand.Text()
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	whole := slices.DeleteFunc(withDefaults(on, op, args), func(a sandlot.Arg) bool {
		return slices.Contains([]string{"upload_id", "part", "total_parts"}, a.Name)
	})
	each := []sandlot.Arg{{Name: "upload_id", Value: id}}
	first := slices.DeleteFunc(slices.Clone(whole), func(a sandlot.Arg) bool { return a.Name == "project_id" })
	if project := argument(whole, "project_id", ""); project != "" {
		each = append(each, sandlot.Arg{Name: "project_id", Value: project})
	}
	file, piece := on.file(whole), "sandlot-"+strings.ToLower(id[:8])+"-"
	if has(on.Args, "part") && argument(on.Args, "total_parts", "") != "1" {
		file = "<whole file>" // the request sent a piece of it
	}
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	size := min(on.Limit, mostPart)
	part := []sandlot.Arg{{Name: "part", Value: 1}, {Name: "content", Value: base64Of("part 1")}}
	return fmt.Sprintf("Cut the file into parts of at most %d bytes, and send each as one part of an upload:", size), call{
		op: op, args: slices.Concat(each, bytesless(first), part),
		shell: fmt.Sprintf("split -a 4 -b %d %s %s", size, Quote(file), piece) + "\n" +
			"set --" + formFields(first) + "; n=0; total=$(ls " + piece + "* | wc -l); for f in " + piece + "*; do n=$((n+1)); " +
			start(base, on, op) + formFields(each) +
			` --form-string part=$n --form-string total_parts=$((total)) "$@" -F "content=@$f" || break; set --; done`,
	}
}

// packedName is the name of the archive that a hint packs.
const packedName = "site.tar.gz"

// packing returns the command that sends a whole folder: tar packs it, and curl sends the output. but is a file that
// the service cannot take and tar leaves out, "" if none.
func packing(base string, on Request, op sandlot.Op, args []sandlot.Arg, but string) call {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	if Showable(but) {
		but = " --exclude=" + Quote(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(but))
	} else {
		but = ""
	}
	args = bytesless(withDefaults(on, op, args))
	shell := "tar -cz" + but + " -C " + Quote(unknownFolder) + " . | " + start(base, on, op) + formFields(args) +
		" -F " + Quote("archive=@-;filename="+packedName)
	archive := sandlot.Arg{Name: "archive", Value: base64Of(packedName)}
	return call{op: op, args: append(args, archive), shell: shell}
}

// MostFiles is the largest number of files that a hint repeats.
const MostFiles = 20

// parts returns the files of the call as parts of a form: the archive or the files of the request, or else one file.
func (on Request) parts(args []sandlot.Arg) string {
	switch {
	case on.Archive != "":
		return " -F " + Quote("archive=@"+atFile(on.Archive))
	case len(on.Files) == 0:
		return " -F " + Quote("content=@"+atFile(on.file(args)))
	}
	out, files := "", on.Files[:min(len(on.Files), MostFiles)]
	for i, name := range usableTogether(files) {
		out += " -F " + Quote("file=@"+atFile(LocalName(files[i]))+";filename="+formName(name))
	}
	return out
}

// usableTogether returns filenames that the service takes for these files: absolute paths lose their common folder.
func usableTogether(files []string) (list []string) {
	var below []string // of paths
	for _, name := range files {
		_, _, err := names.ReadFilename(name)
		if bad := (*names.FilenameError)(nil); errors.As(err, &bad) && bad.Root != "" {
			below = append(below, path.Join(bad.Root, bad.Suggestion))
		}
		list = append(list, usable(name))
	}
	if len(below) > 1 && len(below) == len(files) {
		return names.Relative(below)
	}
	return list
}

// deletion returns the update that deletes the files in the request's list, at most MostFiles of them, with those of the
// arguments said that do not describe a file.
func deletion(base string, on Request, said []sandlot.Arg) call {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	var list []string
	for _, name := range on.Files[:min(len(on.Files), MostFiles)] {
		clean, _, err := names.ReadFilename(name)
		if err != nil || clean == "" {
			clean = unknownFile // a suggestion may be the name of another file
		}
		list = append(list, clean)
	}
	on.Files = nil
	args := []sandlot.Arg{{Name: "project_id", Value: argument(on.Args, "project_id", unknownProject)}, {Name: "delete", Value: list}}
	for _, a := range said {
		if slices.Contains(ofProject, a.Name) {
			args = append(args, a)
		}
	}
	return callOf(base, on, sandlot.OpUpdate, args)
}

// ofProject are the arguments of a deletion that do not describe its file.
var ofProject = []string{"lang", "email", "if_version"}

// usable returns a filename that the service takes for a file listed under this name.
func usable(name string) string {
	clean, _, err := names.ReadFilename(name)
	if err == nil {
		return clean
	}
	var bad *names.FilenameError
	if errors.As(err, &bad) {
		return bad.Suggestion
	}
	return unknownFile
}

// A member is one of many files in JSON.
type member struct {
	Filename string `json:"filename"`
	Text     string `json:"text,omitempty"`
	Content  string `json:"content,omitempty"`
}

// brought returns the arguments that bring the files of a call in JSON, each a placeholder. text is false if one of them
// is not the text of a file: then a form is better.
func (on Request) brought(args []sandlot.Arg) (list []sandlot.Arg, text bool) {
	switch {
	case onlyTotal(args), on.amends(args):
		return nil, true
	case on.Archive != "":
		return []sandlot.Arg{{Name: "archive", Value: base64Of(on.Archive)}}, false
	case has(args, "upload_id"), has(args, "part"):
		return []sandlot.Arg{{Name: "content", Value: base64Of(on.file(args))}}, false
	case len(on.Files) > 0:
		var files []member
		text = true
		for _, sent := range on.Files[:min(len(on.Files), MostFiles)] {
			one := memberOf(usable(sent))
			files, text = append(files, one), text && one.Text != ""
		}
		return []sandlot.Arg{{Name: "files", Value: files}}, text
	}
	one := memberOf(usable(on.file(args)))
	if has(args, "filename") {
		one = memberOf(argument(args, "filename", ""))
	}
	switch {
	case on.Tool:
		return []sandlot.Arg{{Name: "files", Value: []member{one}}}, true
	case one.Text == "":
		return []sandlot.Arg{{Name: "content", Value: one.Content}}, false
	}
	return []sandlot.Arg{{Name: "text", Value: one.Text}}, true
}

// amends reports whether a call changes files that the project has, and brings none.
func (on Request) amends(args []sandlot.Arg) bool {
	return (has(args, "edits") || has(args, "delete")) && !has(args, "filename") && !on.many()
}

// memberOf returns a file of that name with the placeholder of its text or its bytes.
func memberOf(name string) member {
	if name == unknownFile || isText(name) {
		return member{Filename: name, Text: textOf(name)}
	}
	return member{Filename: name, Content: base64Of(name)}
}

// textOf returns the placeholder for the text of a file.
func textOf(name string) string { return sandlot.PlaceholderText + strings.Trim(name, "<>") + ">" }

// base64Of returns the placeholder for the bytes of a file, which is no base64.
func base64Of(name string) string { return "<base64 of " + strings.Trim(name, "<>") + ">" }

// isText reports whether a file of that name is written as text.
func isText(name string) bool {
	kind, _, _ := strings.Cut(mediatype.Of(name, true), ";")
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") ||
		strings.HasSuffix(kind, "javascript")
}
