package web

import (
	"bytes"
	"html/template"
	"sync"

	"sandlot/internal/publish"
)

const (
	// maxSheets bounds the pages that are kept, in bytes: some thousand projects at 15 KB in one language.
	maxSheets = 16 << 20
	// sheetCost is what a page takes beside its text: its pieces and its place in the map.
	sheetCost = 2 << 10
)

// A sheet is the page of a project but for what moves: that is put into its holes for each who
// looks. Of a template it takes a millisecond to make, so it is kept while the project stays as
// it is.
type sheet struct {
	change int64    // of the project, as it was then
	pieces [][]byte // what is written, and in between the names of the holes
	size   int

	mu    sync.Mutex
	moved moving // as it was found last
}

// hole marks in what a template writes the place of something that moves. Nobody else can write
// it: a NUL is escaped everywhere.
const hole = "\x00"

// Hole is the place of what moves.
func (v view) Hole(name string) template.HTML { return template.HTML(hole + name + hole) }

func newSheet(body []byte, change int64) *sheet {
	s := &sheet{change: change, pieces: bytes.Split(bytes.Clone(body), []byte(hole)), size: len(body) + sheetCost}
	return s
}

// write fills the holes in.
func (s *sheet) write(to *bytes.Buffer, fill func(to *bytes.Buffer, name string)) {
	for i, piece := range s.pieces {
		if i%2 == 0 {
			to.Write(piece)
		} else {
			fill(to, string(piece))
		}
	}
}

// sheets keeps the pages of projects as they are for whoever has no login. When it is full a new
// one takes the place of any others. It may be used concurrently.
type sheets struct {
	mu   sync.RWMutex
	kept map[sheetKey]*sheet
	size int
}

type sheetKey struct {
	id   publish.ProjectID
	lang string
}

// get returns the page of a project as it is now, nil if there is none.
func (s *sheets) get(key sheetKey, change int64) *sheet {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if found := s.kept[key]; found != nil && found.change == change {
		return found
	}
	return nil
}

func (s *sheets) put(key sheetKey, made *sheet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[sheetKey]*sheet{}
	}
	s.drop(key)
	for other := range s.kept {
		if s.size+made.size <= maxSheets {
			break
		}
		s.drop(other)
	}
	s.kept[key] = made
	s.size += made.size
}

// drop is called under the mutex.
func (s *sheets) drop(key sheetKey) {
	if before := s.kept[key]; before != nil {
		delete(s.kept, key)
		s.size -= before.size
	}
}
