package publish

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/format/content"
)

// publishPart takes a call of a chunked publish.
func (s *Service) publishPart(ctx context.Context, by sandlot.Caller, in PublishInput, np newProject,
	req *request,
) (out Published, pending *Pending, err error) {
	call := publishCall(by, in, &np)
	pending, err = s.uploads.partOf(ctx, call, func(ctx context.Context, c *completing) error {
		if c.upload.Done != nil {
			out, err = s.completedPublish(ctx, by, c)
			return err
		}
		np := c.meta.Publish
		np.Declared = c.meta.Declared
		if c.meta.Archive != "" {
			return s.uploads.useArchive(ctx, c, true, func(set *fileSet) error {
				b, err := set.brought(ctx, np.Primary)
				if err == nil {
					out, err = s.createProject(ctx, by, *np, b, extras{upload: c, request: req})
				}
				return err
			})
		}
		return s.uploads.useParts(ctx, c, primaryFile, true, func(joined Content) error {
			out, err = s.createProject(ctx, by, *np, onePage(joined), extras{upload: c, request: req})
			return err
		})
	})
	if pending != nil {
		pending.Warnings = np.Warnings
	}
	return out, pending, err
}

// updatePart takes a call of a chunked update.
func (s *Service) updatePart(ctx context.Context, by sandlot.Caller, in UpdateInput, nf newFile,
	req *request,
) (out Updated, pending *Pending, err error) {
	call := updateCall(s.Places, by, in, &nf)
	pending, err = s.uploads.partOf(ctx, call, func(ctx context.Context, c *completing) error {
		if c.upload.Done != nil {
			out, err = s.completedUpdate(ctx, by, c)
			return err
		}
		nf := c.meta.Update
		nf.Declared = c.meta.Declared
		if c.meta.Archive != "" {
			return s.uploads.useArchive(ctx, c, nf.Replace, func(set *fileSet) error {
				out, err = s.put(ctx, by, *nf, set, Content{}, extras{upload: c, request: req})
				return err
			})
		}
		return s.uploads.useParts(ctx, c, nf.Filename, nf.Filename == primaryFile, func(joined Content) error {
			out, err = s.put(ctx, by, *nf, nil, joined, extras{upload: c, request: req})
			return err
		})
	})
	if pending != nil {
		pending.Warnings = nf.Warnings
	}
	return out, pending, err
}

// inParts adds the way to mend an upload that differs from its declaration. The declaration stays, or a repeat of the
// last part would publish damaged bytes.
func inParts(c *completing, err error) error {
	e := sandlot.AsError(err)
	return e.With(sandlot.OpSame).
		Note("Resend the part that was cut or changed in transit. " +
			"If the declared values were wrong, send them again: " +
			"upload_id and total_parts with sha256 and size of the whole file.")
}

// uploadCompleted refuses a call of an upload that another call completed.
func uploadCompleted(done UploadDone, url string) error {
	return sandlot.Refuse(sandlot.CodeUploadCompleted, "This upload was completed: its project is %s.", done.Project).
		Detail("project_id", string(done.Project)).Detail("url", url).Detail("version", done.Version).
		With(sandlot.OpProject, sandlot.Set("id", string(done.Project))).
		Note("That file is done. Use a new upload_id for another file.")
}

// completing is an upload that has all its parts, with the call that completed it.
type completing struct {
	call   *partCall
	upload Upload
	meta   uploadMeta
}

// newCompleting returns the upload with the fields of its part 1.
func newCompleting(call *partCall, u Upload) (*completing, *Pending, error) {
	m, err := u.said()
	return &completing{call: call, upload: u, meta: m}, nil, err
}

// uploadAnswer is the purpose for which answers of uploads are sealed.
const uploadAnswer = "upload answer"

// sealed returns the seal of the answer of a completed upload: it opens with the key that completed it, the upload_id
// and the bytes of the completing part. None of them is stored.
func (call *partCall) sealed(by sandlot.Caller, done UploadDone) sandlot.Seal {
	return sandlot.Seal{By: by, What: uploadAnswer, Secret: call.in.UploadID, Of: done.SHA256}
}

// completion returns the Completion for the step that uses an upload; nil without an upload.
func (up *uploads) completion(by sandlot.Caller, c *completing, id sandlot.ProjectID, version int, keys Minted,
	m made,
) (*Completion, error) {
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
	if done.Answer, err = sealKeys(up.vault, c.call.sealed(by, done), keys); err != nil {
		return nil, err
	}
	return &Completion{Key: c.call.key, Generation: c.upload.Generation, ExpiresAt: up.now().UTC().Add(UploadLife), Done: done}, nil
}

// assemble joins the parts and unpacks them if part 1 declared gzip.
func (up *uploads) assemble(ctx context.Context, c *completing) (Content, error) {
	r, err := up.read(ctx, c)
	if err != nil {
		return Content{}, err
	}
	defer r.Close()
	if c.meta.packed() {
		return up.contents.stageUnpacked(ctx, r, up.maxFile, c.call.in.Charge)
	}
	if total := c.upload.Bytes; total > up.maxFile {
		return Content{}, sandlot.Refuse(sandlot.CodeContentTooLarge, "The file has %d bytes; the limit is %d.",
			total, up.maxFile).In("content").Detail("limit", up.maxFile).
			With(sandlot.OpNothing).Note("Make the file smaller, or split it into several files.")
	}
	return up.contents.Stage(ctx, c.call.in.Charge.Of(r))
}

// read returns a reader of the parts, one after another.
func (up *uploads) read(ctx context.Context, c *completing) (*partsReader, error) {
	parts, err := up.store.UploadParts(ctx, c.call.key, c.upload.Generation)
	if err != nil {
		return nil, fmt.Errorf("read parts: %w", err)
	}
	return &partsReader{ctx: ctx, open: up.contents.Open, parts: parts}, nil
}

// packed reports whether the parts together are gzip.
func (m uploadMeta) packed() bool {
	return m.Encoding == "gzip+base64" || m.Encoding == "gzip+base64url"
}

// useArchive unpacks the upload and calls use with its files. The declaration is of the archive. The upload stays open
// if a file is refused, so that a part can be sent again.
func (up *uploads) useArchive(ctx context.Context, c *completing, unwrap bool, use func(*fileSet) error) error {
	t := up.contents.NewTree(c.call.in.Charge)
	defer up.contents.DiscardTree(ctx, t)
	err := up.unpack(ctx, c, t)
	if errors.Is(err, sandlot.CodeDigestMismatch) {
		err = inParts(c, err)
	}
	if err != nil {
		return fmt.Errorf("unpack parts: %w", err)
	}
	failpoint.Hit(failpoint.AfterAssembly)
	set, err := t.arrange(ctx, unwrap, "")
	if err != nil {
		return err
	}
	return use(set)
}

// unpack adds the files of the assembled archive. If that is damaged, a declaration that does not match is the better
// explanation.
func (up *uploads) unpack(ctx context.Context, c *completing, t *Tree) error {
	parts, err := up.read(ctx, c)
	if err != nil {
		return err
	}
	defer parts.Close()
	r := io.Reader(parts)
	if c.meta.packed() {
		r = content.Gunzip(parts, up.contents.limits.packed())
	}
	seen := checkpoint.New()
	r = io.TeeReader(r, seen)
	bad := t.Unpack(ctx, c.meta.Archive, r)
	var refusal *sandlot.Error
	if bad != nil && !errors.As(bad, &refusal) {
		return bad
	}
	if c.meta.Declared != (Declared{}) {
		if _, err := io.Copy(io.Discard, r); err != nil && bad == nil {
			return err
		}
		if err := checkDeclared(sandlot.Blob{Size: seen.Size(), SHA256: seen.Sum()}, c.meta.Declared); err != nil {
			return err
		}
	}
	return bad
}

// useParts assembles the upload and calls use with the file. The upload stays open if the file is refused, so that a
// part can be sent again.
func (up *uploads) useParts(ctx context.Context, c *completing, filename string, primary bool, use func(Content) error) error {
	joined, err := up.assemble(ctx, c)
	if err != nil {
		return fmt.Errorf("assemble parts: %w", err)
	}
	defer up.contents.Discard(ctx, joined)
	failpoint.Hit(failpoint.AfterAssembly)
	err = checkContent(joined, filename, primary, c.meta.Declared)
	if errors.Is(err, sandlot.CodeDigestMismatch) {
		err = inParts(c, err)
	}
	if err != nil {
		return err
	}
	return use(joined)
}

// partsReader reads the parts of an upload one after another.
type partsReader struct {
	ctx   context.Context
	open  func(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	parts []Part
	now   io.ReadCloser
}

// Read implements io.Reader. It opens each part when it comes to it, so that one is open at a time.
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

// complete uses an upload that has all its parts, also after the client has gone away. Another process may do the same at
// once: the step decides which of the two closes the upload.
func complete(ctx context.Context, c *completing, use func(context.Context, *completing) error) error {
	long, stop := context.WithTimeout(context.WithoutCancel(ctx), assemblyLimit)
	defer stop()
	return use(long, c)
}
