package client

import (
	"encoding/base64"
	"io"
)

// withContent returns the body of a request: the fields, a JSON object, with the content as base64 at its end. The body
// is made as it is read, so content of any size takes a few KiB of memory. The HTTP client closes the body, and that
// ends the writer.
func withContent(fields []byte, content io.Reader) io.ReadCloser {
	body, w := io.Pipe()
	go func() { w.CloseWithError(writeContent(w, fields, content)) }()
	return body
}

// writeContent writes the body of withContent. Its error is that of content or of w.
func writeContent(w io.Writer, fields []byte, content io.Reader) error {
	begin := fields[:len(fields)-1] // without the closing brace
	if len(begin) > 1 {
		begin = append(begin, ',')
	}
	if _, err := w.Write(append(begin, `"content":"`...)); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.CopyBuffer(text, struct{ io.Reader }{content}, make([]byte, 48<<10)); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, `"}`)
	return err
}
