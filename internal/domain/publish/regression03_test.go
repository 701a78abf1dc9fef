package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// kilo is a part of n kilobytes.
func kilo(n int) string { return strings.Repeat("x", n*1000) }

func TestRegression03PartsCountFromTheFirstOn(t *testing.T) {
	t.Parallel()
	quota := func(c *publish.Config) { c.Quota.Bytes = 10_000 }
	t.Run("an account's parts and files are one sum", func(t *testing.T) {
		w := newWorld(t, quota)
		by := w.account()
		project := w.publish(by, kilo(3)).Project.ID
		w.waits(by, part{id: "u", n: 1, text: kilo(3), total: 2})
		w.unchanged(t, func() {
			_, _, err := w.send(by, part{id: "v", n: 1, text: kilo(5), total: 2})
			refused(t, err, sandlot.CodeQuotaExceeded)
			_, _, err = w.send(by, part{id: "u", n: 2, text: kilo(5)})
			refused(t, err, sandlot.CodeQuotaExceeded)
			_, _, err = w.Update(t.Context(), by, publish.UpdateInput{Project: string(project), Filename: "a.js", Content: w.stage(kilo(5))})
			refused(t, err, sandlot.CodeQuotaExceeded)
		})
		w.completes(by, part{id: "u", n: 2, text: kilo(1)}) // 7,000: the parts are a file now
		w.put(by, project, "a.js", kilo(3))
		_, _, err := w.send(by, part{id: "v", n: 1, text: "x"})
		refused(t, err, sandlot.CodeQuotaExceeded)
	})
	t.Run("a part that is replaced counts on, and one with the same bytes counts once", func(t *testing.T) {
		w := newWorld(t, quota)
		by := w.account()
		for range 5 {
			w.waits(by, part{id: "u", n: 1, text: kilo(4)})
		}
		w.waits(by, part{id: "u", n: 1, text: kilo(5)})
		w.unchanged(t, func() {
			_, _, err := w.send(by, part{id: "u", n: 1, text: kilo(4)})
			refused(t, err, sandlot.CodeQuotaExceeded)
		})
	})
	t.Run("what expires counts no more", func(t *testing.T) {
		w := newWorld(t, quota)
		by := w.account()
		w.waits(by, part{id: "u", n: 1, text: kilo(9)})
		w.clock.move(24 * time.Hour)
		w.waits(by, part{id: "v", n: 1, text: kilo(9)})
	})
	t.Run("parts at once have no more together", func(t *testing.T) {
		w := newWorld(t, quota)
		by := w.account()
		var all sync.WaitGroup
		results := make(chan error, 20)
		for i := range cap(results) {
			c, one := w.stage(kilo(2)), 1
			all.Go(func() {
				_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: c, Part: &publish.PartInput{UploadID: string(rune('a' + i)), N: &one}})
				results <- err
			})
		}
		all.Wait()
		close(results)
		taken := 0
		for err := range results {
			if err == nil {
				taken++
			} else if !errors.Is(err, sandlot.CodeQuotaExceeded) {
				t.Error(err)
			}
		}
		expect.Same(t, "parts taken", taken, 5)
	})
}

func TestRegression03OpenUploadsOfAnAddress(t *testing.T) {
	t.Parallel()
	limit := func(c *publish.Config) { c.UploadBytes = 10_000 }
	mine := func(id string, n, size int) part { return part{id: id, n: n, text: kilo(size), email: address} }
	t.Run("without a key a network holds so much in open uploads", func(t *testing.T) {
		w := newWorld(t, limit)
		token := w.waits(nobody(), mine("u", 1, 4)).Token
		w.waits(nobody(), mine("v", 1, 4))
		moved := w.caller(token)
		moved.From = sandlot.Sender{Network: "198.51.100.7"}
		w.unchanged(t, func() {
			_, _, err := w.send(nobody(), mine("w", 1, 3))
			e := refused(t, err, sandlot.CodeQuotaExceeded)
			if e.RetryAfter <= 0 {
				t.Error("no time to try again")
			}
			// With the upload_token from elsewhere, too: the upload is of the network that began it.
			_, _, err = w.send(moved, mine("u", 2, 3))
			refused(t, err, sandlot.CodeQuotaExceeded)
		})
		t.Run("another network, an account and who has no limits have their own", func(t *testing.T) {
			w.waits(from("192.0.2.2"), mine("w", 1, 9))
			w.waits(w.account(), part{id: "w", n: 1, text: kilo(20)})
			w.waits(sandlot.Caller{From: sandlot.Sender{Network: "127.0.0.1", Free: true}}, mine("w", 1, 20))
		})
		t.Run("it survives a restart", func(t *testing.T) {
			cfg := publish.Config{Places: local(), InlineMax: inlineMax}
			limit(&cfg)
			one := 1
			_, _, err := w.open(cfg).Publish(t.Context(), nobody(), publish.PublishInput{Email: address, Content: w.stage(kilo(3)), Part: &publish.PartInput{UploadID: "w", N: &one}})
			refused(t, err, sandlot.CodeQuotaExceeded)
		})
		t.Run("it is let go of when an upload completes or expires", func(t *testing.T) {
			w.completes(nobody(), part{id: "u", total: 1})
			w.waits(nobody(), mine("x", 1, 6))
			_, _, err := w.send(nobody(), mine("y", 1, 1))
			refused(t, err, sandlot.CodeQuotaExceeded)
			w.clock.move(24 * time.Hour)
			w.waits(nobody(), mine("y", 1, 9))
		})
	})
	for name, tt := range map[string]struct {
		network string // with a place for the number of a /64
		times   int
	}{
		"the networks of one /56 hold four times as much": {"2001:db8:0:%x::", 4},
		"those of one /48 hold sixteen times as much":     {"2001:db8:0:%x00::", 16},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, limit)
			for i := range tt.times {
				w.waits(from(fmt.Sprintf(tt.network, i)), mine("u", 1, 10))
			}
			_, _, err := w.send(from(fmt.Sprintf(tt.network, tt.times)), mine("u", 1, 1))
			refused(t, err, sandlot.CodeQuotaExceeded)
			w.waits(from("2001:db8:1::"), mine("u", 1, 9)) // another one
		})
	}
	t.Run("uploads begun at once are no more than the limit", func(t *testing.T) {
		w := newWorld(t, func(c *publish.Config) { c.MaxUploads = 3 })
		var all sync.WaitGroup
		results := make(chan error, 20)
		for i := range cap(results) {
			c, one := w.stage("x"), 1
			all.Go(func() {
				_, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Email: address, Content: c, Part: &publish.PartInput{UploadID: string(rune('a' + i)), N: &one}})
				results <- err
			})
		}
		all.Wait()
		close(results)
		taken := 0
		for err := range results {
			if err == nil {
				taken++
			}
		}
		expect.Same(t, "uploads begun", taken, 3)
	})
}
