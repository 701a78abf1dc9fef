package intake

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"sandlot"
	"sandlot/internal/format/unpack"
	"sandlot/internal/transport/intake/hint"
)

// headMost is the length of the head of a refused body that decides its format, in bytes: as much as unpack.Sniff
// needs.
const headMost = 512

// typeOf is the media type for a body in each archive format. It never changes.
var typeOf = map[unpack.Format]string{
	unpack.ZIP: "application/zip", unpack.Tar: "application/x-tar", unpack.TarGzip: "application/gzip", unpack.TarZstd: "application/zstd",
}

// A Sight is the format of a bare body that was sent under a wrong type, as curl --data-binary does.
type Sight struct {
	archive unpack.Format // "" for none
	page    bool
}

// mayBeRaw reports whether a refused body may be a bare file or a bare archive.
func (c *Call) mayBeRaw(refusal error) bool {
	return c.Takes != nil && c.Takes.content && (errors.Is(refusal, sandlot.CodeUnsupportedMediaType) || errors.Is(refusal, sandlot.CodeMethodNotAllowed))
}

// look records the format in which a refused body begins, and adds to the refusal how to send such a body. It reports
// whether the body is a file or an archive, whose bytes hold no fields.
func (c *Call) look(r *bufio.Reader, refusal error) bool {
	head, _ := r.Peek(headMost) // shorter if the body is
	format, ok := unpack.Sniff(head)
	c.Sight = Sight{format, !ok && bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("<"))}
	if !ok && !c.Sight.page {
		return false
	}
	var e *sandlot.Error
	switch {
	case !errors.As(refusal, &e) || e.Code != sandlot.CodeUnsupportedMediaType:
	case ok:
		e.Fix.Note = fmt.Sprintf("The body begins as a %s does. Say Content-Type: %s, with the other fields in the query, or send it in a form:", format, typeOf[format])
	default:
		e.Fix.Note = "The body is the file itself, which a form takes as it is:"
	}
	return true
}

// lookAtMost limits a body that is not worth a search to the bytes that look needs.
func lookAtMost(r io.Reader, worth bool, most int64) io.Reader {
	if !worth {
		most = headMost
	}
	return io.LimitReader(r, most)
}

// Onto adds the format of the body to a hint: the rest of such a body holds no fields for the corrected call.
func (s Sight) Onto(on *hint.Request) {
	on.Cut = on.Cut && s == Sight{}
	if s.archive != "" {
		on.Archive = "site." + string(s.archive)
	}
}
