package api

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sandlot/internal/content"
	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// mostPart is the largest part that a hint cuts: it is sent again whole if the
// connection breaks.
const mostPart = 64 << 20

// cutIntoParts shows how to send a file that is too large for one call: cut by
// split, each piece one part of an upload of its own. What the request said goes
// with part 1.
func cutIntoParts(base string, on request, op publish.Op, args []publish.Arg) []string {
	id := rand.Text()
	whole := slices.DeleteFunc(withDefaults(on, op, args), func(a publish.Arg) bool {
		return slices.Contains([]string{"upload_id", "part", "total_parts"}, a.Name)
	})
	each := []publish.Arg{{Name: "upload_id", Value: id}}
	first := slices.DeleteFunc(slices.Clone(whole), func(a publish.Arg) bool { return a.Name == "project_id" })
	if project := argument(whole, "project_id", ""); project != "" {
		each = append(each, publish.Arg{Name: "project_id", Value: project})
	}
	file, piece := on.file(whole), "sandlot-"+strings.ToLower(id[:8])+"-"
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	size := min(on.limit, mostPart)
	return []string{
		fmt.Sprintf("Cut the file into parts of at most %d bytes, and send each as one part of an upload:", size),
		fmt.Sprintf("split -a 4 -b %d %s %s", size, quote(file), piece),
		"set --" + formFields(first) + "; n=0; total=$(ls " + piece + "* | wc -l); for f in " + piece + "*; do n=$((n+1)); " +
			start(base, on, op) + formFields(each) + ` --form-string part=$n --form-string total_parts=$((total)) "$@" -F "content=@$f" || break; set --; done`,
	}
}

// mostFiles bounds the files of a list for which commands are shown.
const mostFiles = 20

// oneByOne shows what to do with a list of files: publish takes the page, and
// update one file after another.
func oneByOne(base string, on request, op publish.Op, args []publish.Arg) []string {
	args = slices.DeleteFunc(slices.Clone(args), func(a publish.Arg) bool { return a.Name == "filename" })
	rest, lines := on.files, []string{}
	if op == publish.OpPublish {
		page := mainPage(rest)
		rest = slices.DeleteFunc(slices.Clone(rest), func(name string) bool { return name == page })
		lines = append(lines, "One call takes one file. Publish the page, then send each other file with update, under the project_id and with the api_key of the answer:")
		on.local = page
		lines = append(lines, command(base, on, op, args))
	} else {
		lines = append(lines, "One call takes one file. Send one after the other:")
	}
	id := argument(on.args, "project_id", unknownProject)
	for i, name := range rest {
		if i == mostFiles {
			lines = slices.Insert(lines, 1, fmt.Sprintf("These are the first %d; send the others likewise.", mostFiles))
			break
		}
		on.local = localName(name)
		one := []publish.Arg{{Name: "project_id", Value: id}, {Name: "filename", Value: usable(name)}}
		lines = append(lines, command(base, on, publish.OpUpdate, one))
	}
	return lines
}

// usable is a filename for a file that was listed under this name.
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

// mainPage is the file of a list that a publish would take.
func mainPage(files []string) string {
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

// filesIn gives the names in a list of files as clients write one: objects with a
// name, names alone, or an object of names and contents.
func filesIn(field content.Field) (list []string) {
	var many []json.RawMessage
	if json.Unmarshal([]byte(field.Raw), &many) == nil {
		for _, one := range many {
			list = append(list, nameIn(one))
		}
	} else {
		var byName map[string]json.RawMessage
		if json.Unmarshal([]byte(field.Raw), &byName) == nil {
			for name := range byName {
				list = append(list, name)
			}
			slices.Sort(list)
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return !showable(name) })
}

func nameIn(one json.RawMessage) string {
	var name string
	if json.Unmarshal(one, &name) == nil {
		return name
	}
	var fields map[string]any
	if json.Unmarshal(one, &fields) != nil {
		return ""
	}
	for _, key := range []string{"filename", "path", "name", "file"} {
		if name, ok := fields[key].(string); ok {
			return name
		}
	}
	return ""
}
