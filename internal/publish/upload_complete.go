package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sandlot/internal/failpoint"
	"sandlot/internal/names"
)

// publishPart takes a call of a chunked publish.
func (s *Service) publishPart(ctx context.Context, by Caller, in PublishInput, np newProject, req *request) (out Published, pending *Pending, err error) {
	call := publishCall(by, in, &np)
	pending, err = s.partOf(ctx, call, func(ctx context.Context, c *completing) error {
		if c.upload.Done != nil {
			out, err = s.completedPublish(ctx, by, c)
			return err
		}
		np := c.meta.Publish
		np.Declared = c.meta.Declared
		return s.useParts(ctx, c, primaryFile, true, func(joined Content) error {
			out, err = s.createProject(ctx, by, *np, joined, extras{upload: c, request: req})
			return err
		})
	})
	if pending != nil {
		pending.Warnings = append(np.Warnings, call.warnings()...)
	} else {
		out.Warnings = append(out.Warnings, call.warnings()...)
	}
	return out, pending, err
}

// publishCall is one call of a chunked publish. What np says counts in part 1
// only.
func publishCall(by Caller, in PublishInput, np *newProject) *partCall {
	call := &partCall{by: by, op: OpPublish, in: *in.Part, content: in.Content}
	if !in.Part.first() {
		call.ignored, np.Warnings = in.metadata(), nil
	}
	call.meta = uploadMeta{Encoding: in.Part.Encoding, Publish: np, Declared: in.Declared}
	return call
}

// updateCall is one call of a chunked update. What nf says counts in part 1 only.
func (s *Service) updateCall(by Caller, in UpdateInput, nf *newFile) *partCall {
	call := &partCall{by: by, op: OpUpdate, in: *in.Part, content: in.Content}
	if !in.Part.first() {
		call.ignored, call.said = in.metadata(), s.said(in)
	}
	call.meta = uploadMeta{Encoding: in.Part.Encoding, Update: nf, Declared: in.Declared}
	return call
}

// metadata lists the fields of a call that only part 1 has a use for.
func (in PublishInput) metadata() (list []string) {
	for _, f := range []struct{ name, value string }{{"title", in.Title}, {"handle", in.Handle}, {"email", in.Email}, {"lang", in.Lang}} {
		if f.value != "" {
			list = append(list, f.name)
		}
	}
	return list
}

func (in UpdateInput) metadata() []string {
	list := PublishInput{Email: in.Email, Lang: in.Lang}.metadata()
	if in.Title != nil {
		list = append(list, "title")
	}
	return list
}

// updatePart takes a call of a chunked update.
func (s *Service) updatePart(ctx context.Context, by Caller, in UpdateInput, nf newFile, req *request) (out Updated, pending *Pending, err error) {
	call := s.updateCall(by, in, &nf)
	pending, err = s.partOf(ctx, call, func(ctx context.Context, c *completing) error {
		if c.upload.Done != nil {
			out, err = s.completedUpdate(ctx, by, c)
			return err
		}
		nf := c.meta.Update
		nf.Declared = c.meta.Declared
		return s.useParts(ctx, c, nf.Filename, nf.Filename == primaryFile, func(joined Content) error {
			out, err = s.putFile(ctx, by, *nf, joined, extras{upload: c, request: req})
			return err
		})
	})
	if pending != nil {
		pending.Warnings = append(nf.Warnings, call.warnings()...)
	} else {
		out.Warnings = append(out.Warnings, call.warnings()...)
	}
	return out, pending, err
}

// said is what a call after part 1 says of the file, to be compared.
func (s *Service) said(in UpdateInput) newFile {
	nf := newFile{Filename: in.Filename, IfVersion: in.IfVersion}
	if in.Project != "" {
		nf.Project = s.Places.ProjectID(in.Project)
	}
	if clean, _, err := names.ReadFilename(in.Filename); err == nil {
		nf.Filename = clean
	}
	return nf
}

// partOf takes a call of an upload and, if the upload has all its parts then,
// uses it. Calls of one upload take turns, so it is used exactly once; once
// begun, using it does not stop when the client goes away.
func (s *Service) partOf(ctx context.Context, call *partCall, use func(context.Context, *completing) error) (*Pending, error) {
	if err := s.begin(call); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, waitForUpload)
	defer cancel()
	unlock, err := s.uploads.Lock(wait, call.key)
	if err != nil {
		return nil, inProgress(ctx, err)
	}
	defer unlock()
	done, pending, err := s.accept(ctx, call)
	if err == nil && done != nil {
		long, stop := context.WithTimeout(context.WithoutCancel(ctx), assemblyLimit)
		defer stop()
		err = use(long, done)
	}
	if errors.Is(err, ErrUploadMoved) {
		err = s.movedMeanwhile(ctx, call, use)
	}
	return pending, err
}

// movedMeanwhile tells a call what became of its upload while it was being used:
// another process completed it, it expired, or a part of it is another one now.
func (s *Service) movedMeanwhile(ctx context.Context, call *partCall, use func(context.Context, *completing) error) error {
	u, err := s.store.Upload(ctx, call.key, call.number(), s.now().UTC())
	switch {
	case errors.Is(err, ErrNotFound):
		return Refuse(CodePart1First, "The upload expired while its parts were being put together. Nothing was made of it.").In("part").
			With(OpSame, Arg{"part", 1}).Note("An unfinished upload is kept for 24 hours. Begin it anew: send part 1 with the metadata, then the others.")
	case err != nil:
		return fmt.Errorf("read upload: %w", err)
	case u.Done == nil:
		return Refuse(CodeRequestInProgress, "Another call changed this upload while its parts were being put together. Nothing was made of it.").
			With(OpWait).After(time.Second).Note("Send the same part again.")
	}
	done, _, err := newCompleting(call, u)
	if err != nil {
		return err
	}
	return use(ctx, done)
}

func inProgress(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return Refuse(CodeRequestInProgress, "This upload is being completed by another call.").With(OpWait).After(waitForUpload / 3).
		Note("Send the same part again: once the upload is complete, the answer names the project.")
}

// useParts assembles the upload and hands the file on. The upload stays open if
// the file is refused, so that a part can be sent again.
func (s *Service) useParts(ctx context.Context, c *completing, filename string, primary bool, use func(Content) error) error {
	joined, err := s.assemble(ctx, c)
	if err != nil {
		return fmt.Errorf("assemble parts: %w", err)
	}
	defer s.Contents.Discard(ctx, joined)
	failpoint.Hit(failpoint.AfterAssembly)
	err = checkContent(joined, filename, primary, c.meta.Declared)
	if errors.Is(err, CodeDigestMismatch) {
		err = inParts(c, err)
	}
	if err != nil {
		return err
	}
	return use(joined)
}

// inParts tells how to mend an upload that is not what was declared. What was
// declared stays, or sending the last part again would publish what is damaged.
func inParts(c *completing, err error) error {
	e := AsError(err)
	return e.With(OpSame).
		Note("Resend the part that was cut or changed in transit. If the declared values were wrong, send them again: upload_id and total_parts with sha256 and size of the whole file.")
}

// completes reports whether a call is the one that completed the upload, sent
// again. Behind one address a short upload_id and no bytes could be anybody's.
func (call *partCall) completes(done UploadDone) bool {
	n := 0
	if call.in.N != nil {
		n = *call.in.N
	}
	if call.by.bare() && call.content.Size == 0 {
		return false
	}
	return n == done.Part && call.hash() == done.SHA256
}

func uploadCompleted(done UploadDone, url string) error {
	return Refuse(CodeUploadCompleted, "This upload was completed: its project is %s.", done.Project).
		Detail("project_id", string(done.Project)).Detail("url", url).Detail("version", done.Version).
		With(OpProject, Arg{"id", string(done.Project)}).
		Note("That file is done. Use a new upload_id for another file.")
}
