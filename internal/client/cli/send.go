package cli

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"sandlot/internal/client/client"
)

// A delivery is one call of publish or update, with its files.
type delivery struct {
	call    string // "publish" or "update"
	fields  client.Fields
	tree    *tree
	many    bool // whether the files keep their own names
	replace bool // whether these files replace all files of the project
}

// single reports whether the one file is sent without an archive. A primary file can only be set with an archive.
func (d delivery) single() bool {
	return len(d.tree.files) == 1 && !d.replace && (!d.many || d.call == "update" && d.fields.PrimaryFile == "")
}

const (
	// packFormat is the archive format of folders: it has no index at its end, so it can be read as it arrives.
	packFormat = "tar.zst"
	// packWindow is the window of the compression, in bytes: both sides keep as much in memory.
	packWindow = 4 << 20
)

// send delivers files, in parts if they are large.
func (s *session) send(ctx context.Context, d delivery) (a client.Answer, err error) {
	b, err := d.body()
	if err != nil {
		return a, err
	}
	defer b.close()
	if b.Size > wholeMax && !d.fields.DryRun {
		a, err = s.upload(ctx, b)
	} else {
		if b.fields.IdempotencyKey = s.env.Random(); b.Field == "archive" {
			b.fields.SHA256, b.fields.Size = "", 0 // the fields of an upload are about its own bytes
		}
		a, err = s.sendForm(ctx, b, b.fields, 0, b.Size)
	}
	return a, s.explain(ctx, err)
}

// A body holds the bytes of a delivery and their fields.
type body struct {
	client.Part
	call   string
	fields client.Fields
	file   *os.File
}

func (b body) close() {
	_ = b.file.Close()
	if b.Field == "archive" {
		_ = os.Remove(b.file.Name())
	}
}

// body opens the one file of a delivery, or packs its files. The server checks the bytes against their hash.
func (d delivery) body() (b body, err error) {
	b = body{call: d.call, fields: d.fields}
	if !d.single() {
		b.fields.ArchiveFormat, b.fields.Replace = packFormat, d.replace
		b.Field, b.Name = "archive", "files."+packFormat
		b.file, b.fields.SHA256, b.fields.Size, err = d.tree.packed()
	} else {
		f := d.tree.files[0]
		b.Field, b.fields.SHA256, b.fields.Size = "content", f.sha256, f.size
		if d.call == "update" {
			b.fields.Filename = f.name
		}
		b.file, err = d.tree.root.Open(f.path)
	}
	b.Size = b.fields.Size
	return b, err
}

// sendForm makes one call with some bytes of a body, with retries.
func (s *session) sendForm(ctx context.Context, b body, f client.Fields, at, size int64) (a client.Answer, err error) {
	err = s.call(ctx, func() error {
		b.Bytes, b.Size = io.NewSectionReader(b.file, at, size), size
		r, err := client.Form(b.call, f, b.Part)
		if err != nil {
			return err
		}
		a, err = s.Send(ctx, r)
		return err
	})
	return a, err
}

// packed packs a tree into a temporary file. The same files give the same bytes.
func (t *tree) packed() (file *os.File, sum string, size int64, err error) {
	file, err = os.CreateTemp("", "sandlot-*."+packFormat)
	if err != nil {
		return nil, "", 0, err
	}
	h := sha256.New()
	if err = t.pack(io.MultiWriter(file, h)); err == nil {
		size, err = file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	return file, hex.EncodeToString(h.Sum(nil)), size, err
}

func (t *tree) pack(w io.Writer) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow))
	if err != nil {
		return err
	}
	archive := tar.NewWriter(z)
	for _, f := range t.files {
		if err := t.packFile(archive, f); err != nil {
			return errors.Join(err, z.Close())
		}
	}
	return errors.Join(archive.Close(), z.Close())
}

// packFile adds a file to an archive. A file that has changed since it was listed is an error.
func (t *tree) packFile(archive *tar.Writer, f localFile) error {
	file, err := t.root.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := archive.WriteHeader(&tar.Header{Name: f.name, Size: f.size, Mode: 0o644, ModTime: time.Unix(0, 0)}); err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(archive, io.TeeReader(io.LimitReader(file, f.size), h))
	if err != nil || hex.EncodeToString(h.Sum(nil)) != f.sha256 {
		return errors.Join(err, fmt.Errorf("%s changed while it was read, so nothing was sent", clean(f.path)))
	}
	return nil
}

// try lets the server check a delivery, and prints the changes that it would make.
func (s *session) try(ctx context.Context, d delivery) error {
	d.fields.DryRun = true
	a, err := s.send(ctx, d)
	if err != nil {
		return err
	}
	text := "would %s at %s with %s, %s, checked by the server; nothing was changed"
	s.env.say(text, clean(d.call+" "+d.fields.ProjectID), s.server(), plural(len(d.tree.files), "file", "files"), amount(d.tree.size))
	if s.quiet {
		return s.env.print(true, a.Text)
	}
	s.env.warn(a.Warnings)
	return nil
}

const (
	// wholeMax is the limit of one call, in bytes: a broken call starts again from its first byte.
	wholeMax = 8 << 20
	// partSize is the size of a part, in bytes.
	partSize = 8 << 20
	// partsAtOnce is the number of parts sent at the same time. More do not make a line faster, and a public server
	// takes four bodies from one address at once.
	partsAtOnce = 3
)

// upload sends a body in parts: first the one that describes the whole, then the others, several at once. The call that
// completes the upload returns the full answer, even when repeated.
func (s *session) upload(ctx context.Context, b body) (made client.Answer, err error) {
	total, sent := int((b.Size+partSize-1)/partSize), 0
	b.fields.UploadID, b.fields.TotalParts, b.Field, b.Name = s.env.Random(), total, "content", ""
	var lock sync.Mutex
	send := func(ctx context.Context, n int) error {
		a, err := s.sendPart(ctx, b, n)
		lock.Lock()
		defer lock.Unlock()
		if a.ProjectID != "" || n == 1 {
			made = a
		}
		if sent++; !s.quiet && err == nil {
			s.env.say("sent %d of %d parts", sent, total)
		}
		return err
	}
	if err := send(ctx, 1); err != nil {
		return made, err
	}
	if s.Key == "" {
		s.Key = made.UploadToken // permits the other parts from any network
	}
	all, inner := errgroup.WithContext(ctx)
	all.SetLimit(partsAtOnce)
	for n := 2; n <= total; n++ {
		all.Go(func() error { return send(inner, n) })
	}
	if err = all.Wait(); err == nil && made.ProjectID == "" {
		err = errors.New("the server has all parts, and does not say what became of them; give the command again")
	}
	return made, err
}

// sendPart sends a part of a body. The first one has the fields of the whole.
func (s *session) sendPart(ctx context.Context, b body, n int) (client.Answer, error) {
	f := b.fields
	if n > 1 {
		f = client.Fields{ProjectID: f.ProjectID, UploadID: f.UploadID, TotalParts: f.TotalParts}
	}
	f.Part = n
	at := int64(n-1) * partSize
	return s.sendForm(ctx, b, f, at, min(partSize, b.Size-at))
}
