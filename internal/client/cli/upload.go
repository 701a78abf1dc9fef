package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"sandlot/internal/client/client"
)

// An upload is bytes that go in parts, and that a later run can finish.
type upload struct {
	call  string
	id    string
	first client.Fields // what part 1 says of the whole
	bytes io.ReaderAt
	size  int64
}

const (
	partSize = 8 << 20 // bytes; what is broken off is sent again
	// partsAtOnce is how many parts are under way. More do not make a line faster, and a public server takes four bodies from one
	// address at once.
	partsAtOnce = 3
)

func (u upload) total() int { return int((u.size + partSize - 1) / partSize) }

// part is the place of a part in the whole.
func (u upload) part(n int) (at, size int64) {
	at = int64(n-1) * partSize
	return at, min(partSize, u.size-at)
}

// has reports whether a list is of parts that there are, each once.
func (u upload) has(parts []int) bool {
	list := slices.Sorted(slices.Values(parts))
	return len(slices.Compact(list)) == len(parts) && (len(parts) == 0 || list[0] > 0 && list[len(list)-1] <= u.total())
}

// upload sends the parts that the server does not have, and returns the answer that it gives when it has all.
func (s *session) upload(ctx context.Context, u upload) (a client.Answer, err error) {
	m := s.env.meter(u.size, s.quiet)
	defer m.end()
	if a, err = s.start(ctx, u, m); err != nil {
		return a, err
	}
	// Each round sends what is told to be missing, at most a hundred parts; the last answer ends it.
	for rounds := u.total()/100 + 3; a.ProjectID == "" && rounds > 0; rounds-- {
		if !u.has(a.MissingParts) {
			return a, fmt.Errorf("%w: it asks for parts that there are not", client.ErrNotAPI)
		}
		if a, err = s.sendParts(ctx, u, a.MissingParts, m); err != nil {
			return a, err
		}
		if a.ProjectID == "" {
			if a, err = s.ask(ctx, u); err != nil {
				return a, err
			}
		}
	}
	if a.ProjectID == "" {
		return a, errors.New("the server has all parts, and does not say what became of them; give the command again")
	}
	return a, nil
}

// start finds out what the server has of an upload, or begins it with part 1.
func (s *session) start(ctx context.Context, u upload, m *meter) (a client.Answer, err error) {
	a, err = s.ask(ctx, u)
	switch {
	case err == nil && a.ProjectID == "" && a.ReceivedCount > 0:
		m.has(a.ReceivedCount, u)
	case errors.Is(err, client.Code("part_1_first")), err == nil && a.ProjectID == "":
		a, err = s.sendPart(ctx, u, 1, m)
	case errors.Is(err, client.Code("upload_completed")):
		a, err = s.sendPart(ctx, u, u.total(), m) // gets the answer that was lost, if it was that part's
	}
	if s.Key == "" && a.UploadToken != "" {
		s.Key = a.UploadToken // joins the upload from any network
	}
	return a, err
}

// ask tells the server the number of parts, which says what is missing.
func (s *session) ask(ctx context.Context, u upload) (a client.Answer, err error) {
	f := client.Fields{ProjectID: u.first.ProjectID, UploadID: u.id, TotalParts: u.total()}
	err = s.call(ctx, func() (err error) {
		if u.call == "publish" {
			a, err = s.Publish(ctx, f, nil)
		} else {
			a, err = s.Update(ctx, f, nil)
		}
		return err
	})
	return a, err
}

// sendParts sends parts, several at once. Of their answers it returns the one that says what was made, if one does.
func (s *session) sendParts(ctx context.Context, u upload, parts []int, m *meter) (made client.Answer, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var lock sync.Mutex
	var all sync.WaitGroup
	queue := make(chan int, len(parts))
	for _, n := range slices.Sorted(slices.Values(parts)) {
		queue <- n
	}
	close(queue)
	for range min(partsAtOnce, len(parts)) {
		all.Go(func() {
			for n := range queue {
				a, err := s.sendPart(ctx, u, n, m)
				if err != nil {
					cancel(err)
					return
				}
				lock.Lock()
				if a.ProjectID != "" {
					made = a
				}
				lock.Unlock()
			}
		})
	}
	all.Wait()
	return made, context.Cause(ctx)
}

// sendPart sends one part. Part 1 says what the whole is.
func (s *session) sendPart(ctx context.Context, u upload, n int, m *meter) (client.Answer, error) {
	f := client.Fields{ProjectID: u.first.ProjectID}
	if n == 1 {
		f = u.first
		f.IdempotencyKey = "" // the upload_id does its work
	}
	f.UploadID, f.Part, f.TotalParts = u.id, n, u.total()
	at, size := u.part(n)
	var last *counted
	open := func() (io.ReadCloser, error) {
		last.undo()
		last = m.count(io.NewSectionReader(u.bytes, at, size))
		return last, nil
	}
	a, err := s.sendForm(ctx, u.call, f, open, client.Part{Field: "content", Size: size})
	if err == nil {
		m.part()
	}
	return a, err
}
