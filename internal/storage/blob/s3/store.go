// Package s3 keeps blobs in a bucket of an S3-compatible store.
//
// A blob is one object, under its own random name that is never used again:
//
//	PREFIX/ab/NAME            a blob, by the first two characters of its name
//	PREFIX/sandlot-instance   the marker: the id of the instance whose bucket this is
//	PREFIX/sandlot-probe      the object that Open and Ping write
//
// All other objects in the bucket are left alone. The store needs only the features that every one has: no conditional
// requests, no checksums of its own, no versions, no order of writes between two keys. An object is there when the
// answer to its PUT says so.
//
// It cannot promise two things: a store that acknowledges and forgets loses published files, and of two instances that
// are given one empty bucket in the same two seconds both may start, if the store answered one of them late; the one
// whose marker was overwritten gets an error from its next Ping.
package s3

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
	"sandlot/internal/storage/blob"
)

// Options name the owner of the bucket.
type Options struct {
	// Instance is the id of the installation, which its database keeps. The bucket's marker must name it; a missing
	// marker is written. Empty only with Existing.
	Instance string

	// Existing opens a bucket for reading only: no marker is written, and List removes nothing. With an empty Instance
	// the marker is not checked either.
	Existing bool
}

// Store is publish.Blobs in a bucket, without Open: it has Fetch, whose bytes nobody has compared, and from which
// package cache makes an Open. Its methods may be called concurrently, by any number of nodes.
type Store struct {
	client    *sdk.Client
	transport *awshttp.BuildableClient
	config    Config
	opts      Options
	limits    limits
	keys      aws.CredentialsProvider // the keys must never be shown
	now       func() time.Time
	pulse     blob.Pulse
}

// Open opens a bucket, and writes its marker if it has none. An error says which part is wrong: a bucket that is
// missing, unreachable, refused to the keys, read-only, or another instance's (ErrNotOurs). It holds no secret.
func Open(ctx context.Context, c Config, a Access, opts Options) (*Store, error) {
	s, err := open(ctx, c, a, opts, usual)
	if err != nil {
		return nil, fmt.Errorf("open blobs in %s: %w", c, err)
	}
	return s, nil
}

func open(ctx context.Context, c Config, a Access, opts Options, l limits) (*Store, error) {
	s, err := newStore(ctx, c, a, opts, l)
	if err != nil {
		return nil, err
	}
	if _, err := s.keys.Retrieve(ctx); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, fmt.Errorf("%w: there are no keys for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (%s)",
			sandlot.ErrUnavailable, detail(err))
	}
	if err := s.claim(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes idle connections.
func (s *Store) Close() error {
	s.transport.GetTransport().CloseIdleConnections()
	return nil
}

// Name returns a name that no blob ever had.
func (s *Store) Name() sandlot.BlobRef { return blob.NewRef() }

func (s *Store) key(name string) *string {
	if s.config.Prefix != "" {
		name = s.config.Prefix + "/" + name
	}
	return &name
}

func (s *Store) blobKey(ref sandlot.BlobRef) *string { return s.key(blob.Path(ref)) }

// within bounds the time of a call that moves n bytes.
func (s *Store) within(ctx context.Context, n int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.limits.size(n))
}

// Delete removes a blob. Deleting a missing one is not an error; a name that no blob can have is.
func (s *Store) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	if !blob.Valid(ref) {
		return fmt.Errorf("delete blob %q: not the name of a blob", ref)
	}
	short, cancel := s.within(ctx, 0)
	defer cancel()
	_, err := s.client.DeleteObject(short, &sdk.DeleteObjectInput{Bucket: &s.config.Bucket, Key: s.blobKey(ref)})
	if err != nil && !isMissing(err) {
		return fmt.Errorf("delete blob %s: %w", ref, s.explained(ctx, err))
	}
	return nil
}
