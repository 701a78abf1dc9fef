package s3

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestStore reads through a cache without a folder, so that each read goes to the store. Package cache tests the effect
// of a folder.
func TestStore(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	open := func(t *testing.T) *cache.Blobs {
		t.Parallel()
		return cached(t, b.open(t), "")
	}
	storetest.TestBlobs(t, func(t *testing.T) sandlot.Blobs { return open(t) })
}

func TestStoreAtTheRootOfABucket(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	c := b.config()
	c.Prefix = ""
	s := b.openAt(t, c, quick)
	blob := put(t, s, []byte("here"))
	holds(t, cached(t, s, ""), blob, []byte("here"))
	expect.Same(t, "listed", names(t, s, soon()), []sandlot.BlobRef{blob.Ref})
}

func TestALargeBlobGoesInParts(t *testing.T) {
	t.Parallel()
	s := newBucket(t).open(t)
	for _, n := range []int{partSize - 1, partSize, partSize + 1, 2 * partSize, 2*partSize + mebi + 3} {
		data := noise(n)
		b := put(t, s, data)
		expect.Equal(t, "size", b.Size, int64(n))
		holds(t, cached(t, s, ""), b, data)
	}
	expect.Equal(t, "uploads left", uploads(t, s), 0)
}

func TestNothingIsLeftOfAnUploadWhoseReaderFails(t *testing.T) {
	t.Parallel()
	s := newBucket(t).open(t)
	torn := errors.New("torn")
	for _, n := range []int{partSize + 1, 2 * partSize} {
		_, err := s.Put(t.Context(), s.Name(), io.MultiReader(bytes.NewReader(noise(n)), iotest.ErrReader(torn)))
		expect.Is(t, "Put", err, torn)
	}
	expect.Equal(t, "uploads left", uploads(t, s), 0)
	expect.Same(t, "stored", names(t, s, soon()), nil)
}

func TestListRemovesPartsThatACrashLeft(t *testing.T) {
	t.Parallel()
	s := newBucket(t).open(t)
	begin := func(key *string) {
		_, err := s.client.CreateMultipartUpload(t.Context(), &sdk.CreateMultipartUploadInput{Bucket: &s.config.Bucket, Key: key})
		expect.OK(t, err)
	}
	begin(s.blobKey(s.Name()))
	begin(s.key("somebody/else"))
	names(t, s, soon())
	expect.Equal(t, "young uploads", uploads(t, s), 2)
	s.now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	s.opts.Existing = true
	names(t, s, soon())
	expect.Equal(t, "uploads that were only looked at", uploads(t, s), 2)
	s.opts.Existing = false
	names(t, s, soon())
	expect.Equal(t, "uploads a day later", uploads(t, s), 1)
}

func TestForeignObjectsArePassedOver(t *testing.T) {
	t.Parallel()
	s := newBucket(t).open(t)
	b := put(t, s, []byte("ours"))
	shard := string(b.Ref[:2])
	other := "00"
	if shard == other {
		other = "01"
	}
	theirs := []string{"notes.txt", shard + "/.DS_Store", shard + "/" + string(b.Ref) + ".bak", other + "/" + string(b.Ref), "deep/" + shard + "/" + string(b.Ref), shard + "/x/y"}
	for _, name := range theirs {
		putObject(t, s, name, "theirs")
	}
	expect.OK(t, s.Ping(t.Context())) // which writes an object
	expect.Same(t, "listed", names(t, s, soon()), []sandlot.BlobRef{b.Ref})
}

func TestListGoesByTheTimeInTheStore(t *testing.T) {
	t.Parallel()
	s := newBucket(t).open(t)
	b := put(t, s, []byte("x"))
	expect.Same(t, "before now", names(t, s, time.Now().Add(-time.Minute)), nil)
	s.now = func() time.Time { return time.Now().Add(-2 * time.Hour) } // then the store's clock is ahead
	expect.Same(t, "of a time to come", names(t, s, time.Now().Add(-3*time.Hour)), []sandlot.BlobRef{b.Ref})
}

func TestListTurnsPages(t *testing.T) {
	t.Parallel()
	s := newBucket(t).open(t)
	want := 0
	for range 5 {
		put(t, s, []byte("x"))
		want++
	}
	in := &sdk.ListObjectsV2Input{Bucket: &s.config.Bucket, Prefix: s.key(""), MaxKeys: aws.Int32(2)}
	got := 0
	for _, err := range s.objects(t.Context(), in, soon()) {
		expect.OK(t, err)
		got++
	}
	expect.Equal(t, "objects", got, want+1) // with the marker
}
