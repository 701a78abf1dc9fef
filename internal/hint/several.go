package hint

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// mostPart is the largest part that a hint proposes, in bytes: if the connection breaks, the
// whole part has to be sent again.
const mostPart = 64 << 20

// cutIntoParts shows how to send a file that is too large for one call: split cuts it, and each
// piece is one part of a new upload. The other arguments of the request go with part 1.
func cutIntoParts(base string, on Request, op publish.Op, args []publish.Arg) []string {
	id := rand.Text()
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	whole := slices.DeleteFunc(withDefaults(on, op, args), func(a publish.Arg) bool {
		return slices.Contains([]string{"upload_id", "part", "total_parts"}, a.Name)
	})
	each := []publish.Arg{{Name: "upload_id", Value: id}}
	first := slices.DeleteFunc(slices.Clone(whole), func(a publish.Arg) bool { return a.Name == "project_id" })
	if project := argument(whole, "project_id", ""); project != "" {
		each = append(each, publish.Arg{Name: "project_id", Value: project})
	}
	file, piece := on.file(whole), "sandlot-"+strings.ToLower(id[:8])+"-"
	if has(on.Args, "part") && argument(on.Args, "total_parts", "") != "1" {
		file = "<whole file>" // what was sent is a piece of it
	}
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	size := min(on.Limit, mostPart)
	return []string{
		fmt.Sprintf("Cut the file into parts of at most %d bytes, and send each as one part of an upload:", size),
		fmt.Sprintf("split -a 4 -b %d %s %s", size, Quote(file), piece),
		"set --" + formFields(first) + "; n=0; total=$(ls " + piece + "* | wc -l); for f in " + piece + "*; do n=$((n+1)); " +
			start(base, on, op) + formFields(each) + ` --form-string part=$n --form-string total_parts=$((total)) "$@" -F "content=@$f" || break; set --; done`,
	}
}

// mostFiles is the most files of a list for which calls are shown.
const mostFiles = 20

// oneByOne shows how to send a list of files: the page by publish, if the request was one, and
// every other file by an update of its own.
func oneByOne(base string, on Request, op publish.Op, args []publish.Arg) []string {
	args = slices.DeleteFunc(slices.Clone(args), func(a publish.Arg) bool { return a.Name == "filename" })
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	rest, lines := on.Files, []string{}
	if op == publish.OpPublish {
		page := MainPage(rest)
		rest = slices.DeleteFunc(slices.Clone(rest), func(name string) bool { return name == page })
		lines = append(lines, "One call takes one file. Publish the page, then send each other file with update, under the project_id and with the api_key of the answer:")
		on.Local = page
		lines = append(lines, CurlOf(base, on, op, args))
		args = nil
	} else {
		lines = append(lines, "One call takes one file. Send one after the other:")
	}
	if len(rest) > mostFiles {
		lines = slices.Insert(lines, 1, fmt.Sprintf("These are the first %d; send the others likewise.", mostFiles))
	}
	return append(lines, eachFile(base, on, publish.OpUpdate, rest, args)...)
}

// CurlEach returns a call of update for each of these files, for at most 20 of them.
func CurlEach(base string, on Request, files []string) []string {
	return eachFile(base, on, publish.OpUpdate, files, nil)
}

// eachFile returns a call for each of these files, for at most mostFiles of them. The first call
// has those of the arguments said that are about the project.
func eachFile(base string, on Request, op publish.Op, files []string, said []publish.Arg) (lines []string) {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	id := argument(on.Args, "project_id", unknownProject)
	for _, name := range files[:min(len(files), mostFiles)] {
		on.Local = LocalName(name)
		one := []publish.Arg{{Name: "project_id", Value: id}, {Name: "filename", Value: usable(name)}}
		if clean, _, err := names.ReadFilename(name); op == publish.OpDeleteFile && (err != nil || clean == "") {
			one[1].Value = unknownFile // what is usable instead may be another file's name
		}
		for _, a := range said {
			if slices.Contains(ofProject, a.Name) {
				one = append(one, a)
			}
		}
		lines, said = append(lines, CurlOf(base, on, op, one)), nil
	}
	return lines
}

// ofProject are the arguments of an update that are not about its file.
var ofProject = []string{"title", "lang", "email", "if_version"}

// usable returns a filename that the service takes for a file that was listed under this name.
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

// MainPage returns the file of a list that a publish should send: an index.html, else any other
// page, else "index.html".
func MainPage(files []string) string {
	for _, is := range []func(string) bool{
		func(name string) bool { return strings.EqualFold(path.Base(name), "index.html") },
		func(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".html") },
	} {
		if i := slices.IndexFunc(files, is); i >= 0 {
			return files[i]
		}
	}
	return "index.html"
}
