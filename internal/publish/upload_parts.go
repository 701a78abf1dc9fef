package publish

import (
	"context"
	"io"

	"sandlot/internal/failpoint"
	"sandlot/internal/names"
)

// checkPart refuses what cannot be a call of an upload. Where there is no usable
// upload_id it proposes to begin anew, under another one; where it cannot tell
// which part was meant, the client has to say: part 1 would replace what has been
// accepted.
func (s *Service) checkPart(in PartInput, c Content) error {
	again := func(e *Error) error { return e.With(OpSame, s.beginning()...) }
	same := func(e *Error) error { return e.With(OpSame) }
	unnumbered := func(e *Error) error {
		return e.With(OpSame, Arg{"part", PlaceholderPart}).Note("Parts are numbered from 1, in the order in which they make the file.")
	}
	switch {
	case in.UploadID == "":
		return again(Refuse(CodeMissingField, "The field upload_id is missing: it groups the parts of one upload.").In("upload_id"))
	case !visible(in.UploadID) || len(in.UploadID) > MaxUploadID:
		return again(Refuse(CodeInvalidField, "The field upload_id must be 1 to %d visible ASCII characters; %d bytes came.", MaxUploadID, len(in.UploadID)).In("upload_id"))
	case in.N == nil && in.Total == nil:
		return unnumbered(Refuse(CodeMissingField, "The field part is missing: an upload_id needs part with content, or total_parts alone.").In("part"))
	case in.N == nil && !c.Missing:
		return unnumbered(Refuse(CodeMissingField, "The field part is missing: content in an upload is one numbered part.").In("part"))
	case in.N != nil && (*in.N < 1 || *in.N > MaxParts):
		return unnumbered(Refuse(CodeInvalidField, "The field part is %d; parts run from 1 to %d.", *in.N, MaxParts).In("part"))
	case in.Total != nil && (*in.Total < 1 || *in.Total > MaxParts):
		return same(Refuse(CodeInvalidField, "The field total_parts is %d; it must be 1 to %d.", *in.Total, MaxParts).In("total_parts"))
	case in.N != nil && c.Missing:
		return same(Refuse(CodeMissingField, "The field content is missing: it holds the bytes of part %d in base64.", *in.N).In("content"))
	case in.Last && in.N == nil:
		return same(Refuse(CodeMissingField, "The field part is missing: last says that this part is the last.").In("part"))
	}
	return nil
}

// PlaceholderPart stands in a proposed call for the number of a part that only
// the client knows.
const PlaceholderPart = "<number of this part>"

// beginning are the arguments that begin a new upload.
func (s *Service) beginning() []Arg {
	return []Arg{{"upload_id", s.freshUploadID()}, {"part", 1}}
}

// freshUploadID is an upload_id that nobody else has: 26 characters of 5 bits each.
func (s *Service) freshUploadID() string { return names.Random(26, s.intn) }

func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// checkTotal refuses a part above the total, and a total that contradicts.
func (s *Service) checkTotal(call *partCall, u Upload) error {
	in, total := call.in, u.Total
	for _, told := range []struct {
		yes bool
		n   *int
	}{{in.Total != nil, in.Total}, {in.Last, in.N}} {
		switch {
		case !told.yes:
		case total != 0 && *told.n != total:
			return outOfRange("The upload has %d parts in all, as was said before; this call says %d.", total, *told.n).In("total_parts").
				With(OpSame, Arg{"total_parts", total})
		default:
			total = *told.n
		}
	}
	highest := u.Received.Highest()
	if in.N != nil {
		highest = max(highest, *in.N)
	}
	if total != 0 && highest > total {
		return outOfRange("Part %d is above the %d parts that the upload has in all.", highest, total).In("part").
			With(OpSame, append(s.beginning(), Arg{"total_parts", highest})...)
	}
	return nil
}

func outOfRange(format string, args ...any) *Error {
	return Refuse(CodePartOutOfRange, format, args...).
		Note("Send the parts you announced, or start a new upload with another upload_id.")
}

func (u Upload) complete() bool { return u.Total != 0 && u.Received.Count() == u.Total }

// sizeWith is the size of the parts with the call's part in place. u has the part
// of its number, if there is one.
func (u Upload) sizeWith(call *partCall) int64 {
	n := u.Bytes + call.content.Size
	for _, p := range u.Parts {
		n -= p.Blob.Size
	}
	return n
}

// has reports whether the call's part has been accepted with the same bytes.
func (u Upload) has(call *partCall) bool {
	return len(u.Parts) > 0 && u.Parts[0].N == call.number() && u.Parts[0].Blob.SHA256 == call.content.SHA256
}

// listed is how many numbers an answer lists: enough to go on with, and little
// beside the part that was sent.
const listed = 100

// pending lists what has come and what has not.
func (u Upload) pending(call *partCall) *Pending {
	last, came := max(u.Total, u.Received.Highest()), u.Received.Count()
	return &Pending{
		UploadID: call.in.UploadID, Token: call.token, Total: u.Total, ExpiresAt: u.ExpiresAt,
		Received: u.Received.first(true, last, listed), ReceivedCount: came,
		Missing: u.Received.first(false, last, listed), MissingCount: last - came,
	}
}

// hash is that of the part's bytes, or zero in a call that only told the total.
func (call *partCall) hash() Digest {
	if call.in.N == nil {
		return Digest{}
	}
	return call.content.SHA256
}

// partsReader reads the parts of an upload one after another.
type partsReader struct {
	ctx   context.Context
	open  func(ctx context.Context, b Blob, off, n int64) (io.ReadCloser, error)
	parts []Part
	now   io.ReadCloser
}

func (r *partsReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if r.now == nil {
			if len(r.parts) == 0 {
				return 0, io.EOF
			}
			var err error
			if r.now, err = r.open(r.ctx, r.parts[0].Blob, 0, -1); err != nil {
				return 0, err
			}
			r.parts = r.parts[1:]
		}
		n, err := r.now.Read(p)
		if err == io.EOF {
			failpoint.Hit(failpoint.MidAssembly)
			r.Close()
			err = nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Close ends the part that is being read.
func (r *partsReader) Close() error {
	if r.now == nil {
		return nil
	}
	err := r.now.Close()
	r.now = nil
	return err
}
