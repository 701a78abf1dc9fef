package worker

import (
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestRegression36WhatFailsIsRememberedInBoundedMemory(t *testing.T) {
	var s Setbacks[int]
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for i := range MaxSetbacks {
		if !s.Failed(i, now) {
			t.Fatalf("item %d is not remembered", i)
		}
	}
	if s.Failed(-1, now) || s.Waits(-1, now) || len(s.Waiting(now)) != MaxSetbacks {
		t.Error("one more is remembered")
	}
	expect.Equal(t, "waits after ten seconds", len(s.Waiting(now.Add(10*time.Second))), 0)
	expect.Equal(t, "waits by a clock that was ahead then", len(s.Waiting(now.AddDate(-1, 0, 0))), 0)
	later := now.Add(25 * time.Hour)
	if !s.Failed(-1, later) || !s.Waits(-1, later) {
		t.Error("items that never came again keep their places")
	}
	for range 50 {
		s.Failed(-1, later)
	}
	if !s.Waits(-1, later.Add(24*time.Hour-1)) || s.Waits(-1, later.Add(24*time.Hour)) {
		t.Error("the longest wait is not a day")
	}
	s.Worked(-1)
	if s.Waits(-1, later) {
		t.Error("it waits once it worked")
	}
}
