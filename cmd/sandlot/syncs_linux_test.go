package main

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
)

// The calls of one publish, as they stand in a trace.
var (
	fileSync   = regexp.MustCompile(`^fsync\(\d+<[^>]*/blobs/tmp/(\w+)>\) += 0`)
	blobName   = regexp.MustCompile(`^renameat2?\(.*/blobs/tmp>, "(\w+)", .*\) += 0`)
	folderSync = regexp.MustCompile(`^fsync\(\d+<[^>]*/blobs/[0-9a-z]{2}>\) += 0`)
	logWrite   = regexp.MustCompile(`^pwrite64\(\d+<[^>]*/sandlot\.db-wal>.* = [1-9]`)
	logSync    = regexp.MustCompile(`^(fsync|fdatasync)\(\d+<[^>]*/sandlot\.db-wal>\) += 0`)
	created    = regexp.MustCompile(`^(?:write|sendto)\(\d+<.*"HTTP/1\.1 201 `)
)

// checkSyncs tells whether the calls are those of a publish that was durable when
// it was answered: each of the steps has ended before the next one began.
func checkSyncs(calls []traced, stored bool) error {
	steps := []struct {
		what string
		is   *regexp.Regexp
	}{
		{"sync of the file", fileSync},
		{"rename", blobName},
		{"sync of the folder", folderSync},
		{"write to the database's log", logWrite},
		{"sync of the log", logSync},
		{"answer", created},
	}
	if !stored {
		steps = steps[3:]
	}
	after, before := -1, "the request"
	for _, s := range steps {
		at := slices.IndexFunc(calls, func(c traced) bool { return s.is.MatchString(c.text) && c.begun > after })
		if at < 0 {
			return fmt.Errorf("there is no %s after the %s", s.what, before)
		}
		// The answer and the rename must not have happened earlier either.
		if first := slices.IndexFunc(calls, func(c traced) bool { return s.is.MatchString(c.text) }); first != at && s.is != logWrite && s.is != logSync {
			return fmt.Errorf("there is a %s before the %s", s.what, before)
		}
		after, before = calls[at].done, s.what
	}
	return nil
}

// TestFault05SyncsBeforeTheAnswer: blob, name, folder and log are on the disk, in this order, before a publish is acknowledged.
func TestFault05SyncsBeforeTheAnswer(t *testing.T) {
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	tr := attach(t, s, "-e", "trace=fsync,fdatasync,rename,renameat,renameat2,pwrite64,write,sendto")
	var last []traced
	for _, c := range []struct {
		name   string
		size   int
		stored bool // in a file of its own
	}{{"in the database", 1000, false}, {"in a file of its own", 100_000, true}} {
		t.Run("content kept "+c.name, func(t *testing.T) {
			_, from := readTrace(t, tr, 0)
			if status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(c.size)}); status != 201 {
				t.Fatalf("%d %v", status, answer)
			}
			last = awaitTraced(t, tr, from, created)
			if err := checkSyncs(last, c.stored); err != nil {
				t.Errorf("%v in %v", err, last)
			}
		})
	}
	t.Run("another order is noticed", func(t *testing.T) { testOtherOrders(t, last) })
}

// testOtherOrders changes the order of a good trace in every way that matters.
func testOtherOrders(t *testing.T, good []traced) {
	expect.OK(t, checkSyncs(good, true))
	without := func(is *regexp.Regexp) []traced {
		return slices.DeleteFunc(slices.Clone(good), func(c traced) bool { return is.MatchString(c.text) })
	}
	// late moves the calls behind all others.
	late := func(is *regexp.Regexp) []traced {
		calls := without(is)
		for _, c := range good {
			if is.MatchString(c.text) {
				end := calls[len(calls)-1].done + 1
				calls = append(calls, traced{c.text, end, end})
			}
		}
		return calls
	}
	for what, is := range map[string]*regexp.Regexp{
		"the sync of the file": fileSync, "the rename": blobName, "the sync of the folder": folderSync,
		"the write to the log": logWrite, "the sync of the log": logSync, "the answer": created,
	} {
		if checkSyncs(without(is), true) == nil {
			t.Errorf("without %s it is taken for right", what)
		}
		if is != created && checkSyncs(late(is), true) == nil {
			t.Errorf("with %s after the answer it is taken for right", what)
		}
	}
	overlapping := slices.Clone(good)
	for i := range overlapping {
		if logSync.MatchString(overlapping[i].text) {
			overlapping[i].done = good[len(good)-1].done + 1
		}
	}
	if checkSyncs(overlapping, true) == nil {
		t.Error("with a sync of the log that ends after the answer it is taken for right")
	}
}
