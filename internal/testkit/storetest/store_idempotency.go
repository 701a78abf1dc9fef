package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func recordOf(name string) *publish.IdempotencyRecord {
	return &publish.IdempotencyRecord{
		Key: sum("once " + name), Request: sum("request " + name), ExpiresAt: base().Add(time.Hour),
		Project: sandlot.ProjectID(name), Version: 3, Email: publish.EmailIgnored, Answer: []byte("sealed " + name),
		Made: []byte("made " + name),
	}
}

// recordingSteps are all steps that may leave an idempotency record. Each can be made once.
func recordingSteps(t *testing.T, s Stores) map[string]func(ctx context.Context, o *publish.IdempotencyRecord) (sandlot.AccountID, error) {
	t.Helper()
	p, q := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	return map[string]func(ctx context.Context, o *publish.IdempotencyRecord) (sandlot.AccountID, error){
		"CreateAccount": func(ctx context.Context, o *publish.IdempotencyRecord) (sandlot.AccountID, error) {
			na := newAccount("kim")
			na.Idempotency = o
			a, err := s.Publish.CreateAccount(ctx, na)
			return a.ID, err
		},
		"CreateProject": func(ctx context.Context, o *publish.IdempotencyRecord) (sandlot.AccountID, error) {
			np := newProject("of-an-account", p.Account)
			np.Idempotency = o
			made, err := s.Publish.CreateProject(ctx, np)
			return made.Account, err
		},
		"PutFile": func(ctx context.Context, o *publish.IdempotencyRecord) (sandlot.AccountID, error) {
			at := edit(q)
			at.Idempotency = o
			_, err := s.Publish.PutFile(ctx, q.ID, file("new.js", inline("new")), at)
			return q.Account, err
		},
	}
}

func readRecord(t *testing.T, s Stores) {
	for name, do := range recordingSteps(t, s) {
		want := recordOf(name)
		want.Account = must(do(t.Context(), want))(t)
		same(t, "the record of "+name, must(s.Publish.IdempotencyRecord(t.Context(), want.Key, base()))(t), *want)
	}
	_, err := s.Publish.IdempotencyRecord(t.Context(), sum("another"), base())
	wants(t, "another key", err, sandlot.ErrNotFound)
}

func recordExpires(t *testing.T, s Stores) {
	o := recordOf("o")
	na := newAccount("kim")
	na.Idempotency = o
	s.mustAccount(t, na)
	must(s.Publish.IdempotencyRecord(t.Context(), o.Key, o.ExpiresAt.Add(-time.Microsecond)))(t)
	many := make([]sandlot.Digest, 1000)
	for i := range many {
		many[i] = sum(fmt.Sprint("another ", i))
	}
	wants(t, "none of many", drop(s.Publish.IdempotencyRecord(t.Context(), sum("another"), base(), many...)), sandlot.ErrNotFound)
	many[999] = o.Key
	same(t, "the one of many", must(s.Publish.IdempotencyRecord(t.Context(), sum("another"), base(), many...))(t).Key, o.Key)
	wants(t, "one of many that has expired", drop(s.Publish.IdempotencyRecord(t.Context(), sum("another"), o.ExpiresAt, many...)),
		sandlot.ErrNotFound)
	_, err := s.Publish.IdempotencyRecord(t.Context(), o.Key, o.ExpiresAt)
	wants(t, "the record", err, sandlot.ErrNotFound)
}

func refuseAlreadyDone(t *testing.T, s Stores) {
	first := recordOf("first")
	na := newAccount("first")
	na.Idempotency = first
	first.Account = s.mustAccount(t, na).ID
	for name, do := range recordingSteps(t, s) {
		again := recordOf("again")
		again.Key = first.Key
		_, err := do(t.Context(), again)
		wants(t, name, err, sandlot.ErrAlreadyDone)
		same(t, "the record after "+name, must(s.Publish.IdempotencyRecord(t.Context(), first.Key, base()))(t), *first)
		must(do(t.Context(), recordOf(name)))(t) // it had no effect, so it can be made
		_, err = do(t.Context(), again)
		wants(t, name+", which would fail by itself now", err, sandlot.ErrAlreadyDone)
	}
}

func expiredRecord(t *testing.T, s Stores) {
	old := recordOf("old")
	old.ExpiresAt = base().Add(-time.Second)
	na := newAccount("first")
	na.Idempotency = old
	s.mustAccount(t, na)
	for name, do := range recordingSteps(t, s) {
		next := recordOf(name)
		next.Key, next.ExpiresAt = old.Key, base().Add(-time.Second)
		must(do(t.Context(), next))(t)
		same(t, "the request, by a clock that was set back, after "+name,
			must(s.Publish.IdempotencyRecord(t.Context(), old.Key, base().Add(-time.Hour)))(t).Request, next.Request)
	}
}

func recordRace(t *testing.T, s Stores) {
	const racers = 50
	a := s.mustAccount(t, newAccount("kim"))
	won := race(t, s, racers, a.ID, sandlot.ErrAlreadyDone, func(np *publish.NewProject) {
		np.Idempotency = recordOf("o")
		np.Idempotency.Project = np.ID
	})
	same(t, "the project of the record", must(s.Publish.IdempotencyRecord(t.Context(), recordOf("o").Key, base()))(t).Project, won)
}
