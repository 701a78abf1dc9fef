package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"sandlot/internal/names"
)

// partCall is one call of a chunked upload.
type partCall struct {
	by      Caller
	op      Op // OpPublish or OpUpdate
	in      PartInput
	said    newFile  // what a call after part 1 says of the file; part 1 counts
	ignored []string // the fields of such a call that do not count
	key     Digest
	token   Secret // of the upload; empty where a key is needed
	content Content
	meta    uploadMeta // of this call; what part 1 said is in the Upload
}

// uploadMeta is what an upload remembers of the words that were sent with it.
type uploadMeta struct {
	Encoding string      `json:",omitempty"`
	Publish  *newProject `json:",omitempty"`
	Update   *newFile    `json:",omitempty"`
	Declared Declared
	Token    []byte `json:",omitempty"` // the upload_token, sealed
}

// completing is an upload that has all its parts, and the call that did it.
type completing struct {
	call   *partCall
	upload Upload
	meta   uploadMeta
}

func (in PartInput) first() bool { return in.N != nil && *in.N == 1 }

// begin checks what can be checked of a call without its upload.
func (s *Service) begin(call *partCall) error {
	if err := s.checkPart(call.in, call.content); err != nil {
		return err
	}
	call.key = s.uploadKey(call)
	return nil
}

// uploadKey is under which name the call's upload is kept. An upload_id may be
// guessed, however long it is: without a key it belongs to the sender's network, and
// where strangers share that, to the upload_token alone.
func (s *Service) uploadKey(call *partCall) Digest {
	owner := ""
	switch by := call.by; {
	case by.upload != nil:
		return *by.upload
	case !by.Nobody():
		owner = fmt.Sprintf("account %d", by.Account())
	case by.From.Shared:
		owner = "token " + names.Random(26, s.intn)
	default:
		owner = "network " + by.From.Network
	}
	return s.vault.Keyed("upload", string(call.op)+"\x00"+owner+"\x00"+call.in.UploadID)
}

// owner is who may have only so many open uploads.
func (s *Service) owner(by Caller) Digest {
	if by.Nobody() {
		return s.vault.Keyed("uploads of", "network "+by.From.Network)
	}
	return s.vault.Keyed("uploads of", fmt.Sprintf("account %d", by.Account()))
}

// wider are the networks around a caller's own, of whom nobody else is known: a
// customer may have all of each.
func (s *Service) wider(by Caller) (of [2]Digest) {
	at, err := netip.ParseAddr(by.From.Network)
	if !by.Nobody() || by.From.Shared || err != nil {
		return of
	}
	for i, n := range Networks(at)[1:] {
		of[i] = s.vault.Keyed("uploads of", "network "+n.Prefix.String())
	}
	return of
}

// accept takes a call of an upload. It returns the completing upload if all its
// parts are there, with the lock on it still held; or what is still missing.
func (s *Service) accept(ctx context.Context, call *partCall) (done *completing, pending *Pending, err error) {
	u, err := s.store.Upload(ctx, call.key, call.number(), s.now().UTC())
	fresh := errors.Is(err, ErrNotFound)
	if err != nil && !fresh {
		return nil, nil, fmt.Errorf("read upload: %w", err)
	}
	if fresh {
		if u, err = s.newUpload(call); err != nil {
			return nil, nil, err
		}
	}
	if err := mayJoin(call, u); err != nil {
		return nil, nil, err
	}
	if !fresh {
		if err := s.readToken(call, u); err != nil {
			return nil, nil, err
		}
	}
	if u.Done != nil {
		return newCompleting(call, u)
	}
	if err := s.checkAgainstUpload(call, u, fresh); err != nil {
		return nil, nil, err
	}
	if u, err = s.savePart(ctx, call, u, fresh); err != nil {
		return nil, nil, err
	}
	if !u.complete() {
		return nil, u.pending(call), nil
	}
	return newCompleting(call, u)
}

func newCompleting(call *partCall, u Upload) (*completing, *Pending, error) {
	m, err := u.said()
	return &completing{call: call, upload: u, meta: m}, nil, err
}

// said is what part 1 said. It is nothing before part 1.
func (u Upload) said() (m uploadMeta, err error) {
	if len(u.Meta) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(u.Meta, &m); err != nil {
		return m, fmt.Errorf("read what part 1 said: %w", err)
	}
	return m, nil
}

// mayJoin refuses a project key in an upload to another project, and a call that
// names another project than part 1 did.
func mayJoin(call *partCall, u Upload) error {
	m, err := u.said()
	first := m.Update
	if first == nil || err != nil {
		return err
	}
	if call.by.Scoped() {
		if err := Authorize(call.by, ActEdit, &Project{ID: first.Project, Account: call.by.Account()}); err != nil {
			return err
		}
	}
	if said := call.said.Project; said != "" && said != first.Project {
		return Refuse(CodeInvalidField, "The field project_id names %s, but part 1 of this upload named %s.", Quoted(string(said)), first.Project).In("project_id").
			With(OpSame, Arg{"project_id", string(first.Project)}).Note("Name the project of part 1, or begin another upload under another upload_id.")
	}
	call.ignore(*first)
	return nil
}

// ignore notes what the call says otherwise than part 1 did.
func (call *partCall) ignore(first newFile) {
	if said := call.said.Filename; said != "" && said != first.Filename {
		call.ignored = append(call.ignored, "filename")
	}
	if said := call.said.IfVersion; said != nil && (first.IfVersion == nil || *said != *first.IfVersion) {
		call.ignored = append(call.ignored, "if_version")
	}
}

// warnings tell what the call said in vain.
func (call *partCall) warnings() []Warning {
	if len(call.ignored) == 0 {
		return nil
	}
	return []Warning{{
		"metadata_ignored", "These fields are ignored after part 1: " + strings.Join(call.ignored, ", ") + ".",
		"Send them with part 1.",
	}}
}

// newUpload begins an upload with its part 1.
func (s *Service) newUpload(call *partCall) (Upload, error) {
	if !call.in.first() || call.by.upload != nil {
		return Upload{}, part1First(call)
	}
	u := Upload{Key: call.key, Owner: s.owner(call.by), Wider: s.wider(call.by), Account: call.by.Account(), ExpiresAt: s.expiry(UploadLife)}
	return u, s.giveToken(call, &u)
}

func part1First(call *partCall) error {
	e := Refuse(CodePart1First, "Part 1 of this upload has not been accepted, or the upload has expired.").In("part").
		With(OpSame, Arg{"part", 1}).Note("Send part 1 first, with the metadata; then the others in any order.")
	if call.by.bare() {
		e.Note("Send part 1 first, with the metadata; then the others in any order. Without a key the parts after the first need the upload_token of its answer in place of a key, unless they come from the same network.")
	}
	return e
}

// checkAgainstUpload refuses a call that contradicts what the upload has.
func (s *Service) checkAgainstUpload(call *partCall, u Upload, fresh bool) error {
	if err := s.checkTotal(call, u); err != nil {
		return err
	}
	if call.fixed(fresh) && !u.has(call) {
		return Refuse(CodeUploadExists, "An upload with this upload_id is in progress; without a key or its upload_token its part 1 can't be replaced.").In("upload_id").
			With(OpSame, s.beginning()...).
			Note("Choose another upload_id. If the upload is yours, send the upload_token of an earlier answer in place of a key.")
	}
	if size := u.sizeWith(call); size > s.partsLimit() {
		return Refuse(CodeContentTooLarge, "The parts of this upload would have %d bytes together; the limit is %d.", size, s.MaxFile).In("content").
			Detail("limit", s.MaxFile).With(OpNothing).Note("Make the file smaller, or split it into several files.")
	}
	return nil
}

// fixed reports whether the call sends a part 1 again that it must not replace.
func (call *partCall) fixed(fresh bool) bool { return !fresh && call.in.first() && call.by.bare() }

// partsLimit is for the parts as they were sent: packed content may be a little
// larger than what it holds.
func (s *Service) partsLimit() int64 { return s.MaxFile + s.MaxFile/1024 + 1<<20 }

// savePart records the part, the total if it is told, and what part 1 says.
func (s *Service) savePart(ctx context.Context, call *partCall, u Upload, fresh bool) (Upload, error) {
	var err error
	if u.Meta, err = mergeMeta(u.Meta, call, !call.fixed(fresh)); err != nil {
		return u, err
	}
	if call.in.Total != nil {
		u.Total = *call.in.Total
	}
	if call.in.Last {
		u.Total = *call.in.N
	}
	part := call.newPart(&u)
	u.Generation, err = s.store.SaveUpload(ctx, u, part, s.uploadQuota(call.by))
	if err != nil {
		return u, fmt.Errorf("save part: %w", s.overUploads(call.by, err))
	}
	return u, nil
}

// newPart adds the call's part to what u counts. It is nil for a call without one,
// and for one whose bytes have come before.
func (call *partCall) newPart(u *Upload) *Part {
	if call.in.N == nil || u.has(call) {
		return nil
	}
	u.Bytes, u.Held = u.sizeWith(call), u.Held+call.content.Size
	u.Received = u.Received.With(*call.in.N)
	return &Part{N: *call.in.N, Blob: call.content.Blob}
}

// number is that of the call's part, 0 in a call that only tells the total.
func (call *partCall) number() int {
	if call.in.N == nil {
		return 0
	}
	return *call.in.N
}

// mergeMeta keeps what part 1 said, and what any call declared about the file.
// A declaration that is true of the part itself says nothing about the file; if
// it was taken for one, when the part had come damaged, it is withdrawn.
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

// uploadAnswer is the purpose that answers of uploads are sealed for.
const uploadAnswer = "upload answer"

func (call *partCall) sealed(by Caller, done UploadDone) sealed {
	return sealed{by: by, what: uploadAnswer, secret: call.in.UploadID, of: done.SHA256}
}

// completion is how the step that uses an upload closes it; nil is no upload.
func (s *Service) completion(by Caller, c *completing, id ProjectID, version int, keys Minted, m made) (*Completion, error) {
	if c == nil {
		return nil, nil
	}
	done := UploadDone{Project: id, Version: version, SHA256: c.call.hash()}
	if c.call.in.N != nil {
		done.Part = *c.call.in.N
	}
	var err error
	if done.Made, err = m.encode(); err != nil {
		return nil, err
	}
	if done.Answer, err = s.seal(c.call.sealed(by, done), keys); err != nil {
		return nil, err
	}
	return &Completion{Key: c.call.key, Generation: c.upload.Generation, ExpiresAt: s.expiry(UploadLife), Done: done}, nil
}

// assemble joins the parts and unpacks them if part 1 said so.
func (s *Service) assemble(ctx context.Context, c *completing) (Content, error) {
	parts, err := s.store.UploadParts(ctx, c.call.key, c.upload.Generation)
	if err != nil {
		return Content{}, fmt.Errorf("read parts: %w", err)
	}
	r := &partsReader{ctx: ctx, open: s.Contents.Open, parts: parts}
	defer r.Close()
	switch c.meta.Encoding {
	case "gzip+base64", "gzip+base64url":
		return s.Contents.stageUnpacked(ctx, r, s.MaxFile, c.call.in.Charge)
	}
	if total := c.upload.Bytes; total > s.MaxFile {
		return Content{}, Refuse(CodeContentTooLarge, "The file has %d bytes; the limit is %d.", total, s.MaxFile).In("content").Detail("limit", s.MaxFile).
			With(OpNothing).Note("Make the file smaller, or split it into several files.")
	}
	return s.Contents.Stage(ctx, c.call.in.Charge.Of(r))
}
