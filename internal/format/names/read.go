package names

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// ReadFilename is Filename for a name from a person or program: it also accepts a name that begins with "./" or "/", or
// has "\\" between folders, for these have one reading. changed reports such a change, and the caller must warn of it.
// A path of the sender's machine is refused: it does not show which folder is the project's. The error's Root is then
// the likely one, and its Suggestion the rest of the path.
func ReadFilename(s string) (name string, changed bool, err error) {
	plain := slashed(s)
	if root, rest, ok := machinePath(plain); ok {
		return "", false, &FilenameError{
			Reason:     fmt.Sprintf("The filename %s is a path on your machine, and names begin at the project's own folder.", quoted(s)),
			Suggestion: suggest(rest),
			Root:       root,
		}
	}
	plain = relativeName(plain)
	if name, err = Filename(plain); err != nil {
		_, err = Filename(s)
		return "", false, err
	}
	return name, plain != s, nil
}

// slashed returns s with slashes for backslashes.
func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// relativeName removes a beginning that only marks the root of the project, or the current folder. Two slashes begin
// the name of another machine, so they stay and are refused.
func relativeName(s string) string {
	if rest, ok := strings.CutPrefix(s, "/"); ok && !strings.HasPrefix(rest, "/") {
		s = rest
	}
	for strings.HasPrefix(s, "./") && !strings.HasPrefix(s, ".//") {
		s = s[len("./"):]
	}
	return s
}

// machineRoots are the folders at the top of a disk in which people and programs keep their work. It never changes.
var machineRoots = strings.Fields("home Users root tmp var etc mnt app workspace workspaces usr opt")

// machinePath splits a path of the sender's machine into the folder that is most likely the project's, and the rest: ok
// is false for any other name. Projects lie two folders deep, below a person's folder three, and on a drive one.
func machinePath(s string) (root, rest string, ok bool) {
	lead, depth := "", 2
	switch top, _, _ := strings.Cut(strings.TrimPrefix(s, "/"), "/"); {
	case len(s) > 1 && s[1] == ':' && strings.IndexByte(letters, s[0]) >= 0:
		lead, s, depth = s[:2]+"/", s[2:], 1
	case strings.HasPrefix(s, "/") && slices.Contains(machineRoots, top):
		lead = "/"
	case !strings.HasPrefix(s, "~/"):
		return "", "", false
	}
	parts := strings.Split(strings.TrimPrefix(path.Clean("/"+s), "/"), "/")
	if parts[0] == "home" || parts[0] == "Users" {
		depth = 3
	}
	depth = min(depth, len(parts)-1)
	return lead + strings.Join(parts[:depth], "/"), strings.Join(parts[depth:], "/"), true
}

// Relative removes the folders that all these names have in common, so that each begins at the innermost folder of them
// all.
func Relative(list []string) (short []string) {
	common := path.Dir(list[0]) + "/"
	for _, name := range list {
		for !strings.HasPrefix(name, common) && common != "./" {
			common = path.Dir(strings.TrimSuffix(common, "/")) + "/"
		}
	}
	for _, name := range list {
		short = append(short, strings.TrimPrefix(name, common))
	}
	return short
}
