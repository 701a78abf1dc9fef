package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const (
	mebi     = checkpoint.Step
	instance = "instance-one"
)

// quick holds the time limits for a store on this machine.
var quick = limits{
	connect: 5 * time.Second, firstByte: 20 * time.Second, stall: 10 * time.Second, call: time.Minute, rate: 128 << 10,
	settle: time.Millisecond, attempts: 6, pause: time.Millisecond,
}

// A bucket is one of the test's own, of which each store gets a prefix.
type bucket struct {
	testenv.Bucket
	endpoint string // where it is reached
	prefixes atomic.Int64
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	b := testenv.S3(t)
	return &bucket{Bucket: b, endpoint: b.Endpoint}
}

func (b *bucket) access() Access { return Access{Key: b.Key, Secret: b.Secret} }

// config has a prefix that no other has.
func (b *bucket) config() Config {
	return Config{Bucket: b.Name, Prefix: fmt.Sprintf("of/%d", b.prefixes.Add(1)), Endpoint: b.endpoint, PathStyle: true}
}

// open opens an empty prefix.
func (b *bucket) open(t *testing.T) *Store {
	t.Helper()
	return b.openAt(t, b.config(), quick)
}

func (b *bucket) openAt(t *testing.T, c Config, l limits) *Store {
	t.Helper()
	s, err := open(t.Context(), c, b.access(), Options{Instance: instance}, l)
	expect.OK(t, err, "open")
	t.Cleanup(func() { s.Close() })
	return s
}

// unopened is a store that was asked nothing yet.
func (b *bucket) unopened(t *testing.T, c Config, l limits) *Store {
	t.Helper()
	s, err := newStore(t.Context(), c, b.access(), Options{Instance: instance}, l)
	expect.OK(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// cached puts a cache before a store.
func cached(t *testing.T, s *Store, folder string) *cache.Blobs {
	t.Helper()
	c := cache.New(s, cache.Options{Folder: folder, Bytes: 1 << 30})
	t.Cleanup(func() { c.Close() })
	return c
}

// putObject stores an object of any name.
func putObject(t *testing.T, s *Store, name, data string) {
	t.Helper()
	_, err := s.client.PutObject(t.Context(), &sdk.PutObjectInput{Bucket: &s.config.Bucket, Key: s.key(name), Body: bytes.NewReader([]byte(data))})
	expect.OK(t, err, "put an object")
}

// noise makes n bytes that no mix-up of offsets leaves alike.
func noise(n int) []byte {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(data)
	return data
}

// put stores data and describes it as the record would, with its checkpoints.
func put(t *testing.T, s *Store, data []byte) sandlot.Blob {
	t.Helper()
	b, err := s.Put(t.Context(), s.Name(), bytes.NewReader(data))
	expect.OK(t, err, "Put")
	return described(b, data)
}

func described(b sandlot.Blob, data []byte) sandlot.Blob {
	h := checkpoint.New()
	_, _ = h.Write(data) // never fails
	b.SHA256, b.Checkpoints = sha256.Sum256(data), h.Points()
	return b
}

// read opens a range and reads it to its end; got also holds the bytes before an error.
func read(t *testing.T, s sandlot.Blobs, b sandlot.Blob, off, n int64) (got []byte, err error) {
	t.Helper()
	r, err := s.Open(t.Context(), b, off, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// holds fails the test unless the blob can be read and is data.
func holds(t *testing.T, s sandlot.Blobs, b sandlot.Blob, data []byte) {
	t.Helper()
	got, err := read(t, s, b, 0, -1)
	expect.OK(t, err, "read")
	if !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, which are not the %d that were stored", len(got), len(data))
	}
}

// names lists the stored blobs.
func names(t *testing.T, s *Store, before time.Time) []sandlot.BlobRef {
	t.Helper()
	var refs []sandlot.BlobRef
	for ref, err := range s.List(t.Context(), before) {
		expect.OK(t, err, "List")
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	return refs
}

// uploads is how many uploads in parts are under way.
func uploads(t *testing.T, s *Store) int {
	t.Helper()
	out, err := s.client.ListMultipartUploads(context.Background(), &sdk.ListMultipartUploadsInput{Bucket: &s.config.Bucket, Prefix: s.key("")})
	expect.OK(t, err)
	return len(out.Uploads)
}

func soon() time.Time { return time.Now().Add(time.Hour) }
