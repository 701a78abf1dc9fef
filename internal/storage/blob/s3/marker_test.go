package s3

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// opens opens a bucket as an instance.
func (b *bucket) opens(t *testing.T, c Config, opts Options) error {
	t.Helper()
	s, err := open(t.Context(), c, b.access(), opts, quick)
	if err == nil {
		s.Close()
	}
	return err
}

func TestTheMarkerNamesTheInstance(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	t.Run("the same one may come again, and as several nodes", func(t *testing.T) {
		c := b.config()
		for range 3 {
			expect.OK(t, b.opens(t, c, Options{Instance: instance}))
		}
	})
	t.Run("another one is refused, and told what to do", func(t *testing.T) {
		c := b.config()
		expect.OK(t, b.opens(t, c, Options{Instance: instance}))
		for _, opts := range []Options{{Instance: "instance-two"}, {Instance: "instance-two", Existing: true}} {
			err := b.opens(t, c, opts)
			expect.Is(t, "another one", err, ErrNotOurs)
			expect.Contains(t, "another one", err.Error(), "another prefix")
		}
		expect.OK(t, b.opens(t, c, Options{Instance: instance}))
	})
	t.Run("another prefix is another bucket", func(t *testing.T) {
		expect.OK(t, b.opens(t, b.config(), Options{Instance: instance}))
		expect.OK(t, b.opens(t, b.config(), Options{Instance: "instance-two"}))
	})
	t.Run("blobs without a marker are somebody's", func(t *testing.T) {
		s := b.open(t)
		blob := put(t, s, []byte("x"))
		_, err := s.client.DeleteObject(t.Context(), &sdk.DeleteObjectInput{Bucket: &s.config.Bucket, Key: s.key(markerName)})
		expect.OK(t, err)
		err = b.opens(t, s.config, Options{Instance: instance})
		expect.Is(t, "open", err, ErrNotOurs)
		expect.Contains(t, "open", err.Error(), markerName)
		expect.OK(t, s.Delete(t.Context(), blob.Ref))
		expect.OK(t, b.opens(t, s.config, Options{Instance: instance}), "without blobs")
	})
	t.Run("other objects without a marker are no hindrance", func(t *testing.T) {
		s := b.open(t)
		_, err := s.client.DeleteObject(t.Context(), &sdk.DeleteObjectInput{Bucket: &s.config.Bucket, Key: s.key(markerName)})
		expect.OK(t, err)
		putObject(t, s, "ab/photo.jpg", "theirs")
		putObject(t, s, "notes.txt", "theirs")
		expect.OK(t, b.opens(t, s.config, Options{Instance: instance}))
	})
	t.Run("who only looks writes none", func(t *testing.T) {
		c := b.config()
		expect.OK(t, b.opens(t, c, Options{Existing: true}))
		expect.Is(t, "an instance that looks", b.opens(t, c, Options{Existing: true, Instance: instance}), ErrNotOurs)
		expect.OK(t, b.opens(t, c, Options{Instance: instance}))
		expect.OK(t, b.opens(t, c, Options{Existing: true}))
	})
	t.Run("an instance has an id", func(t *testing.T) {
		for _, id := range []string{"", "short", "with a blank in it", strings.Repeat("x", 129)} {
			if err := b.opens(t, b.config(), Options{Instance: id}); err == nil {
				t.Errorf("%q: no error", id)
			}
		}
	})
	t.Run("of those that start at once at most one stays", func(t *testing.T) {
		c := b.config()
		l := quick
		l.settle = 300 * time.Millisecond
		var all sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for i := range 4 {
			all.Go(func() {
				s, err := open(t.Context(), c, b.access(), Options{Instance: "instance-" + string(rune('a'+i))}, l)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					s.Close()
					won++
				} else if !errors.Is(err, ErrNotOurs) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if won > 1 {
			t.Errorf("%d of them have the bucket", won)
		}
	})
}

func TestWhoMayOnlyReadIsToldAtTheStart(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	c := b.config()
	expect.OK(t, b.opens(t, c, Options{Instance: instance}))
	p.set(first(always, puts, refuse(403, "AccessDenied")))
	err := b.opens(t, c, Options{Instance: instance})
	expect.Is(t, "a server", err, sandlot.ErrUnavailable)
	expect.Contains(t, "a server", fmt.Sprint(err), "may only read")
	expect.OK(t, b.opens(t, c, Options{Instance: instance, Existing: true}), "who only looks")
	p.set(first(always, puts, refuse(507, "QuotaExceeded")))
	expect.OK(t, b.opens(t, c, Options{Instance: instance}), "a bucket that is full")
}

func TestPing(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	s := b.open(t)
	clock := time.Now()
	s.now = func() time.Time { return clock }
	ping := func() error { clock = clock.Add(2 * time.Second); return s.Ping(t.Context()) }
	expect.OK(t, ping())

	putObject(t, s, markerName, "instance-two\n")
	expect.OK(t, s.Ping(t.Context()), "within the second")
	expect.Is(t, "a bucket that another instance took", ping(), ErrNotOurs)
	putObject(t, s, markerName, instance+"\n")
	expect.OK(t, ping())

	s.config.Bucket = "no-such-bucket-here"
	err := ping()
	expect.Is(t, "a bucket that is gone", err, sandlot.ErrUnavailable)
	expect.Contains(t, "a bucket that is gone", err.Error(), "does not exist")
}

func TestWrongPartsAreNamed(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	right := b.config()
	for name, c := range map[string]struct {
		change func(*Config, *Access)
		says   string
	}{
		"a bucket that is not there": {func(c *Config, _ *Access) { c.Bucket = "not-there-at-all" }, "the bucket not-there-at-all does not exist"},
		"a wrong secret":             {func(_ *Config, a *Access) { a.Secret = "wrongsecret" }, "they are wrong"},
		"nobody there":               {func(c *Config, _ *Access) { c.Endpoint = "http://127.0.0.1:1" }, "cannot be reached"},
		"a region of AWS's none":     {func(c *Config, _ *Access) { c.Endpoint = "" }, "no region"},
	} {
		t.Run(name, func(t *testing.T) {
			config, access := right, b.access()
			c.change(&config, &access)
			l := quick
			l.attempts = 2
			_, err := open(t.Context(), config, access, Options{Instance: instance}, l)
			if err == nil {
				t.Fatal("no error")
			}
			expect.Contains(t, "error", err.Error(), c.says)
			for _, secret := range []string{access.Secret, access.Key, b.Secret} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%v tells %q", err, secret)
				}
			}
		})
	}
}
