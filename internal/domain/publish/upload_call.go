package publish

import (
	"encoding/json"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// partCall is one call of a chunked upload.
type partCall struct {
	by      sandlot.Caller
	op      sandlot.Op // OpPublish or OpUpdate
	in      PartInput
	project sandlot.ProjectID // the one that a call after part 1 names; empty: none
	key     sandlot.Digest
	token   sandlot.Secret // of the upload; empty if a key of the account is needed
	content Content
	meta    uploadMeta // of this call; the fields of part 1 are in the Upload
}

// uploadMeta holds the fields that an upload remembers of its calls.
type uploadMeta struct {
	Encoding string      `json:",omitempty"`
	Publish  *newProject `json:",omitempty"`
	Update   *newFile    `json:",omitempty"`
	Archive  string      `json:",omitempty"` // the format, if the assembled bytes are an archive
	Declared Declared
	Token    []byte `json:",omitempty"` // the upload_token, sealed
}

// first reports whether the call is part 1.
func (in PartInput) first() bool { return in.N != nil && *in.N == 1 }

// publishCall returns one call of a chunked publish. The fields of np count in part 1 only.
func publishCall(by sandlot.Caller, in PublishInput, np *newProject) *partCall {
	call := &partCall{by: by, op: sandlot.OpPublish, in: *in.Part, content: in.Content}
	if !in.Part.first() {
		np.Warnings = nil
	}
	call.meta = uploadMeta{Encoding: in.Part.Encoding, Publish: np, Archive: in.Archive, Declared: in.Declared}
	return call
}

// updateCall returns one call of a chunked update. The fields of nf count in part 1 only.
func updateCall(at sandlot.Places, by sandlot.Caller, in UpdateInput, nf *newFile) *partCall {
	call := &partCall{by: by, op: sandlot.OpUpdate, in: *in.Part, content: in.Content}
	if !in.Part.first() && in.Project != "" {
		call.project = at.ProjectID(in.Project)
	}
	call.meta = uploadMeta{Encoding: in.Part.Encoding, Update: nf, Archive: in.Archive, Declared: in.Declared}
	return call
}

// mayJoin refuses a project key in an upload to another project, and a call that names another project than part 1 did.
func mayJoin(call *partCall, u Upload) error {
	m, err := u.said()
	first := m.Update
	if first == nil || err != nil {
		return err
	}
	if call.by.Scoped() {
		if err := sandlot.Authorize(call.by, sandlot.ActEdit, &sandlot.Project{ID: first.Project, Account: call.by.Account()}); err != nil {
			return err
		}
	}
	if said := call.project; said != "" && said != first.Project {
		return sandlot.Refuse(sandlot.CodeInvalidField,
			"The field project_id names %s, but part 1 of this upload named %s.", inspect.Quoted(string(said)),
			first.Project).In("project_id").
			With(sandlot.OpSame, sandlot.Set("project_id", string(first.Project))).
			Note("Name the project of part 1, or begin another upload under another upload_id.")
	}
	return nil
}

// part1First refuses a part of an upload that has not begun, or is over. Only part 1 has all fields, so no other can
// begin one.
func part1First(call *partCall) error {
	e := sandlot.Refuse(sandlot.CodePart1First, "Part 1 of this upload has not been accepted, or the upload has expired.").In("part").
		With(sandlot.OpSame, sandlot.Set("part", 1)).Note("Send part 1 first, with the metadata; then the others in any order.")
	if call.by.Bare() {
		e.Note("Send part 1 first, with the metadata; then the others in any order. " +
			"Without a key the parts after the first need the upload_token of its answer in place of a key, " +
			"unless they come from the same network.")
	}
	return e
}

// fixed reports whether the call repeats a part 1 that it must not replace.
func (call *partCall) fixed(fresh bool) bool { return !fresh && call.in.first() && call.by.Bare() }

// newPart adds the call's part to the counts of u. It is nil for a call without a part, and for one whose bytes have
// come before.
func (call *partCall) newPart(u *Upload) *Part {
	if call.in.N == nil || u.has(call) {
		return nil
	}
	u.Bytes, u.Held = u.sizeWith(call), u.Held+call.content.Size
	u.Received = u.Received.With(*call.in.N)
	return &Part{N: *call.in.N, Blob: call.content.Blob}
}

// number returns the number of the call's part, 0 in a call that only sends the total.
func (call *partCall) number() int {
	if call.in.N == nil {
		return 0
	}
	return *call.in.N
}

// mergeMeta keeps the fields of part 1, and the declaration of any call about the file. A declaration that is true of
// the part itself is not about the file; if it was taken for one, when the part had come damaged, it is withdrawn.
func mergeMeta(old []byte, call *partCall, replace bool) ([]byte, error) {
	m, err := Upload{Meta: old}.said()
	if err != nil {
		return nil, err
	}
	declared, token := m.Declared, m.Token
	if call.in.first() && replace {
		m = call.meta
		if token != nil {
			m.Token = token
		}
	}
	switch d := call.meta.Declared; {
	case d == (Declared{}):
	case checkDeclared(call.content.Blob, d) != nil:
		declared = d
	case d.equal(declared):
		declared = Declared{}
	}
	m.Declared = declared
	return json.Marshal(m)
}

// hash returns the hash of the part's bytes, or zero in a call that only sent the total.
func (call *partCall) hash() sandlot.Digest {
	if call.in.N == nil {
		return sandlot.Digest{}
	}
	return call.content.SHA256
}

// completes reports whether a call is a repeat of the one that completed the upload. Behind one address a short
// upload_id and no bytes could be anybody's.
func (call *partCall) completes(done UploadDone) bool {
	n := 0
	if call.in.N != nil {
		n = *call.in.N
	}
	if call.by.Bare() && call.content.Size == 0 {
		return false
	}
	return n == done.Part && call.hash() == done.SHA256
}

// uploadToken is the purpose for which upload_tokens are sealed. An upload_token joins an upload that was begun without
// a key, from any network. It has the shape of a key. Its hash is kept, and the token itself sealed under the
// upload_id, so that every answer to a part can show it.
const uploadToken = "upload token"

// checkToken refuses an upload_token in a call that is no part of an upload.
func checkToken(by sandlot.Caller, part *PartInput) error {
	if by.Upload() == nil || part != nil {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidKey,
		"The key that was sent is an upload_token: it joins its upload, and this call is no part of one.").
		With(sandlot.OpPresentKey).
		Note("Send upload_id and part or total_parts with it. " +
			"Another call needs an api_key (sla_...), or, for a first publish, none.")
}

// giveToken draws the token of a new upload without a key.
func (up *uploads) giveToken(call *partCall, u *Upload) error {
	if !call.by.Nobody() {
		return nil
	}
	token, err := up.vault.MintToken(names.UploadPrefix)
	if err != nil {
		return err
	}
	u.Token, call.token = token.Hash(), token
	call.meta.Token, err = up.vault.SealFor(call.tokenSeal(), []byte(token.Reveal()))
	return err
}

// readToken unseals the token of the call's upload, for the answer. It refuses the token of an upload with another
// upload_id. An upload whose account was deleted has none left, and cannot be joined.
func (up *uploads) readToken(call *partCall, u Upload) error {
	if !call.by.Nobody() {
		return nil
	}
	m, err := u.said()
	if err != nil || u.Done != nil && m.Token == nil {
		return err
	}
	token, err := up.vault.UnsealFor(call.tokenSeal(), m.Token)
	if err != nil {
		return sandlot.Refuse(sandlot.CodeInvalidKey, "The upload_token is that of an upload with another upload_id.").In("upload_id").
			With(sandlot.OpWait).Note("Send the upload_id of the part 1 whose answer had this upload_token.")
	}
	call.token = sandlot.Secret(token)
	return nil
}

// tokenSeal returns the seal of the upload_token in the record of the upload: its upload_id opens it, which is not
// stored.
func (call *partCall) tokenSeal() sandlot.Seal {
	return sandlot.Seal{What: uploadToken, Secret: call.in.UploadID, Of: call.key}
}

// checkPart refuses an invalid call of an upload. Without a usable upload_id it proposes to begin anew, under another
// one; without a usable part number the client has to name the part: part 1 would replace the accepted one.
func (up *uploads) checkPart(in PartInput, c Content) error {
	again := func(e *sandlot.Error) error { return e.With(sandlot.OpSame, up.beginning()...) }
	same := func(e *sandlot.Error) error { return e.With(sandlot.OpSame) }
	unnumbered := func(e *sandlot.Error) error {
		return e.With(sandlot.OpSame, sandlot.Set("part", sandlot.PlaceholderPart)).
			Note("Parts are numbered from 1, in the order in which they make the file.")
	}
	switch {
	case in.UploadID == "":
		return again(sandlot.Refuse(sandlot.CodeMissingField,
			"The field upload_id is missing: it groups the parts of one upload.").In("upload_id"))
	case !visible(in.UploadID) || len(in.UploadID) > MaxUploadID:
		return again(sandlot.Refuse(sandlot.CodeInvalidField,
			"The field upload_id must be 1 to %d visible ASCII characters; %d bytes came.", MaxUploadID,
			len(in.UploadID)).In("upload_id"))
	case in.N == nil && in.Total == nil:
		return unnumbered(sandlot.Refuse(sandlot.CodeMissingField,
			"The field part is missing: an upload_id needs part with content, or total_parts alone.").In("part"))
	case in.N == nil && !c.Missing:
		return unnumbered(sandlot.Refuse(sandlot.CodeMissingField,
			"The field part is missing: content in an upload is one numbered part.").In("part"))
	case in.N != nil && (*in.N < 1 || *in.N > MaxParts):
		return unnumbered(sandlot.Refuse(sandlot.CodeInvalidField, "The field part is %d; parts run from 1 to %d.",
			*in.N, MaxParts).In("part"))
	case in.Total != nil && (*in.Total < 1 || *in.Total > MaxParts):
		return same(sandlot.Refuse(sandlot.CodeInvalidField, "The field total_parts is %d; it must be 1 to %d.",
			*in.Total, MaxParts).In("total_parts"))
	case in.N != nil && c.Missing:
		return same(sandlot.Refuse(sandlot.CodeMissingField,
			"The field content is missing: it holds the bytes of part %d in base64.", *in.N).In("content"))
	case in.Last && in.N == nil:
		return same(sandlot.Refuse(sandlot.CodeMissingField, "The field part is missing: last says that this part is the last.").In("part"))
	}
	return nil
}

// beginning returns the arguments that begin a new upload.
func (up *uploads) beginning() []sandlot.Arg {
	return []sandlot.Arg{sandlot.Set("upload_id", up.freshUploadID()), sandlot.Set("part", 1)}
}

// freshUploadID returns an upload_id that nobody else has: 26 characters of 5 bits each.
func (up *uploads) freshUploadID() string { return names.Random(26, up.vault.Intn) }

// visible reports whether a text has visible ASCII characters only.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// checkTotal refuses a part above the total, and a total that contradicts an earlier one.
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
				With(sandlot.OpSame, sandlot.Set("total_parts", total))
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
			With(sandlot.OpSame, append(up.beginning(), sandlot.Set("total_parts", highest))...)
	}
	return nil
}

// outOfRange refuses a number of a part.
func outOfRange(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodePartOutOfRange, format, args...).
		Note("Send the parts you announced, or start a new upload with another upload_id.")
}
