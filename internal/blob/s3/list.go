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

	"sandlot/internal/blob"
	"sandlot/internal/publish"
)

const (
	// staleAfter is how old an upload in parts must be to be taken for what a crash left: no Put takes a day.
	staleAfter = 24 * time.Hour
	// ahead is by how much a store's clock may be ahead. What is further ahead may be as old as anything.
	ahead = time.Hour
)

// errStop ends a walk whose consumer wants no more.
var errStop = errors.New("stop")

// List yields the names of all blobs that were stored before the time given, by the store's clock, in no
// order. A time that is more than an hour ahead is none, and such a blob is yielded, too. It keeps one page of
// at most 1,000 names. An error, with an empty name, is the last thing yielded. Objects with names that no
// blob has are passed over, and counted (Foreign). As it is called for collecting garbage, it first removes
// the parts of uploads that were begun more than a day ago and never completed, unless the store is only
// looked at.
func (s *Store) List(ctx context.Context, before time.Time) iter.Seq2[publish.BlobRef, error] {
	return s.walk(ctx, "", before)
}

// Shards is 256, by the first two characters of the names.
func (s *Store) Shards() int { return blob.Shards }

// ListShard is List of one shard: it looks at no other objects of the bucket.
func (s *Store) ListShard(ctx context.Context, n int, before time.Time) iter.Seq2[publish.BlobRef, error] {
	if n < 0 || n >= blob.Shards {
		return func(yield func(publish.BlobRef, error) bool) {
			yield("", fmt.Errorf("list blobs: no shard %d of %d", n, blob.Shards))
		}
	}
	return s.walk(ctx, blob.Shard(n)+"/", before)
}

// Foreign is how many objects the last walk passed over, in all shards or whatever else it went through.
func (s *Store) Foreign() (n int64) {
	for i := range s.foreign {
		n += s.foreign[i].Load()
	}
	return n
}

func (s *Store) walk(ctx context.Context, under string, before time.Time) iter.Seq2[publish.BlobRef, error] {
	return func(yield func(publish.BlobRef, error) bool) {
		err := s.sweepParts(ctx, under, s.now().Add(-staleAfter))
		if err == nil {
			err = s.list(ctx, under, before, yield)
		}
		if err != nil && err != errStop {
			yield("", fmt.Errorf("list blobs: %w", err))
		}
	}
}

func (s *Store) list(ctx context.Context, under string, before time.Time, yield func(publish.BlobRef, error) bool) error {
	var foreign [blob.Shards]int64
	err := s.pages(ctx, under, func(page *sdk.ListObjectsV2Output) error {
		for _, o := range page.Contents {
			name := aws.ToString(o.Key)[len(*s.key("")):]
			ref, ok := refOf(name)
			if !ok {
				foreign[shardOf(name)] += s.counts(name)
				continue
			}
			at := aws.ToTime(o.LastModified)
			if !at.Before(before) && !at.After(s.now().Add(ahead)) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(ref, nil) {
				return errStop
			}
		}
		return nil
	})
	if err == nil {
		s.tellForeign(under, foreign)
	}
	return err
}

// counts is 0 for the objects that are the instance's own beside the blobs.
func (s *Store) counts(name string) int64 {
	if name == markerName || name == probeName {
		return 0
	}
	return 1
}

func (s *Store) tellForeign(under string, foreign [blob.Shards]int64) {
	for n := range blob.Shards {
		if strings.HasPrefix(blob.Shard(n), strings.TrimSuffix(under, "/")) {
			s.foreign[n].Store(foreign[n])
		}
	}
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
				return fmt.Errorf("%w: the store listed what was not asked for", publish.ErrUnavailable)
			}
		}
		if err := visit(page); err != nil {
			return err
		}
		if !aws.ToBool(page.IsTruncated) {
			return nil
		}
		if aws.ToString(page.NextContinuationToken) == aws.ToString(in.ContinuationToken) {
			return fmt.Errorf("%w: the store lists the same again and again", publish.ErrUnavailable)
		}
		in.ContinuationToken = page.NextContinuationToken
	}
}

// refOf reads the name of an object below the prefix.
func refOf(name string) (publish.BlobRef, bool) {
	_, base, _ := strings.Cut(name, "/")
	ref := publish.BlobRef(base)
	return ref, blob.Valid(ref) && blob.Path(ref) == name
}

// shardOf is the shard in which a name that is not ours is counted.
func shardOf(name string) int {
	for n := range blob.Shards {
		if strings.HasPrefix(name, blob.Shard(n)+"/") {
			return n
		}
	}
	return 0
}

// sweepParts removes uploads in parts of ours that were begun before the time given. A store that cannot list
// them removes them itself.
func (s *Store) sweepParts(ctx context.Context, under string, before time.Time) error {
	if s.opts.Existing {
		return nil
	}
	in := &sdk.ListMultipartUploadsInput{Bucket: &s.config.Bucket, Prefix: s.key(under)}
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
