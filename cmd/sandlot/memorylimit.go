package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// memoryLimit is how much memory the program may use, in bytes, and where that is
// said. Zero is a limit that nobody knows.
type memoryLimit struct {
	bytes int64
	from  string
}

// findMemory returns the least of what the machine has and what the control groups
// allow: the program's own and all above it, of both versions. root is the file
// system of Linux. What cannot be read does not count.
func findMemory(root fs.FS) memoryLimit {
	least := memoryLimit{fieldOf(root, "proc/meminfo", "MemTotal:") << 10, "/proc/meminfo"}
	for _, limit := range groupLimits(root) {
		if limit.bytes > 0 && (least.bytes <= 0 || limit.bytes < least.bytes) {
			least = limit
		}
	}
	if least.bytes <= 0 {
		return memoryLimit{}
	}
	return least
}

// groupLimits are all limits of control groups that hold for this program.
func groupLimits(root fs.FS) (all []memoryLimit) {
	paths := ownGroups(root)
	for _, m := range groupMounts(root) {
		own, ok := paths[m.unified]
		if !ok {
			continue
		}
		for folder := m.folderOf(own); ; folder = path.Dir(folder) {
			all = append(all, limitsIn(root, folder, m.unified)...)
			if folder == m.at || folder == "." {
				break
			}
		}
	}
	return all
}

// limitsIn reads those of one group.
func limitsIn(root fs.FS, folder string, unified bool) []memoryLimit {
	at := func(name string) string { return path.Join(folder, name) }
	if unified {
		return []memoryLimit{
			{numberIn(root, at("memory.max")), "/" + at("memory.max")},
			// Above it nothing is killed, but everything is slowed down until it is below.
			{numberIn(root, at("memory.high")), "/" + at("memory.high")},
		}
	}
	return []memoryLimit{
		{numberIn(root, at("memory.limit_in_bytes")), "/" + at("memory.limit_in_bytes")},
		// This includes groups above the mount, which a container does not see.
		{bounded(fieldOf(root, at("memory.stat"), "hierarchical_memory_limit")), "/" + at("memory.stat")},
	}
}

// ownGroups are the paths of the program's group for memory, by whether it is in the
// unified hierarchy, that of version 2.
func ownGroups(root fs.FS) map[bool]string {
	paths := map[bool]string{}
	for _, line := range linesOf(root, "proc/self/cgroup") {
		part := strings.SplitN(line, ":", 3)
		switch {
		case len(part) < 3:
		case part[0] == "0" && part[1] == "":
			paths[true] = part[2]
		case slices.Contains(strings.Split(part[1], ","), "memory"):
			paths[false] = part[2]
		}
	}
	return paths
}

// groupMount is where a hierarchy of control groups is mounted: at shows the group of
// that path and those below it.
type groupMount struct {
	unified  bool
	path, at string
}

func groupMounts(root fs.FS) (all []groupMount) {
	for _, line := range linesOf(root, "proc/self/mountinfo") {
		before, after, ok := strings.Cut(line, " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if !ok || len(where) < 5 || len(what) < 3 {
			continue
		}
		m := groupMount{unified: what[0] == "cgroup2", path: unescape(where[3]), at: strings.TrimPrefix(path.Clean(unescape(where[4])), "/")}
		if m.unified || what[0] == "cgroup" && slices.Contains(strings.Split(what[2], ","), "memory") {
			all = append(all, m)
		}
	}
	return all
}

// folderOf is where a group is seen: the mount itself if the group is not below it,
// as in a container that sees its own group as the root.
func (m groupMount) folderOf(group string) string {
	below, ok := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(m.path, "/"))
	if !ok || below != "" && below[0] != '/' || strings.HasPrefix(below, "/..") {
		return m.at
	}
	return path.Join(m.at, below)
}

// unescape reads a path of mountinfo, which has blanks and the like in octal.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// fieldOf is the number that follows a name at the beginning of a line; 0 if none does.
func fieldOf(root fs.FS, file, name string) int64 {
	for _, line := range linesOf(root, file) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64) // 0 is unknown
			return n
		}
	}
	return 0
}

// numberIn is the number that a file consists of; 0 if it says "max", or nothing.
func numberIn(root fs.FS, file string) int64 {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return bounded(n)
}

// bounded turns the number by which version 1 says "none" into 0.
func bounded(n int64) int64 {
	if n >= 1<<60 {
		return 0
	}
	return n
}

func linesOf(root fs.FS, file string) (all []string) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		all = append(all, lines.Text())
	}
	return all
}
