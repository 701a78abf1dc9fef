package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/format/content"
	"sandlot/internal/storage/blob"
)

const (
	// partSize is the size of a part: the least that all stores accept. It is also the memory of a Put, once it has
	// read more than firstRead.
	partSize = 5 << 20
	// firstRead is the memory of a Put for a small blob.
	firstRead = 64 << 10
	// mostParts is the most parts that a store accepts.
	mostParts = 10_000
)

var (
	smallBuffers = sync.Pool{New: func() any { return new([firstRead]byte) }}
	largeBuffers = sync.Pool{New: func() any { return new([partSize]byte) }}
)

// Put stores the bytes of r under ref, a fresh name, and returns the blob. When it returns nil the store has
// acknowledged the blob. If r fails nothing is stored, and the error wraps r's. It wraps ctx's if that ended,
// sandlot.ErrFull if there is no room, and else sandlot.ErrUnavailable. After an error that is not r's the object may
// still be there, when the store's answer was lost; nobody knows its name, and it is collected.
//
// A call with a passing failure is sent again, with growing pauses, for some seconds: under the same name, for the
// bytes are the same, and a name is never given twice.
//
// A Put holds 64 KiB of a blob up to that size and else 5 MiB, whatever the size. Larger ones go in parts, one at a
// time; parts left by a failure are removed at once, and those left by a crash are removed by List.
func (s *Store) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	if !blob.Valid(ref) {
		return sandlot.Blob{}, fmt.Errorf("put blob %q: not the name of a blob", ref)
	}
	size, err := s.put(ctx, s.blobKey(ref), r)
	if err != nil {
		return sandlot.Blob{}, fmt.Errorf("put blob %s: %w", ref, err)
	}
	failpoint.Hit(failpoint.Stored)
	return sandlot.Blob{Ref: ref, Size: size}, nil
}

func (s *Store) put(ctx context.Context, key *string, r io.Reader) (int64, error) {
	small := smallBuffers.Get().(*[firstRead]byte)
	defer smallBuffers.Put(small)
	n, err := fill(ctx, r, small[:])
	if err == io.EOF {
		return int64(n), s.putObject(ctx, key, small[:n])
	}
	if err != nil {
		return 0, err
	}
	large := largeBuffers.Get().(*[partSize]byte)
	defer largeBuffers.Put(large)
	n, err = fill(ctx, io.MultiReader(bytes.NewReader(small[:n]), r), large[:])
	if err == io.EOF {
		return int64(n), s.putObject(ctx, key, large[:n])
	}
	if err != nil {
		return 0, err
	}
	return s.putParts(ctx, key, large[:], r)
}

// fill reads until buf is full, or returns how much there was and the reason: io.EOF, r's error, or ctx's.
func fill(ctx context.Context, r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		var m int
		step := buf[n:min(n+firstRead, len(buf))]
		m, err = content.Fill(r, step, len(step))
		n += m
	}
	// A context that ended while r was read counts before r's end.
	if err == io.EOF && ctx.Err() != nil {
		return n, ctx.Err()
	}
	return n, err
}

func (s *Store) putObject(ctx context.Context, key *string, data []byte) error {
	short, cancel := s.within(ctx, int64(len(data)))
	defer cancel()
	return s.explained(ctx, s.send(short, key, data))
}

func (s *Store) send(ctx context.Context, key *string, data []byte) error {
	_, err := s.client.PutObject(ctx, &sdk.PutObjectInput{
		Bucket: &s.config.Bucket, Key: key, Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
	})
	return err
}

// putParts sends a blob that does not fit into one part: buf, which is full, and the rest of r.
func (s *Store) putParts(ctx context.Context, key *string, buf []byte, r io.Reader) (size int64, err error) {
	id, err := s.begin(ctx, key)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			s.abort(ctx, key, id)
		}
	}()
	var parts []types.CompletedPart
	var end error // of r
	for n := len(buf); n > 0 && len(parts) < mostParts; {
		part, err := s.putPart(ctx, key, id, int32(len(parts)+1), buf[:n])
		if err != nil {
			return 0, err
		}
		parts, size = append(parts, part), size+int64(n)
		if end == io.EOF {
			break
		}
		if n, end = fill(ctx, r, buf); end != nil && end != io.EOF {
			return 0, end
		}
	}
	if len(parts) == mostParts {
		return 0, fmt.Errorf("more than %d bytes do not fit into one object", size)
	}
	return size, s.complete(ctx, key, id, parts, size)
}

// begin is the one call whose retry after a lost answer is not harmless: an upload without parts stays behind, which
// List removes.
func (s *Store) begin(ctx context.Context, key *string) (*string, error) {
	short, cancel := s.within(ctx, 0)
	defer cancel()
	in := &sdk.CreateMultipartUploadInput{Bucket: &s.config.Bucket, Key: key}
	out, err := s.client.CreateMultipartUpload(short, in)
	if err != nil {
		return nil, s.explained(ctx, err)
	}
	if aws.ToString(out.UploadId) == "" {
		return nil, fmt.Errorf("%w: the store began an upload without a name for it", sandlot.ErrUnavailable)
	}
	return out.UploadId, nil
}

func (s *Store) putPart(ctx context.Context, key, id *string, n int32, data []byte) (types.CompletedPart, error) {
	short, cancel := s.within(ctx, int64(len(data)))
	defer cancel()
	out, err := s.client.UploadPart(short, &sdk.UploadPartInput{
		Bucket: &s.config.Bucket, Key: key, UploadId: id, PartNumber: &n,
		Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
	})
	if err != nil {
		return types.CompletedPart{}, s.explained(ctx, err)
	}
	return types.CompletedPart{ETag: out.ETag, PartNumber: &n}, nil
}

func (s *Store) complete(ctx context.Context, key, id *string, parts []types.CompletedPart, size int64) error {
	short, cancel := s.within(ctx, size)
	defer cancel()
	_, err := s.client.CompleteMultipartUpload(short, &sdk.CompleteMultipartUploadInput{
		Bucket: &s.config.Bucket, Key: key, UploadId: id, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	// It may have been done, and only the answer was lost: then the upload is gone and the object is there.
	if err != nil && ctx.Err() == nil && s.isThere(ctx, key, size) {
		return nil
	}
	return s.explained(ctx, err)
}

// isThere reports whether there is an object of that key and size.
func (s *Store) isThere(ctx context.Context, key *string, size int64) bool {
	short, cancel := s.within(ctx, 0)
	defer cancel()
	out, err := s.client.HeadObject(short, &sdk.HeadObjectInput{Bucket: &s.config.Bucket, Key: key})
	return err == nil && aws.ToInt64(out.ContentLength) == size
}

// abort removes the parts of an upload, also after ctx has ended. List later removes those that it cannot remove.
func (s *Store) abort(ctx context.Context, key, id *string) error {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.firstByte)
	defer cancel()
	_, err := s.client.AbortMultipartUpload(short, &sdk.AbortMultipartUploadInput{Bucket: &s.config.Bucket, Key: key, UploadId: id})
	if code := codeOf(err); err == nil || code == "NoSuchUpload" {
		return nil
	}
	return s.explained(context.WithoutCancel(ctx), err)
}
