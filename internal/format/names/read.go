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

// machineRoots are the folders at the top of a disk in which people and programs keep their work, and homes are the
// folders that hold a folder for each person. Neither changes.
var (
	machineRoots = []string{"home", "Users", "root", "tmp", "var", "etc", "mnt", "app", "workspace", "workspaces", "usr", "opt"}
	homes        = []string{"home", "Users"}
	// containers are folders of a person that hold projects, or lead to them.
	containers = []string{
		"Documents", "Desktop", "Downloads", "projects", "Projects", "repos", "code", "Code", "dev", "work", "workspace", "git", "GitHub", "www", "html", "data",
	}
)

// machinePath splits a path of the sender's machine into the folder that is most likely the project's and the rest. ok
// is false for any other name.
func machinePath(s string) (root, rest string, ok bool) {
	drive := ""
	if len(s) > 1 && s[1] == ':' && strings.IndexByte(letters, s[0]) >= 0 {
		drive, s = s[:2], s[2:]
	}
	parts := strings.Split(strings.TrimPrefix(path.Clean("/"+s), "/"), "/")
	home := strings.HasPrefix(s, "~/")
	if drive == "" && !home && (!strings.HasPrefix(s, "/") || !slices.Contains(machineRoots, parts[0])) {
		return "", "", false
	}
	n := rootLength(parts)
	root = strings.Join(parts[:n], "/")
	if drive != "" || root != "" && !home {
		root = drive + "/" + root
	}
	return root, strings.Join(parts[n:], "/"), true
}

// rootLength returns how many of the parts lead to the project's folder. At least the file is left.
func rootLength(parts []string) int {
	most := len(parts) - 1
	n := 0
	if len(parts) > 2 && parts[0] == "mnt" && len(parts[1]) == 1 { // a drive of Windows, as its Linux mounts it
		n = 2
	}
	switch {
	case n < most && slices.Contains(homes, parts[n]):
		n += 2
	case n < most && (parts[n] == "~" || slices.Contains(machineRoots, parts[n])):
		n++
	}
	for n < most && slices.Contains(containers, parts[n]) {
		n++
	}
	return min(n+1, most)
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
