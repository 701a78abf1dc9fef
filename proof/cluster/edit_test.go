package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// An edit is one write to the project that several clients write.
type edit struct {
	guard   int // if_version; 0: none
	content string
}

// An edited is what an edit, or a look at the project, was answered.
type edited struct {
	look    bool
	version int    // that it made or saw; 0: the guard did not hold
	content string // of a look: hash of the file
}

// A state of that project.
type state struct {
	version int
	content string
}

// A shared project is written by several clients at once.
type shared struct {
	begun time.Time

	mu     sync.Mutex
	events []porcupine.Operation
	newest int // version that anybody has heard of
}

// edits is what writes to one project mean, one after another.
func edits() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{} },
		Step: func(before, input, output any) (bool, any) {
			s, in, out := before.(state), input.(edit), output.(edited)
			switch {
			case out.look:
				return out.version == s.version && out.content == s.content, s
			case out.version == 0:
				return in.guard != s.version, s
			}
			ok := out.version == s.version+1 && (in.guard == 0 || in.guard == s.version)
			return ok, state{out.version, in.content}
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
	}
}

// edit has several clients write to one project until the time is over, and checks that what each was answered fits one order.
func (r *run) edit(ctx context.Context) {
	s := &shared{begun: time.Now()}
	content := "<!doctype html><title>shared</title>"
	id, key := "", ""
	err := s.note(0, edit{content: sum([]byte(content))}, func() (edited, error) {
		made, err := r.settle("write", func(int) (api.Answer, error) {
			f := api.Fields{Email: "shared@example.com", IdempotencyKey: fmt.Sprintf("shared-%d-%032d", r.seed, r.seed)}
			return r.as("").Publish(context.Background(), f, strings.NewReader(content))
		})
		id, key = made.ProjectID, made.APIKey
		return edited{version: made.Version}, err
	})
	if err != nil {
		r.wrong("shared project: %w", err)
		return
	}
	var all sync.WaitGroup
	for n := range editors {
		random := r.random(uint64(n) + 200)
		all.Go(func() {
			for ctx.Err() == nil {
				if err := r.editOnce(s, n, id, key, random); err != nil {
					r.wrong("shared project, client %d: %w", n, err)
					return
				}
				testenv.Wait(r.t, time.Duration(random.Int64N(int64(40*time.Millisecond))), "a person writes")
			}
		})
	}
	all.Wait()
	if err := s.note(0, edit{}, func() (edited, error) { return r.lookAt(id, key) }); err != nil {
		r.wrong("shared project, at the end: %w", err)
		return
	}
	r.mu.Lock()
	r.edits, r.newest = len(s.events), s.newest
	r.mu.Unlock()
	if !porcupine.CheckOperations(edits(), s.events) {
		r.wrong("the %d writes to one project fit no order", len(s.events))
	}
}

// editOnce writes once, with a guard or without.
func (r *run) editOnce(s *shared, n int, id, key string, random *rand.Rand) error {
	content := fmt.Sprintf("<!doctype html><title>shared</title>%d %d", n, random.Uint64())
	once := fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64())
	f := api.Fields{ProjectID: id, Filename: primary, IdempotencyKey: once}
	if random.IntN(3) > 0 {
		f.IfVersion = s.last()
	}
	return s.note(n, edit{f.IfVersion, sum([]byte(content))}, func() (edited, error) {
		made, err := r.settle("shared write", func(int) (api.Answer, error) {
			return r.as(key).Update(context.Background(), f, strings.NewReader(content))
		})
		if errors.Is(err, api.Code("version_conflict")) {
			return edited{}, nil
		}
		return edited{version: made.Version}, err
	})
}

// lookAt asks for the project as it is now.
func (r *run) lookAt(id, key string) (edited, error) {
	var p api.Project
	var err error
	if !testenv.Poll(patience, func() bool {
		p, err = r.as(key).Project(context.Background(), id, "none")
		return err == nil
	}) {
		return edited{}, err
	}
	if len(p.Files) != 1 {
		return edited{}, fmt.Errorf("it has %d files", len(p.Files))
	}
	return edited{look: true, version: p.Version, content: p.Files[0].SHA256}, nil
}

// note makes a call and keeps it with its times.
func (s *shared) note(client int, in edit, call func() (edited, error)) error {
	begun := time.Now()
	out, err := call()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// By the monotonic clock: the run may be longer than the system's is right.
	ended := time.Now()
	s.events = append(s.events,
		porcupine.Operation{
			ClientId: client, Input: in, Call: begun.Sub(s.begun).Nanoseconds(), Output: out,
			Return: ended.Sub(s.begun).Nanoseconds(),
		})
	s.newest = max(s.newest, out.version)
	return nil
}

func (s *shared) last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}
