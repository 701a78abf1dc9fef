package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sandlot/internal/client/client"
)

// unreadable says that a file or folder cannot be read, and where its owner can change that, how.
func unreadable(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path != "." && !filepath.IsAbs(at.Path) && at.Path != path {
		path = filepath.Join(path, at.Path)
	}
	f := &Failure{Message: fmt.Sprintf("%s cannot be read: %v; nothing was sent", path, cause(err)), Exit: exitOther, cause: err}
	if errors.Is(err, fs.ErrPermission) {
		f.Notes, f.Fix = []string{"Let it be read, or leave it out by a line in " + rulesFile + ":"}, []string{command("chmod", "-R", "u+rX", path)}
	}
	return f
}

// unnamed refuses a file whose name cannot be its address.
func (t *tree) unnamed(at, why string) error {
	return &Failure{
		Message: fmt.Sprintf("the name of %s %s; nothing was sent", clean(at), why),
		Notes:   []string{"Rename it, also where it is used:"},
		Fix:     []string{renaming(t.root.Name(), at, strings.ReplaceAll(strings.ToValidUTF8(at, "_"), `\`, "_"))},
		Exit:    ExitContent,
	}
}

// renaming is the command that gives a file of a folder another name, one that no other file has.
func renaming(dir, from, to string) string {
	ext := path.Ext(to)
	for free, n := to, 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(dir, free)); errors.Is(err, fs.ErrNotExist) || n > treeMost {
			return "mv " + exactly(filepath.Join(dir, from)) + " " + command(filepath.Join(dir, free))
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(to, ext), n, ext)
	}
}

// exactly is one word of a shell, of whatever bytes it is.
func exactly(word string) string {
	if clean(word) == word && norm.NFC.IsNormalString(word) {
		return command(word)
	}
	var octal strings.Builder
	for i := range len(word) {
		fmt.Fprintf(&octal, "\\%03o", word[i])
	}
	return `"$(printf '` + octal.String() + `')"`
}

// quotedNames finds the names in a message of the API.
var quotedNames = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// named are the files that a message of the API is about, as they lie in the folder.
func (p place) named(message string) (list []string) {
	for _, quoted := range quotedNames.FindAllString(message, 2) {
		name, err := strconv.Unquote(quoted)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.dir, name)); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// misnamed proposes to rename the file of the folder whose name the server does not take.
func misnamed(s *session, e *client.Error, f *Failure) {
	files, usable := s.place.named(e.Message), ""
	for line := range strings.Lines(e.Hint) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), usableName); ok {
			usable = name
		}
	}
	switch name := suggested(e.Hint); {
	case slices.Contains(s.env.Args, "update") && name != "":
		f.Fix = []string{s.env.again("--as", name)}
	case len(files) > 0 && filepath.IsLocal(usable):
		f.Notes, f.Fix = []string{"Rename it, also where it is used, and publish again:"}, []string{renaming(s.place.dir, files[0], usable), s.env.again()}
	}
}

// usableName stands in a hint of the API before a name that it takes.
const usableName = "A name that works: "
