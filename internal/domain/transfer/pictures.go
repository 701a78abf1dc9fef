package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/unpack"
)

// A picture is a cover or a portrait of an export, as its manifest describes it.
type picture struct {
	file
	problem error // why it cannot be read
}

// picture reads the fields of a picture. A fault of it only keeps the picture itself out.
func (p *parser) picture(into **picture) error {
	f, fault, err := p.file()
	*into = &picture{f, fault}
	return err
}

// coverOf imports the cover of a project that was adopted, or would be.
func (s *Service) coverOf(ctx context.Context, by sandlot.Caller, in Input, p project, a *publish.Adopted) error {
	left, err := s.bring(ctx, by, in, p.cover, publish.Brought{Project: a.Project.ID})
	if left != "" {
		a.Warnings = append(a.Warnings, leftOut("cover", left, "Choose another one on the website, where the project is managed."))
	}
	return err
}

// portrait imports the portrait of an account.
func (s *Service) portrait(ctx context.Context, by sandlot.Caller, in Input, m manifest, out *Report) error {
	left, err := s.bring(ctx, by, in, m.portrait, publish.Brought{Portrait: true})
	if left != "" {
		out.Warnings = append(out.Warnings, leftOut("portrait", left, "Send another one on the website, in the account's settings."))
	}
	return err
}

func leftOut(what, why, hint string) sandlot.Warning {
	return sandlot.Warning{Code: "picture_left_out", Message: "The " + what + " was left out. " + why, Hint: hint}
}

// bring has a picture made of an entry of the archive. left is the reason why there is none; an error ends the import.
func (s *Service) bring(
	ctx context.Context, by sandlot.Caller, in Input, f *picture, b publish.Brought,
) (left string, err error) {
	if f == nil {
		return "", nil
	}
	if f.problem != nil {
		return f.problem.Error(), nil
	}
	b.Account, b.DryRun = in.Account, in.DryRun
	err = in.zip.Read(f.path, func(_ unpack.Entry, r io.Reader) error {
		b.Bytes = &compared{r: in.Charge.Of(r), sum: sha256.New(), want: f.sum}
		left, err = s.Pictures.Bring(ctx, by, b)
		return err
	})
	var bad *unpack.Error
	switch {
	case errors.As(err, &bad):
		return fmt.Sprintf("The archive is damaged there: %s.", bad.Message), nil
	case refusal(err) != nil:
		return refusal(err).Message, nil
	}
	return left, err
}

// compared reads bytes that must have that hash: otherwise the end is an error.
type compared struct {
	r    io.Reader
	sum  hash.Hash
	want sandlot.Digest
}

// Read implements io.Reader.
func (c *compared) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	if err == io.EOF && sandlot.Digest(c.sum.Sum(nil)) != c.want {
		err = sandlot.Refuse(sandlot.CodeDigestMismatch, "It has other bytes than the manifest says.").In("archive")
	}
	return n, err
}
