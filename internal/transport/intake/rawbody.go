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

// headMost is how much of a refused body is looked at to tell what it is: as much as unpack.Sniff wants.
const headMost = 512

// typeOf is the media type under which a body that is an archive is taken. It never changes.
var typeOf = map[unpack.Format]string{
	unpack.ZIP: "application/zip", unpack.Tar: "application/x-tar", unpack.TarGzip: "application/gzip", unpack.TarZstd: "application/zstd",
}

// A sight is what a body begins as that was sent as it is, under a type that says something else, as curl --data-binary does.
type Sight struct {
	archive unpack.Format // "" for none
	page    bool
}

// mayBeRaw reports whether a refused body may be a file, or an archive of files, as it is.
func (c *Call) mayBeRaw(refusal error) bool {
	return c.Takes != nil && c.Takes.content && (errors.Is(refusal, sandlot.CodeUnsupportedMediaType) || errors.Is(refusal, sandlot.CodeMethodNotAllowed))
}

// look keeps what a refused body begins as, and says how such a body is sent. It reports whether it is a file or an archive,
// whose bytes hold no fields.
func (c *Call) look(r *bufio.Reader, refusal error) bool {
	head, _ := r.Peek(headMost) // what there is of it
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

// lookAtMost bounds what is read of a body that is not worth a search to what look needs.
func lookAtMost(r io.Reader, worth bool, most int64) io.Reader {
	if !worth {
		most = headMost
	}
	return io.LimitReader(r, most)
}

// onto tells a hint what the body is: there are no fields in the rest of it that the corrected call would need.
func (s Sight) Onto(on *hint.Request) {
	on.Cut = on.Cut && s == Sight{}
	if s.archive != "" {
		on.Archive = "site." + string(s.archive)
	}
}
