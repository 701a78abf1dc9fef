package unpack

import (
	"io"
	"iter"
)

// A ZIPFile is an open ZIP, whose files are read in any order. One goroutine at a time uses it.
type ZIPFile struct {
	z  *zipped
	at map[string]int // the files' indexes in the directory
}

// OpenZIP checks the directory of a ZIP of size bytes, as ReadZIP does, and reads none of its files.
func OpenZIP(r io.ReaderAt, size int64, lim Limits) (*ZIPFile, error) {
	z := &zipped{r: &sourceAt{r: r}, size: size, list: newList(lim)}
	if err := z.check(); err != nil {
		if z.r.err != nil {
			return nil, z.r.err
		}
		return nil, err
	}
	f := &ZIPFile{z, make(map[string]int, len(z.entries))}
	for i := range z.entries {
		if e := &z.entries[i]; !e.folder {
			f.at[e.name] = i
		}
	}
	return f, nil
}

// Files returns the regular files, in the order of the directory.
func (f *ZIPFile) Files() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range f.z.entries {
			if e := &f.z.entries[i]; !e.folder && !yield(e.entry()) {
				return
			}
		}
	}
}

// Find returns the file of that name.
func (f *ZIPFile) Find(name string) (Entry, bool) {
	i, ok := f.at[name]
	if !ok {
		return Entry{}, false
	}
	return f.z.entries[i].entry(), true
}

// Read calls each for one file, as ReadZIP does. A missing file is an *Error, too.
func (f *ZIPFile) Read(name string, each Each) error {
	i, ok := f.at[name]
	if !ok {
		return bad(name, Truncated, "the file is not in the archive")
	}
	return f.read(&f.z.entries[i], each)
}

func (f *ZIPFile) read(e *zipEntry, each Each) error {
	err := f.z.entry(e, each)
	if f.z.r.err != nil {
		return f.z.r.err
	}
	return err
}
