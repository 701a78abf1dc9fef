package api

import (
	"bufio"
	"bytes"

	"sandlot/internal/publish"
)

// manyFiles is the member "files" of an answer.
type manyFiles struct {
	Files fileList `json:"files"`
}

func (m manyFiles) list() fileList { return m.Files }

// lists is an answer that has files.
type lists interface{ list() fileList }

// A fileList is files as an answer tells of them. In the JSON of the answer a long one is empty, and answerLong fills it.
type fileList struct {
	files []publish.File
	info  func(publish.File) any
}

// mostHeld is how many files an answer may list and still be made as a whole: some 30 KB. Of 10,000 files the answer
// would take several times its 3 MB.
const mostHeld = 100

func (l fileList) long() bool { return len(l.files) > mostHeld }

// MarshalJSON implements json.Marshaler.
func (l fileList) MarshalJSON() ([]byte, error) {
	if l.long() {
		return []byte("[]"), nil
	}
	list := make([]any, len(l.files))
	for i, f := range l.files {
		list[i] = l.info(f)
	}
	out, err := encode(list)
	return bytes.TrimSuffix(out, []byte("\n")), err
}

// answerLong writes the JSON of an answer whose list is long, and the list in its place, as it is made.
func (c *call) answerLong(status int, text []byte, l fileList) error {
	before, after, _ := bytes.Cut(text, []byte(`"files":[]`)) // in a string the quotes would be escaped
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	w := bufio.NewWriterSize(c.w, 16<<10) // its error means that the client is gone: what was done stays done
	_, _ = w.Write(before)
	_, _ = w.WriteString(`"files":[`)
	for i, f := range l.files {
		info, err := encode(l.info(f))
		if err != nil {
			return nil // never: strings and numbers alone are in it
		}
		if i > 0 {
			_ = w.WriteByte(',')
		}
		if _, err := w.Write(bytes.TrimSuffix(info, []byte("\n"))); err != nil {
			return nil
		}
	}
	_ = w.WriteByte(']')
	_, _ = w.Write(after)
	_ = w.Flush()
	return nil
}
