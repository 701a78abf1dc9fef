package names

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// ReadFilename is Filename for what people and programs send as one: it also takes a name that begins with "./" or "/", or
// has "\\" between folders, for these have one reading. changed tells that the name was read so, and that the caller owes
// a warning. A path of the sender's machine is refused: it does not tell which folder is the project's. The error's
// Root is then the likely one, and its Suggestion what stands after it.
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

// relativeName takes off what says only that a name begins here, or at the root of the project. Two slashes begin the
// name of another machine, so they stay and are refused.
func relativeName(s string) string {
	if rest, ok := strings.CutPrefix(s, "/"); ok && !strings.HasPrefix(rest, "/") {
		s = rest
	}
	for strings.HasPrefix(s, "./") && !strings.HasPrefix(s, ".//") {
		s = s[len("./"):]
	}
	return s
}

// machineRoots are the folders at the top of a disk in which people and programs keep their work, and homes are those
// whose next folder is a person's. Neither changes.
var (
	machineRoots = []string{"home", "Users", "root", "tmp", "var", "etc", "mnt", "app", "workspace", "workspaces", "usr", "opt"}
	homes        = []string{"home", "Users"}
	// containers are folders of a person that hold projects, or lead to them.
	containers = []string{
		"Documents", "Desktop", "Downloads", "projects", "Projects", "repos", "code", "Code", "dev", "work", "workspace", "git", "GitHub", "www", "html", "data",
	}
)

// machinePath takes a path of the sender's machine apart, into the folder that is most likely the project's and what
// stands after it. ok is false for any other name.
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

// rootLength is how many of the parts lead to the project's folder. At least the file is left.
func rootLength(parts []string) int {
	most := len(parts) - 1
	n := 0
	if len(parts) > 2 && parts[0] == "mnt" && len(parts[1]) == 1 { // a drive of Windows, seen from its Linux
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

// Relative takes the folders off that all these names have in common, so that each begins at the innermost folder of them all.
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
