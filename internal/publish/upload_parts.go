package publish

import "sandlot/internal/names"

// checkPart refuses what cannot be a call of an upload. Where there is no usable
// upload_id it proposes to begin anew, under another one; where it cannot tell
// which part was meant, the client has to say: part 1 would replace what has been
// accepted.
func (up *uploads) checkPart(in PartInput, c Content) error {
	again := func(e *Error) error { return e.With(OpSame, up.beginning()...) }
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
func (up *uploads) beginning() []Arg {
	return []Arg{{"upload_id", up.freshUploadID()}, {"part", 1}}
}

// freshUploadID is an upload_id that nobody else has: 26 characters of 5 bits each.
func (up *uploads) freshUploadID() string { return names.Random(26, up.vault.intn) }

// visible reports whether a text has visible ASCII characters only.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// checkTotal refuses a part above the total, and a total that contradicts.
func (up *uploads) checkTotal(call *partCall, u Upload) error {
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
			With(OpSame, append(up.beginning(), Arg{"total_parts", highest})...)
	}
	return nil
}

// outOfRange refuses a number of a part.
func outOfRange(format string, args ...any) *Error {
	return Refuse(CodePartOutOfRange, format, args...).
		Note("Send the parts you announced, or start a new upload with another upload_id.")
}
