package storetest

import (
	"bytes"
	"testing"
	"time"

	"sandlot/internal/domain/operate"
)

func spaceCases() []storeCase {
	return []storeCase{
		{"Unused/returns the room that holds nothing", unusedRoom},
		{"GiveBack/returns room to the disk until there is no more to return, and keeps some", giveBack},
	}
}

// unusedBytes are far more than any store keeps for the records of the next minutes.
const unusedBytes = 40 << 20

// leaveRoom fills a store and collects what it held.
func (s Stores) leaveRoom(t *testing.T) {
	t.Helper()
	text := bytes.Repeat([]byte("a game "), (1<<20)/7)
	p := s.mustProject(t, "pong")
	for range unusedBytes / len(text) {
		p = s.mustPut(t, p, file("a.js", inline(string(text))))
	}
	s.mustRemove(t, p.ID)
	for more := true; more; {
		var err error
		later := base().Add(48 * time.Hour)
		_, more, err = s.Upkeep.Sweep(t.Context(), later, later.Add(-24*time.Hour), 100)
		ok(t, err)
	}
}

// tendsRoom proves that there is nothing to do for who tends to a store that does so
// itself.
func (s Stores) tendsRoom(t *testing.T) {
	t.Helper()
	s.mustRemove(t, s.mustProject(t, "pong").ID)
	if unused := must(s.Upkeep.Unused(t.Context()))(t); unused != 0 {
		t.Errorf("%d bytes are unused", unused)
	}
	if more := must(s.Upkeep.GiveBack(t.Context()))(t); more {
		t.Error("there is room to give back")
	}
}

func unusedRoom(t *testing.T, s Stores) {
	if s.TendsRoom {
		s.tendsRoom(t)
		return
	}
	before := must(s.Upkeep.Unused(t.Context()))(t)
	s.leaveRoom(t)
	after := must(s.Upkeep.Unused(t.Context()))(t)
	if before > 1<<20 || after < unusedBytes*9/10 {
		t.Errorf("%d bytes of an empty store are unused, %d after %d were deleted", before, after, unusedBytes)
	}
}

func giveBack(t *testing.T, s Stores) {
	if s.TendsRoom {
		s.tendsRoom(t)
		return
	}
	keep := s.mustProject(t, "kept")
	s.leaveRoom(t)
	before := must(s.Upkeep.Unused(t.Context()))(t)
	ok(t, (&operate.Shrinker{Space: s.Upkeep}).Shrink(t.Context()))
	after := must(s.Upkeep.Unused(t.Context()))(t)
	if after <= 0 || after > before/2 {
		t.Errorf("%d of %d unused bytes are left", after, before)
	}
	if more := must(s.Upkeep.GiveBack(t.Context()))(t); more {
		t.Error("there is more to return after all was")
	}
	same(t, "a project that was not deleted", must(s.Publish.Project(t.Context(), keep.ID))(t), keep)
}
