package s3

import (
	"context"
	"errors"
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

// errStop ends a walk whose consumer wants no more.
var errStop = errors.New("stop")

// List yields the names of all blobs that were stored before the time given, by the store's clock, in no order. A time
// that is more than an hour ahead does not count, and such a blob is yielded, too. It keeps one page of at most 1,000
// names. An error, with an empty name, is the last thing yielded. Objects with names that no blob has are passed over
// (Foreign yields them). As it is called for collecting garbage, it first removes the parts of uploads that were begun
// more than a day ago and never completed, unless the store was opened with Existing.
func (s *Store) List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error] {
	return func(yield func(sandlot.BlobRef, error) bool) {
		err := s.sweepParts(ctx, s.now().Add(-staleAfter))
		if err == nil {
			err = s.list(ctx, before, yield)
		}
		if err != nil && err != errStop {
			yield("", fmt.Errorf("list blobs: %w", err))
		}
	}
}

// Foreign yields the names, below the prefix, of the objects that are older than the time given and neither blobs nor
// the instance's own beside them: a name that no blob can have, a blob in another one's shard. It keeps one page. An
// error, with an empty name, is the last thing yielded.
func (s *Store) Foreign(ctx context.Context, before time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := s.objects(ctx, before, func(name string) error {
			if _, ok := refOf(name); ok || name == markerName || name == probeName {
				return nil
			}
			if !yield(name, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && err != errStop {
			yield("", fmt.Errorf("list blobs: %w", err))
		}
	}
}

func (s *Store) list(ctx context.Context, before time.Time, yield func(sandlot.BlobRef, error) bool) error {
	return s.objects(ctx, before, func(name string) error {
		if ref, ok := refOf(name); ok && !yield(ref, nil) {
			return errStop
		}
		return nil
	})
}

// objects calls visit with the names, below the prefix, of all objects that were stored before the time given or, by
// the store's clock, in the future.
func (s *Store) objects(ctx context.Context, before time.Time, visit func(name string) error) error {
	return s.pages(ctx, "", func(page *sdk.ListObjectsV2Output) error {
		for _, o := range page.Contents {
			at := aws.ToTime(o.LastModified)
			if !at.Before(before) && !at.After(s.now().Add(ahead)) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(aws.ToString(o.Key)[len(*s.key("")):]); err != nil {
				return err
			}
		}
		return nil
	})
}

// pages calls visit with each page of the objects below a name.
func (s *Store) pages(ctx context.Context, under string, visit func(*sdk.ListObjectsV2Output) error) error {
	return s.pagesOf(ctx, &sdk.ListObjectsV2Input{Bucket: &s.config.Bucket, Prefix: s.key(under)}, visit)
}

func (s *Store) pagesOf(ctx context.Context, in *sdk.ListObjectsV2Input, visit func(*sdk.ListObjectsV2Output) error) error {
	for {
		short, cancel := s.within(ctx, 0)
		page, err := s.client.ListObjectsV2(short, in)
		cancel()
		if err != nil {
			return s.told(ctx, err)
		}
		for _, o := range page.Contents {
			if !strings.HasPrefix(aws.ToString(o.Key), *in.Prefix) {
				return fmt.Errorf("%w: the store listed what was not asked for", sandlot.ErrUnavailable)
			}
		}
		if err := visit(page); err != nil {
			return err
		}
		if !aws.ToBool(page.IsTruncated) {
			return nil
		}
		if aws.ToString(page.NextContinuationToken) == aws.ToString(in.ContinuationToken) {
			return fmt.Errorf("%w: the store lists the same again and again", sandlot.ErrUnavailable)
		}
		in.ContinuationToken = page.NextContinuationToken
	}
}

// refOf reads the name of an object below the prefix.
func refOf(name string) (sandlot.BlobRef, bool) {
	_, base, _ := strings.Cut(name, "/")
	ref := sandlot.BlobRef(base)
	return ref, blob.Valid(ref) && blob.Path(ref) == name
}

// shardOf returns the shard that a name begins with, and 0 if it begins with none.
func shardOf(name string) int {
	for n := range blob.Shards {
		if strings.HasPrefix(name, blob.Shard(n)+"/") {
			return n
		}
	}
	return 0
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
			return s.told(ctx, err)
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
		same := aws.ToString(page.NextKeyMarker) == aws.ToString(in.KeyMarker) && aws.ToString(page.NextUploadIdMarker) == aws.ToString(in.UploadIdMarker)
		if !aws.ToBool(page.IsTruncated) || same {
			return nil
		}
		in.KeyMarker, in.UploadIdMarker = page.NextKeyMarker, page.NextUploadIdMarker
	}
}
