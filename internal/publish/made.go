package publish

import (
	"encoding/json"
	"fmt"
	"time"
)

// made is what a step leaves of its version for the answer that may be given again:
// that version, and the one before, may be erased meanwhile.
type made struct {
	Title    string
	Suffix   string
	At       time.Time
	Filename string // of the file that it brought
	Created  bool   // whether the file was new
	Size     int64
	SHA256   Digest
	Text     bool
}

func madeOf(title, suffix string, at time.Time, f File, created bool) made {
	return made{title, suffix, at, f.Name, created, f.Blob.Size, f.Blob.SHA256, f.Blob.Text}
}

func (m made) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("describe what was made: %w", err)
	}
	return text, nil
}

// readMade is false for what was recorded before there was anything to read.
func readMade(text []byte) (m made, ok bool) {
	return m, len(text) > 0 && json.Unmarshal(text, &m) == nil
}

// version is a project as the step left it, and the file.
func (m made) version(p Project, n int) (Project, []File) {
	f := File{Name: m.Filename, Blob: Blob{Size: m.Size, SHA256: m.SHA256, Text: m.Text}}
	p.Version, p.Suffix, p.Title, p.UpdatedAt = n, m.Suffix, m.Title, m.At
	return p, []File{f}
}
