package s3

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
	"sandlot/internal/storage/blob"
)

const (
	// staleAfter is the age from which an upload in parts is treated as a left-over of a crash: no Put takes a day.
	staleAfter = 24 * time.Hour
	// ahead is how far a store's clock may be ahead. An object with a later time may be of any age.
	ahead = time.Hour
)

// List yields the names of all blobs that were stored before the time given, by the store's clock, in no order. A time
// that is more than an hour ahead does not count, and such a blob is yielded, too. It keeps one page of at most 1,000
// names. An error, with an empty name, is the last thing yielded. Objects with names that no blob has are passed over.
// As it is called for collecting garbage, it first removes the parts of uploads that were begun more than a day ago and
// never completed, unless the store was opened with Existing.
func (s *Store) List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error] {
	return func(yield func(sandlot.BlobRef, error) bool) {
		if err := s.sweepParts(ctx, s.now().Add(-staleAfter)); err != nil {
			yield("", fmt.Errorf("list blobs: %w", err))
			return
		}
		for name, err := range s.objects(ctx, s.all(), before) {
			if ref, ok := refOf(name); (ok || err != nil) && !yield(ref, err) {
				return
			}
		}
	}
}

// all requests the objects below the prefix.
func (s *Store) all() *sdk.ListObjectsV2Input {
	return &sdk.ListObjectsV2Input{Bucket: &s.config.Bucket, Prefix: s.key("")}
}

// objects yields the names, below the prefix, of all objects that were stored before the time given or, by the store's
// clock, in the future. An error, with an empty name, is the last thing yielded.
func (s *Store) objects(ctx context.Context, in *sdk.ListObjectsV2Input, before time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for more := true; more; {
			page, err := s.page(ctx, in)
			if err != nil {
				yield("", fmt.Errorf("list blobs: %w", err))
				return
			}
			for _, o := range page.Contents {
				if ctx.Err() != nil {
					yield("", fmt.Errorf("list blobs: %w", ctx.Err()))
					return
				}
				at := aws.ToTime(o.LastModified)
				old := at.Before(before) || at.After(s.now().Add(ahead))
				if old && !yield(aws.ToString(o.Key)[len(*in.Prefix):], nil) {
					return
				}
			}
			in.ContinuationToken, more = page.NextContinuationToken, aws.ToBool(page.IsTruncated)
		}
	}
}

// page returns the next page of a listing.
func (s *Store) page(ctx context.Context, in *sdk.ListObjectsV2Input) (*sdk.ListObjectsV2Output, error) {
	short, cancel := s.within(ctx, 0)
	defer cancel()
	page, err := s.client.ListObjectsV2(short, in)
	if err != nil {
		return nil, s.explained(ctx, err)
	}
	for _, o := range page.Contents {
		if !strings.HasPrefix(aws.ToString(o.Key), *in.Prefix) {
			return nil, fmt.Errorf("%w: the store lists objects of another prefix", sandlot.ErrUnavailable)
		}
	}
	if aws.ToBool(page.IsTruncated) && aws.ToString(page.NextContinuationToken) == aws.ToString(in.ContinuationToken) {
		return nil, fmt.Errorf("%w: the store lists the same again and again", sandlot.ErrUnavailable)
	}
	return page, nil
}

// refOf reads the name of an object below the prefix.
func refOf(name string) (sandlot.BlobRef, bool) {
	_, base, _ := strings.Cut(name, "/")
	ref := sandlot.BlobRef(base)
	return ref, blob.Valid(ref) && blob.Path(ref) == name
}

// sweepParts removes our uploads in parts that were begun before the time given. A store that cannot list them removes
// them itself.
func (s *Store) sweepParts(ctx context.Context, before time.Time) error {
	if s.opts.Existing {
		return nil
	}
	in := &sdk.ListMultipartUploadsInput{Bucket: &s.config.Bucket, Prefix: s.key("")}
	for {
		short, cancel := s.within(ctx, 0)
		page, err := s.client.ListMultipartUploads(short, in)
		cancel()
		if code := codeOf(err); code == "NotImplemented" || code == "MethodNotAllowed" {
			return nil
		}
		if err != nil {
			return s.explained(ctx, err)
		}
		for _, u := range page.Uploads {
			name, ours := strings.CutPrefix(aws.ToString(u.Key), *s.key(""))
			if _, valid := refOf(name); !ours || !valid || !aws.ToTime(u.Initiated).Before(before) {
				continue
			}
			if err := s.abort(ctx, u.Key, u.UploadId); err != nil {
				return err
			}
		}
		same := aws.ToString(page.NextKeyMarker) == aws.ToString(in.KeyMarker) &&
			aws.ToString(page.NextUploadIdMarker) == aws.ToString(in.UploadIdMarker)
		if !aws.ToBool(page.IsTruncated) || same {
			return nil
		}
		in.KeyMarker, in.UploadIdMarker = page.NextKeyMarker, page.NextUploadIdMarker
	}
}
