package sqlstore

import (
	"math"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// current is the end of a file that no version has ended.
const current = math.MaxInt64

// A history holds the first records of a new project: its versions, and each file with the version that added it and
// the version that no longer has it.
type history struct {
	versions []sandlot.Version
	files    []pastFile
	size     int64 // of the files of the last version
	count    int   // of the same
}

type pastFile struct {
	*sandlot.File
	since, until int64
}

// historyOf fails if a version lacks its primary file, has two files of one name, or drops a file that the previous
// version lacks.
func historyOf(np publish.NewProject) (h history, err error) {
	last := sandlot.Version{Primary: np.Primary}
	at := listing{map[string]int{}, map[string]bool{}}
	for i := range len(np.Later) + 1 {
		c := publish.Change{Put: np.Files}
		v := sandlot.Version{N: 1, Suffix: np.Suffix, Title: np.Title, Primary: np.Primary, CreatedAt: stored(np.CreatedAt)}
		if i > 0 {
			later := np.Later[i-1]
			c = later.Change
			v = sandlot.Version{
				N: i + 1, Suffix: later.Suffix, Title: later.Title, Primary: last.Primary, CreatedAt: stored(later.At),
				RestoredFrom: later.RestoredFrom,
			}
			if c.Primary != "" {
				v.Primary = c.Primary
			}
		}
		if err := h.change(v.N, c, at); err != nil {
			return h, err
		}
		if !at.names[v.Primary] {
			return h, sandlot.ErrNoPrimary
		}
		h.versions, last = append(h.versions, v), v
	}
	h.count = len(at.folded)
	return h, nil
}

type listing struct {
	folded map[string]int // where in the history, by their folded names
	names  map[string]bool
}

// change adds a version's files to a history, and ends the files that it drops.
func (h *history) change(n int, c publish.Change, at listing) error {
	for _, f := range c.Drop {
		i, there := at.folded[f.Folded]
		if !there || !at.names[f.Name] {
			return sandlot.ErrNotFound
		}
		h.files[i].until = int64(n)
		h.size -= h.files[i].Blob.Size
		delete(at.folded, f.Folded)
		delete(at.names, f.Name)
	}
	for i := range c.Put {
		f := &c.Put[i]
		if _, taken := at.folded[f.Folded]; taken {
			return sandlot.ErrExists
		}
		at.folded[f.Folded], at.names[f.Name] = len(h.files), true
		h.files = append(h.files, pastFile{f, int64(n), current})
		h.size += f.Blob.Size
	}
	return nil
}

func (h *history) last() sandlot.Version { return h.versions[len(h.versions)-1] }

func (h *history) bytes() (n int64) {
	for _, f := range h.files {
		n += f.Blob.Size
	}
	return n
}

func (h *history) blobs() []sandlot.Blob {
	list := make([]sandlot.Blob, len(h.files))
	for i, f := range h.files {
		list[i] = f.Blob
	}
	return list
}
