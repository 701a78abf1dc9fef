package publish

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/base/turns"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
)

// Contents keeps the bytes of files: it stages received bytes until a call of a Service records them, and reads
// recorded ones. It takes no Caller: staged bytes belong to nobody yet, and the version or blob that it reads was named
// by a call of a Service, which called Authorize.
//
// Bytes stream through it: it holds at most InlineMax of a call's content, whatever its size.
// All methods may be called concurrently.
type Contents struct {
	store     Store
	described ManagementStore
	blobs     sandlot.Blobs
	log       *slog.Logger
	inlineMax int
	limits    treeLimits
	room      func() bool

	held      *heldBlobs
	receiving atomic.Int64 // requests that stage content
	buffers   sync.Pool    // of *[]byte
	unpacking turns.Turns
	load      *turns.Load // calls with very many files
}

func newContents(cfg Config, stores Stores, log *slog.Logger) *Contents {
	return &Contents{
		store: stores.Store, described: stores.Management, blobs: stores.Blobs, log: log, inlineMax: cfg.InlineMax, room: cfg.Room,
		held: newHeldBlobs(), unpacking: turns.New(), load: turns.NewLoad(mostHeavy, cfg.Heavy),
		limits: treeLimits{files: cfg.MaxFiles, file: cfg.MaxContent, total: cfg.MaxFile, dir: cfg.Temporary},
	}
}

// Stage keeps the bytes of r, to its end, until a call uses them, and inspects them once on the way. Content larger
// than InlineMax is durable when Stage returns. A nearly full disk is CodeStorageFull before a byte of r is read. An
// error of r is wrapped, and then nothing is kept: every error is ErrNoEffect.
//
// Content that no call uses must be discarded; until it is discarded or recorded the collector leaves it alone, however
// long that takes. After a crash it is collected.
func (c *Contents) Stage(ctx context.Context, r io.Reader) (Content, error) {
	c.receiving.Add(1)
	defer c.receiving.Add(-1)
	kept, err := c.keep(ctx, func(in *inspect.Inspector) io.Reader { return io.TeeReader(r, in) }, inRecord)
	return kept, sandlot.NoEffect(err)
}

// StageDerived is Stage for content that the service derives from other content, such as a variant or a cover. It does
// not count as received, so that the workers which wait for requests do not wait for themselves.
func (c *Contents) StageDerived(ctx context.Context, r io.Reader) (sandlot.Blob, error) {
	kept, err := c.keep(ctx, func(in *inspect.Inspector) io.Reader { return io.TeeReader(r, in) }, inRecord)
	return kept.Blob, sandlot.NoEffect(err)
}

// DiscardDerived discards a blob that StageDerived returned.
func (c *Contents) DiscardDerived(ctx context.Context, b sandlot.Blob) {
	c.Discard(ctx, Content{Blob: b})
}

// stageUnpacked is Stage for the unpacked bytes of gzip content, which may be very many. They are unpacked and
// inspected in turns.
func (c *Contents) stageUnpacked(ctx context.Context, packed io.Reader, limit int64, charge sandlot.Charge) (Content, error) {
	c.receiving.Add(1)
	defer c.receiving.Add(-1)
	r := charge.Of(content.Gunzip(packed, limit))
	kept, err := c.keep(ctx, func(in *inspect.Inspector) io.Reader { return c.unpacking.Of(ctx, io.TeeReader(r, in)) }, inRecord)
	return kept, sandlot.NoEffect(err)
}

// inRecord holds small content in memory until it is recorded.
func inRecord(b *sandlot.Blob, data []byte) (held bool, err error) {
	b.Inline = bytes.Clone(data)
	return true, nil
}

const (
	// mostRecorded is up to how many bytes of the files of one call are in their records, but for those of files of at most
	// alwaysRecorded. All are written in one step, and nobody else writes to SQLite meanwhile.
	mostRecorded   = 24 << 20
	alwaysRecorded = 1 << 10
)

// hold keeps small content for its record, unless the records of the call are large already.
func (t *Tree) hold(b *sandlot.Blob, data []byte) (bool, error) {
	if len(data) > alwaysRecorded && t.small.Size()+int64(len(data)) > mostRecorded {
		return false, nil
	}
	b.Spooled = &sandlot.Spooled{File: t.small, Off: t.small.Size(), Size: len(data)}
	_, err := t.small.Write(data)
	return true, err
}

// keep stages the bytes of the reader that through returns. The first bytes are read into a buffer: if the content ends
// there, hold may keep it for its record; otherwise they go to Blobs ahead of the rest.
func (c *Contents) keep(ctx context.Context, through func(*inspect.Inspector) io.Reader,
	hold func(*sandlot.Blob, []byte) (bool, error),
) (Content, error) {
	if err := c.admitBytes(); err != nil {
		return Content{}, err
	}
	in := inspect.New()
	seen := c.whileRoom(through(in))
	head := c.buffer()
	defer c.buffers.Put(head)
	n, err := content.Fill(seen, *head, len(*head))
	if n < len(*head) && err == io.EOF { // itself: an error that wraps it is one of r, not its end
		kept := inspected(in)
		held, err := hold(&kept.Blob, (*head)[:n])
		if err != nil {
			return Content{}, fmt.Errorf("stage content: %w", err)
		}
		if held {
			return kept, nil
		}
	}
	if err != nil && err != io.EOF { // the next read returns it again
		return Content{}, fmt.Errorf("stage content: %w", err)
	}
	ref, err := c.putStaged(ctx, io.MultiReader(bytes.NewReader((*head)[:n]), seen))
	if err != nil {
		return Content{}, fmt.Errorf("stage content: %w", err)
	}
	kept := inspected(in)
	kept.Ref, kept.Checkpoints = ref, in.Points()
	return kept, nil
}

// inspected returns the Content that in has seen.
func inspected(in *inspect.Inspector) Content {
	return Content{Blob: sandlot.Blob{Size: in.Size(), SHA256: in.Sum(), Text: in.Text()}, Findings: in.Findings()}
}

// putStaged stores a blob under a name that is held before its bytes are there, so that the
// collector never finds the one without the other.
func (c *Contents) putStaged(ctx context.Context, r io.Reader) (sandlot.BlobRef, error) {
	ref, stored := c.blobs.Name(), false
	c.held.add(ref)
	defer func() {
		if !stored { // also if r panics
			c.held.drop(ref)
		}
	}()
	large := &largeBody{Reader: r, load: c.load}
	defer large.close()
	_, err := c.blobs.Put(ctx, ref, large)
	stored = err == nil
	return ref, err
}

// heavyBytes is the size from which content counts as load: it takes longer than a collection of garbage.
const heavyBytes = 8 << 20

// A largeBody reads content, and counts as load once it has read heavyBytes.
type largeBody struct {
	io.Reader
	load *turns.Load
	read int64
	end  func()
}

func (l *largeBody) Read(b []byte) (n int, err error) {
	n, err = l.Reader.Read(b)
	if l.read += int64(n); l.read >= heavyBytes && l.end == nil {
		l.end = l.load.Begin()
	}
	return n, err
}

func (l *largeBody) close() {
	if l.end != nil {
		l.end()
	}
}

// buffer returns a buffer for the beginning of content: all of it if it is to be kept in its record, and one byte more
// if it is not. A buffer that grew with each publish would copy and throw away twice the content.
func (c *Contents) buffer() *[]byte {
	if b, ok := c.buffers.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, max(c.inlineMax, 0)+1)
	return &b
}

// Unpack replaces staged gzip content by its unpacked bytes, at most limit. The packed bytes are discarded in any case;
// an error of kind *content.Error says how they are damaged. charge takes the unpacked bytes. Many calls unpack in
// turns, so that a processor stays free for others.
func (c *Contents) Unpack(ctx context.Context, packed Content, limit int64, charge sandlot.Charge) (Content, error) {
	defer c.Discard(ctx, packed)
	r, err := c.Open(ctx, packed.Blob, 0, -1)
	if err != nil {
		return Content{}, fmt.Errorf("unpack content: %w", err)
	}
	defer r.Close()
	return c.stageUnpacked(ctx, r, limit, charge)
}

// Discard forgets staged content, and frees its room. It leaves alone content that a step has recorded, or may have, so
// it may always be called, and more than once. It works also after ctx has ended. A blob that cannot be deleted now is
// collected later.
func (c *Contents) Discard(ctx context.Context, staged Content) {
	if !c.held.discardable(staged.Ref) {
		return
	}
	defer c.held.drop(staged.Ref)
	if err := c.blobs.Delete(context.WithoutCancel(ctx), staged.Ref); err != nil {
		c.log.Warn("staged content not deleted; it will be collected", "error", err)
	}
}

// Open returns n bytes of a blob from off (n < 0: up to the end), after they have been compared with its hash: damaged
// bytes are ErrCorrupt, and not one of them is returned. Of a blob of more than 1 MiB only the MiBs that a range lies
// in are compared, if checkpoints were recorded with it. A deleted blob is ErrNotFound. The caller closes the reader.
func (c *Contents) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	if b.Ref != "" {
		r, err := c.blobs.Open(ctx, c.withCheckpoints(ctx, b, n), off, n)
		return r, sandlot.NoEffect(err)
	}
	data, err := b.Bytes()
	if b.ID != 0 {
		data, err = c.store.Content(ctx, b.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("open content %d: %w", b.ID, err)
	}
	if int64(len(data)) != b.Size || sandlot.DigestOf(data) != b.SHA256 {
		return nil, fmt.Errorf("open content %d: %w", b.ID, sandlot.ErrCorrupt)
	}
	return io.NopCloser(bytes.NewReader(window(data, off, n))), nil
}

// withCheckpoints adds the recorded checkpoints to a blob of more than a MiB. Without them the blob is compared whole
// before it is read.
func (c *Contents) withCheckpoints(ctx context.Context, b sandlot.Blob, n int64) sandlot.Blob {
	if b.ID == 0 || b.Size <= checkpoint.Step || n == 0 {
		return b
	}
	points, err := c.store.Checkpoints(ctx, b.ID)
	if err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "checkpoints not read; reading the whole blob instead", "blob", b.ID, "error", err)
	}
	b.Checkpoints = points
	return b
}

// window returns n bytes of data from off; n < 0 is up to the end. A range beyond data is cut.
func window(data []byte, off, n int64) []byte {
	data = data[min(max(off, 0), int64(len(data))):]
	if n >= 0 && n < int64(len(data)) {
		data = data[:n]
	}
	return data
}

// Files returns the files of a version in the byte order of their names. The list never
// changes, but a file's variants may still be made.
func (c *Contents) Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error) {
	return c.store.Files(ctx, id, version)
}

// FilesWith is Files with the variants of one encoding alone, for an export, which needs no other: with many files it
// takes a third of the time. It has a deleted project's files for a day.
func (c *Contents) FilesWith(ctx context.Context, id sandlot.ProjectID, version int, encoding string) ([]sandlot.File, error) {
	return c.store.FilesWith(ctx, id, version, encoding)
}

// Described returns the details of a project. A deleted one is ErrNotFound.
func (c *Contents) Described(ctx context.Context, id sandlot.ProjectID) (Details, error) {
	return c.described.Details(ctx, id)
}

// VersionsBelow returns a project's versions below before (0: all), newest first, at most limit. It has
// those of a deleted project for a day.
func (c *Contents) VersionsBelow(ctx context.Context, id sandlot.ProjectID, before, limit int) ([]sandlot.VersionChange, error) {
	return c.described.Versions(ctx, id, before, limit)
}

// Held reports whether a record may still come to name the blob: it is being stored, or a request holds it, or a step
// failed and its effect is unknown.
func (c *Contents) Held(ref sandlot.BlobRef) bool { return c.held.holds(ref) }

// Receiving reports whether content is being staged for a request right now.
func (c *Contents) Receiving() bool { return c.receiving.Load() > 0 }

// whileRoom returns a reader of r that checks the room on the disk again and again, because a slow request was admitted
// long ago.
func (c *Contents) whileRoom(r io.Reader) io.Reader {
	const every = 1 << 20 // of many requests at once, that is little on any disk
	left := every
	return readerFunc(func(p []byte) (int, error) {
		if left <= 0 {
			if err := c.admitBytes(); err != nil {
				return 0, err
			}
			left = every
		}
		n, err := r.Read(p)
		left -= n
		return n, err
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// admitBytes refuses new content while the disk is nearly full: the rest is reserved for deletions, and for the
// database to finish the steps that it has begun.
func (c *Contents) admitBytes() error {
	if c.room == nil || c.room() {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeStorageFull,
		"The disk of this service is nearly full and takes no new content. Nothing was changed.").
		After(time.Minute).With(sandlot.OpWait).Note("Send the same request again later; the operator has to make room.")
}
