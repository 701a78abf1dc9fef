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

// cutIntoParts returns the commands that send a file too large for one call, each piece as one part of a new upload. The
// other arguments of the request go with part 1.
func cutIntoParts(base string, on Request, op sandlot.Op, args []sandlot.Arg) []string {
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
	return []string{
		fmt.Sprintf("Cut the file into parts of at most %d bytes, and send each as one part of an upload:", size),
		fmt.Sprintf("split -a 4 -b %d %s %s", size, Quote(file), piece),
		"set --" + formFields(first) + "; n=0; total=$(ls " + piece + "* | wc -l); for f in " + piece + "*; do n=$((n+1)); " +
			start(base, on, op) + formFields(each) +
			` --form-string part=$n --form-string total_parts=$((total)) "$@" -F "content=@$f" || break; set --; done`,
	}
}

// packedName is the name of the archive that a hint packs.
const packedName = "site.tar.gz"

// packing returns the command that sends a whole folder: tar packs it, and curl sends the output. but is a file that
// the service cannot take and tar leaves out, "" if none.
func packing(base string, on Request, op sandlot.Op, args []sandlot.Arg, but string) string {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	if Showable(but) {
		but = " --exclude=" + Quote(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(but))
	} else {
		but = ""
	}
	return "tar -cz" + but + " -C " + Quote(unknownFolder) + " . | " + start(base, on, op) +
		formFields(withDefaults(on, op, args)) + " -F " + Quote("archive=@-;filename="+packedName)
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

// deletions returns a call for each of the files in the request's list, for at most MostFiles of them. The first call
// has those of the arguments said that do not describe a file.
func deletions(base string, on Request, said []sandlot.Arg) (lines []string) {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	id := argument(on.Args, "project_id", unknownProject)
	for _, name := range on.Files[:min(len(on.Files), MostFiles)] {
		clean, _, err := names.ReadFilename(name)
		if err != nil || clean == "" {
			clean = unknownFile // a suggestion may be the name of another file
		}
		one := []sandlot.Arg{{Name: "project_id", Value: id}, {Name: "filename", Value: clean}}
		for _, a := range said {
			if slices.Contains(ofProject, a.Name) {
				one = append(one, a)
			}
		}
		lines, said = append(lines, CurlOf(base, on, sandlot.OpDeleteFile, one)), nil
	}
	return lines
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

// A member is one of many files in a JSON hint.
type member struct {
	Filename string `json:"filename"`
	Text     string `json:"text"`
}

// members returns the argument that brings the files of a call as JSON: their texts, each a placeholder. ok is false if
// a form is better: if the request was one, for archives and parts, and for files that are not text.
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
