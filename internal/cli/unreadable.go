package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
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

// unnamed refuses a file whose name is no text, for it could have no address.
func (t *tree) unnamed(at string) error {
	var octal strings.Builder
	for i := range len(at) {
		fmt.Fprintf(&octal, "\\%03o", at[i])
	}
	dir := t.root.Name()
	return &Failure{
		Message: fmt.Sprintf("the name of %s is not UTF-8, so it can have no address; nothing was sent", clean(at)),
		Notes:   []string{"Rename it, also where it is used:"},
		Fix:     []string{fmt.Sprintf(`mv %s/"$(printf '%s')" %s`, command(dir), octal.String(), command(filepath.Join(dir, strings.ToValidUTF8(at, "_"))))},
		Exit:    ExitContent,
	}
}
