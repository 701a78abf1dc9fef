package cli

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"sandlot/internal/client/client"
)

const (
	// wholeMax is the most that goes in one call, in bytes: a call that breaks off is made again.
	wholeMax = 8 << 20
	// partSize is that of a part, in bytes.
	partSize = 8 << 20
	// partsAtOnce is how many parts are under way. More do not make a line faster, and a public server takes four bodies from one
	// address at once.
	partsAtOnce = 3
)

// upload sends a body in parts: the first one, which says what the whole is, and then the others, several at once. The call that
// completes the upload has the full answer, also when it is made again.
func (s *session) upload(ctx context.Context, b body) (made client.Answer, err error) {
	total, sent := int((b.Size+partSize-1)/partSize), 0
	b.fields.UploadID, b.fields.TotalParts, b.Field, b.Name = s.env.Random(), total, "content", ""
	var lock sync.Mutex
	send := func(ctx context.Context, n int) error {
		a, err := s.sendPart(ctx, b, n)
		lock.Lock()
		defer lock.Unlock()
		if a.ProjectID != "" || n == 1 {
			made = a
		}
		if sent++; !s.quiet && err == nil {
			s.env.say("sent %d of %d parts", sent, total)
		}
		return err
	}
	if err := send(ctx, 1); err != nil {
		return made, err
	}
	if s.Key == "" {
		s.Key = made.UploadToken // joins the upload from any network
	}
	all, inner := errgroup.WithContext(ctx)
	all.SetLimit(partsAtOnce)
	for n := 2; n <= total; n++ {
		all.Go(func() error { return send(inner, n) })
	}
	if err = all.Wait(); err == nil && made.ProjectID == "" {
		err = errors.New("the server has all parts, and does not say what became of them; give the command again")
	}
	return made, err
}

// sendPart sends a part of a body. The first one has the fields of the whole.
func (s *session) sendPart(ctx context.Context, b body, n int) (client.Answer, error) {
	f := b.fields
	if n > 1 {
		f = client.Fields{ProjectID: f.ProjectID, UploadID: f.UploadID, TotalParts: f.TotalParts}
	}
	f.Part = n
	at := int64(n-1) * partSize
	return s.sendForm(ctx, b, f, at, min(partSize, b.Size-at))
}
