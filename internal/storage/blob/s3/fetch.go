package s3

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
	"sandlot/internal/storage/blob"
)

// Fetch fills p with the bytes from off of a blob, which is to have size bytes in all. Nobody has compared them with
// anything. A missing blob is sandlot.ErrNotFound, and one of another size sandlot.ErrCorrupt. An answer that breaks
// off, or stalls, is requested once more from where it ended.
func (s *Store) Fetch(ctx context.Context, ref sandlot.BlobRef, size, off int64, p []byte) error {
	if !blob.Valid(ref) {
		return sandlot.ErrNotFound // no blob ever had this name
	}
	got, err := s.fetch(ctx, s.blobKey(ref), size, off, p)
	if err != nil && !isDomain(err) && ctx.Err() == nil && codeOf(err) == "" {
		_, err = s.fetch(ctx, s.blobKey(ref), size, off+int64(got), p[got:])
	}
	return s.explained(ctx, err)
}

// fetch sends one request, and returns how many bytes came before an error.
func (s *Store) fetch(ctx context.Context, key *string, size, off int64, p []byte) (n int, err error) {
	short, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(s.limits.size(0), func() { cancel(context.DeadlineExceeded) })
	defer late.Stop()
	in := &sdk.GetObjectInput{Bucket: &s.config.Bucket, Key: key}
	whole := off == 0 && int64(len(p)) == size
	if !whole {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", off, off+int64(len(p))-1))
	}
	out, err := s.client.GetObject(short, in)
	if err != nil {
		switch {
		case statusOf(err) == http.StatusRequestedRangeNotSatisfiable:
			return 0, fmt.Errorf("%w: fewer bytes in the store than %d", sandlot.ErrCorrupt, off+int64(len(p)))
		case isMissing(err):
			return 0, sandlot.ErrNotFound
		}
		return 0, cmp.Or(context.Cause(short), err)
	}
	defer out.Body.Close()
	if err := s.measure(out, whole, size, off); err != nil {
		return 0, err
	}
	// From here on the bytes have to come at the least rate, and never stop.
	late.Reset(s.limits.stall + time.Duration(int64(len(p))/s.limits.rate)*time.Second)
	stalled := time.AfterFunc(s.limits.stall, func() { cancel(errStalled) })
	defer stalled.Stop()
	n, err = io.ReadFull(moving{out.Body, stalled, s.limits.stall}, p)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return n, cmp.Or(context.Cause(short), err)
	}
	if err != nil {
		return n, fmt.Errorf("the answer ended after %d bytes of %d: %w", n, len(p), io.ErrUnexpectedEOF)
	}
	if more, _ := out.Body.Read(make([]byte, 1)); more > 0 {
		return 0, fmt.Errorf("%w: more bytes in the store than %d", sandlot.ErrCorrupt, size)
	}
	return n, nil
}

// measure compares the answer's headers with the known size of the object.
func (s *Store) measure(out *sdk.GetObjectOutput, whole bool, size, off int64) error {
	if whole {
		if out.ContentLength != nil && *out.ContentLength >= 0 && *out.ContentLength != size {
			return fmt.Errorf("%w: %d bytes instead of %d in the store", sandlot.ErrCorrupt, *out.ContentLength, size)
		}
		return nil
	}
	var first, last, total int64
	_, err := fmt.Sscanf(aws.ToString(out.ContentRange), "bytes %d-%d/%d", &first, &last, &total)
	switch {
	case err != nil || first != off:
		return fmt.Errorf("%w: the store answered a question for a range with something else", sandlot.ErrUnavailable)
	case total != size:
		return fmt.Errorf("%w: %d bytes instead of %d in the store", sandlot.ErrCorrupt, total, size)
	}
	return nil
}

// moving gives each read its own time limit.
type moving struct {
	r     io.Reader
	timer *time.Timer
	stall time.Duration
}

func (m moving) Read(p []byte) (int, error) {
	m.timer.Reset(m.stall)
	return m.r.Read(p)
}
