package unpack

import (
	"bufio"
	"cmp"
	"io"
	"iter"
)

// A ZIPFile is an open ZIP, whose files are read in any order. One goroutine at a time uses it.
type ZIPFile struct {
	r       *sourceAt
	size    int64
	list    *list
	entries []zipEntry
	at      map[string]int // the files' indexes in the directory
	deflate io.ReadCloser  // reused for each file
	buf     *bufio.Reader  // the buffer for one file
}

// OpenZIP checks the directory of a ZIP of size bytes, as ReadZIP does, and reads none of its files.
func OpenZIP(r io.ReaderAt, size int64, lim Limits) (*ZIPFile, error) {
	z := &ZIPFile{r: &sourceAt{r: r}, size: size, list: newList(lim), at: map[string]int{}}
	if err := z.check(); err != nil {
		return nil, cmp.Or(z.r.err, err)
	}
	for i, e := range z.entries {
		if !e.folder {
			z.at[e.name] = i
		}
	}
	return z, nil
}

// Files returns the regular files, in the order of the directory.
func (z *ZIPFile) Files() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range z.entries {
			if e := &z.entries[i]; !e.folder && !yield(e.entry()) {
				return
			}
		}
	}
}

// Find returns the file of that name.
func (z *ZIPFile) Find(name string) (Entry, bool) {
	if i, ok := z.at[name]; ok {
		return z.entries[i].entry(), true
	}
	return Entry{}, false
}

// Read calls each for one file, as ReadZIP does. A missing file is an *Error, too.
func (z *ZIPFile) Read(name string, each Each) error {
	if i, ok := z.at[name]; ok {
		return z.read(&z.entries[i], each)
	}
	return bad(name, Truncated, "the file is not in the archive")
}

func (z *ZIPFile) read(e *zipEntry, each Each) error {
	err := z.entry(e, each)
	return cmp.Or(z.r.err, err)
}
