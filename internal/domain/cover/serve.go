package cover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"sandlot"
)

const (
	// cacheBytes bounds the pictures in memory: as many as two pages of lists show.
	cacheBytes = 8 << 20
	// confirmFor is the time that a cached picture is served without another look-up.
	confirmFor = time.Second
	// goneFor is the time that a replaced picture is served: a page that names it may be open.
	goneFor = 5 * time.Minute
	// maxPicture bounds the bytes of a picture that are read into memory: no recorded one has more.
	maxPicture = 4 << 20
	// readFor bounds the time of a read from the store of blobs, which tries for minutes: a person waits for the page.
	readFor = 15 * time.Second
)

// Picture returns the bytes of a picture in one of its widths, to everybody who has its name. A picture of a suspended
// or deleted project, or of a suspended account, is sandlot.ErrNotFound.
func (s *Service) Picture(ctx context.Context, by sandlot.Caller, id sandlot.PictureID, width int) ([]byte, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	key := cached{id, width}
	if bytes, known, err := s.atHand(ctx, by, key); known || err != nil {
		return bytes, err
	}
	var bytes []byte
	err := s.reads.Do(ctx, key, isAnswer, func() (err error) {
		var known bool
		if bytes, known, err = s.atHand(ctx, by, key); !known && err == nil { // otherwise another call has read it meanwhile
			bytes, err = s.load(ctx, by, key)
		}
		return err
	})
	return bytes, err
}

// isAnswer reports whether an error means that there is no such picture, and not that it could not be read.
func isAnswer(err error) bool {
	return errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.ErrCorrupt)
}

// atHand returns a picture from memory, if it may be served without a look-up.
func (s *Service) atHand(ctx context.Context, by sandlot.Caller, key cached) (bytes []byte, known bool, err error) {
	e, ok := s.known.Get(key)
	if ok && e.project != "" { // most are covers, and a project's head is cached
		p, err := s.Projects.Current(ctx, by, e.project)
		switch {
		case err != nil && !sandlot.Gone(err):
			return nil, false, err
		case err != nil:
			return nil, false, sandlot.ErrNotFound
		case p.Cover == key.id:
			return e.bytes, true, nil
		}
	}
	return e.bytes, ok && s.Now().Sub(e.confirmed).Abs() < confirmFor, nil
}

// load looks a picture up, and reads it unless it is in memory.
func (s *Service) load(ctx context.Context, by sandlot.Caller, key cached) ([]byte, error) {
	now := s.Now()
	kept, err := s.find(ctx, by, key, now)
	if err != nil {
		s.known.Drop(key)
		return nil, err
	}
	e, ok := s.known.Get(key)
	if !ok {
		if e.bytes, err = s.read(ctx, kept.Blob); err != nil {
			return nil, err
		}
	}
	e.project, e.confirmed = kept.Project, now
	s.known.Put(key, e, int64(len(e.bytes)))
	return e.bytes, nil
}

// find looks up a picture that may be served.
func (s *Service) find(ctx context.Context, by sandlot.Caller, key cached, now time.Time) (Kept, error) {
	kept, err := s.Store.Picture(ctx, key.id, key.width)
	if err != nil {
		return kept, err
	}
	if !kept.GoneAt.IsZero() && now.Sub(kept.GoneAt) > goneFor {
		return kept, sandlot.ErrNotFound
	}
	if kept.Project != "" {
		if _, err := s.Projects.Current(ctx, by, kept.Project); sandlot.Gone(err) {
			return kept, sandlot.ErrNotFound
		} else if err != nil {
			return kept, err
		}
	}
	return kept, nil
}

func (s *Service) read(ctx context.Context, b sandlot.Blob) (bytes []byte, err error) {
	if b.Size > maxPicture {
		return nil, sandlot.ErrCorrupt
	}
	limited, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	defer func() {
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("read a picture within %s: %w", readFor, sandlot.ErrUnavailable)
		}
	}()
	r, err := s.Content.Open(limited, b, 0, -1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// cached is the key of a picture in memory.
type cached struct {
	id    sandlot.PictureID
	width int
}

type entry struct {
	bytes     []byte
	project   sandlot.ProjectID
	confirmed time.Time
}
