package sqlstore

import (
	"slices"
	"strings"

	"sandlot"
)

// fileSpan is a file from the version in which it came to the one in which it went.
type fileSpan struct {
	since, until int
	name         string
	size         int64
	sha256       sandlot.Digest
}

func scanFileSpan(r row) (f fileSpan, err error) {
	err = r.Scan(&f.since, &f.until, &f.name, &f.size, asDigest{&f.sha256})
	return f, err
}

// fillChanges fills in the changes of each version against the one before it, which follows it in the list, if
// both are there whole.
func fillChanges(list []sandlot.VersionChange, files []fileSpan) {
	came, went := map[int][]fileSpan{}, map[int][]fileSpan{}
	slices.SortFunc(files, func(a, b fileSpan) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		came[f.since] = append(came[f.since], f)
		went[f.until] = append(went[f.until], f)
	}
	for i := range list {
		v := &list[i]
		v.Known = !v.Erased && (v.N == 1 || i+1 < len(list) && !list[i+1].Erased)
		if v.Known {
			tell(v, came[v.N], went[v.N])
		}
	}
}

// tell fills in the files that came with a version and those that went with it, both by name.
func tell(v *sandlot.VersionChange, came, went []fileSpan) {
	old := make(map[string]fileSpan, len(went))
	for _, f := range went {
		old[f.name] = f
	}
	fresh := make(map[string]bool, len(came))
	for _, f := range came {
		fresh[f.name] = true
	}
	gone := map[sandlot.Digest][]string{} // removed names by content: a file that came with it was renamed
	for _, f := range went {
		if !fresh[f.name] {
			v.Removed = append(v.Removed, f.name)
			gone[f.sha256] = append(gone[f.sha256], f.name)
		}
	}
	moved := map[string]bool{}
	for _, f := range came {
		c := sandlot.FileChange{Name: f.name, Before: -1, Size: f.size}
		before, stays := old[f.name]
		from := gone[f.sha256]
		switch {
		case stays:
			v.Changed, c.Before = append(v.Changed, f.name), before.size
		case len(from) > 0:
			c.From, c.Before, gone[f.sha256] = from[0], f.size, from[1:]
			moved[c.From] = true
			fallthrough
		default:
			v.Added = append(v.Added, f.name)
		}
		v.Files = append(v.Files, c)
	}
	for _, name := range v.Removed {
		if !moved[name] {
			v.Files = append(v.Files, sandlot.FileChange{Name: name, Before: old[name].size, Size: -1})
		}
	}
	slices.SortFunc(v.Files, func(a, b sandlot.FileChange) int { return strings.Compare(a.Name, b.Name) })
}
