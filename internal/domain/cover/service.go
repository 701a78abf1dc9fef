// Package cover gives projects their covers and accounts their portraits: a worker makes a cover after each publish, or
// its owner chooses one, and the website gets the bytes of both here.
package cover

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/recent"
	"sandlot/internal/base/spool"
	"sandlot/internal/base/turns"
	"sandlot/internal/format/names"
	"sandlot/internal/format/picture"
)

// Content reads and keeps bytes; *publish.Contents is one.
type Content interface {
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	StageDerived(ctx context.Context, r io.Reader) (sandlot.Blob, error)
	DiscardDerived(ctx context.Context, b sandlot.Blob)
	Receiving() bool
	Receive(all *spool.Spool, r io.Reader, limit int64) error
}

// Projects returns the projects that are being read; *publish.Reader is one.
type Projects interface {
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
}

// Config holds the parts of a Service. All must be set but Spend, Temporary, Now and Spent.
type Config struct {
	Store    Store
	Content  Content
	Projects Projects
	Places   sandlot.Places

	Spend     func()           // frees room on a full disk that is reserved for taking a picture away; nil: there is none
	Temporary string           // the folder of pictures while they arrive; empty: the system's
	Now       func() time.Time // nil: time.Now

	Spent func() time.Duration // returns the processor time of the calling thread; nil: picture.ProcessorTime
}

// A Service serves pictures, and lets owners choose theirs. Its methods may be called concurrently.
type Service struct {
	Config
	maker  *picture.Maker
	owners *turns.Locks[sandlot.AccountID] // an owner has one picture at a time made
	known  *recent.Map[cached, entry]
	reads  *turns.Locks[cached] // one call at a time reads a picture: many want a new one at once
}

// New returns a Service.
func New(cfg Config) *Service {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Spent == nil {
		cfg.Spent = picture.ProcessorTime
	}
	return &Service{
		Config: cfg, maker: picture.NewMaker(cfg.Spent),
		owners: turns.NewLocks[sandlot.AccountID](), reads: turns.NewLocks[cached](), known: recent.New[cached, entry](cacheBytes),
	}
}

const (
	// maxWaiting bounds the time that an owner waits for others' pictures: one takes at most some two seconds.
	maxWaiting = 20 * time.Second
	// maxSending bounds the time that a picture may take to arrive: at its largest that is 55 KiB a second.
	maxSending = 5 * time.Minute
)

// Mine is the owner's view of a project's cover.
type Mine struct {
	State
	Cover    sandlot.PictureID
	Findings []Finding
}

// Cover returns the source of a project's cover, and the pictures that could not be used, to the owner in a session.
func (s *Service) Cover(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (Mine, error) {
	p, state, err := s.owned(ctx, by, sandlot.ActSeeOwn, id)
	return Mine{state, p.Cover, findingsOf(state.Findings)}, err
}

// Findings returns the pictures that could not be used as a project's cover, to a caller who may read all its files.
func (s *Service) Findings(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) ([]Finding, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return nil, err
	}
	state, err := s.readable(ctx, by, id)
	return findingsOf(state.Findings), err
}

// shotWidth is the width of the screenshots that Shot returns: some 60 KB.
const shotWidth = 640

// Shot returns the last screenshot that the play-tester took of a project, in JPEG or PNG, to a caller who may read all
// its files; nil if there is none.
func (s *Service) Shot(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) ([]byte, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return nil, err
	}
	state, err := s.readable(ctx, by, id)
	if err != nil || state.Shot == "" {
		return nil, err
	}
	bytes, err := s.Picture(ctx, by, state.Shot, shotWidth)
	if errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.ErrCorrupt) {
		return nil, nil // it was replaced meanwhile, or lost
	}
	return bytes, err
}

// readable returns the record of the cover of a project whose files the caller may read.
func (s *Service) readable(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (State, error) {
	p, state, err := s.Store.Cover(ctx, id)
	if err == nil {
		err = sandlot.Authorize(by, sandlot.ActReadFiles, &p)
	}
	if err != nil {
		return State{}, err
	}
	return state, nil
}

// owned returns a project of the caller's session on which it may do act; another account's is ErrNotFound.
func (s *Service) owned(ctx context.Context, by sandlot.Caller, act sandlot.Action, id sandlot.ProjectID) (sandlot.Project, State, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return sandlot.Project{}, State{}, err
	}
	if !names.ValidProjectID(string(id)) {
		return sandlot.Project{}, State{}, sandlot.ErrNotFound
	}
	p, state, err := s.Store.Cover(ctx, id)
	if err != nil {
		return p, state, err
	}
	return p, state, sandlot.Authorize(by, act, &p)
}

// Upload makes the picture in r the cover of a project of the caller's session. If it cannot be shown the error is a
// *picture.Problem, and nothing has changed.
func (s *Service) Upload(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, r io.Reader) error {
	if _, _, err := s.owned(ctx, by, sandlot.ActEdit, id); err != nil {
		return err
	}
	return s.take(ctx, by, r, picture.Cover(), func(n *Fresh) error {
		settled := Settled{Cover: n.ID, Fresh: n, Source: FromUpload, Made: string(FromUpload)}
		return s.choose(ctx, id, Uploaded, "", &settled)
	})
}

// ChooseFile makes one of the project's current files its cover, now and for as long as the project has it. A missing
// file is sandlot.ErrNotFound; other errors are those of Upload.
func (s *Service) ChooseFile(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, name string) error {
	p, _, err := s.owned(ctx, by, sandlot.ActEdit, id)
	if err != nil {
		return err
	}
	f, err := s.file(ctx, id, name)
	if err != nil {
		return err
	}
	bytes, err := s.Content.Open(ctx, f.Blob, 0, -1)
	if err != nil {
		return err
	}
	defer bytes.Close()
	return s.take(ctx, by, bytes, picture.Cover(), func(n *Fresh) error {
		settled := Settled{Cover: n.ID, Fresh: n, Source: FromChosen, Made: madeOf(FromChosen, f), Version: p.Version}
		return s.choose(ctx, id, OfFile, f.Name, &settled)
	})
}

// file returns the current file of that name.
func (s *Service) file(ctx context.Context, id sandlot.ProjectID, name string) (sandlot.File, error) {
	files, err := s.Store.FilesFolded(ctx, id, []string{names.Fold(name)})
	if err != nil {
		return sandlot.File{}, err
	}
	for _, f := range files {
		if f.Name == name {
			return f, nil
		}
	}
	return sandlot.File{}, sandlot.ErrNotFound
}

// ChooseNone puts the title on a tile, even if the project has pictures.
func (s *Service) ChooseNone(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) error {
	if _, _, err := s.owned(ctx, by, sandlot.ActEdit, id); err != nil {
		return err
	}
	return sandlot.EvenFull(s.Spend, func() error { return s.choose(ctx, id, None, "", &Settled{Made: string(None)}) })
}

// ChooseAutomatic forgets the owner's choice: a worker looks for a picture within a second or so.
func (s *Service) ChooseAutomatic(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) error {
	if _, _, err := s.owned(ctx, by, sandlot.ActEdit, id); err != nil {
		return err
	}
	return s.choose(ctx, id, Automatic, "", nil)
}

func (s *Service) choose(ctx context.Context, id sandlot.ProjectID, w Wish, file string, settled *Settled) error {
	return s.Store.Choose(ctx, id, w, file, settled, s.Now())
}

// SetPortrait makes the picture in r the portrait of the caller's account. Errors are those of Upload.
func (s *Service) SetPortrait(ctx context.Context, by sandlot.Caller, r io.Reader) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	return s.take(ctx, by, r, picture.Portrait(), func(n *Fresh) error { return s.Store.Portray(ctx, by.Account(), n, s.Now()) })
}

// RemovePortrait takes the portrait of the caller's account away.
func (s *Service) RemovePortrait(ctx context.Context, by sandlot.Caller) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	return sandlot.EvenFull(s.Spend, func() error { return s.Store.Portray(ctx, by.Account(), nil, s.Now()) })
}

// take makes a picture of the bytes of r, and records it.
func (s *Service) take(ctx context.Context, by sandlot.Caller, r io.Reader, shape picture.Shape, record func(*Fresh) error) error {
	var made picture.Made
	err := s.held(r, func(src picture.Source) (err error) {
		made, err = s.inTurn(ctx, by.Account(), src, shape)
		return err
	})
	if err != nil {
		return err
	}
	return s.record(ctx, made, record)
}

// held calls use with the bytes of r, once all of them have arrived.
func (s *Service) held(r io.Reader, use func(picture.Source) error) error {
	all := spool.New(s.Temporary, sandlot.ErrFull, sandlot.ErrUnavailable)
	defer all.Close()
	paced := &paced{r: picture.Bounded(r), now: s.Now, begun: s.Now()}
	if err := s.Content.Receive(all, paced, picture.MaxBytes); err != nil {
		return sandlot.NoEffect(err)
	}
	return use(all)
}

// paced reads for no longer than maxSending.
type paced struct {
	r     io.Reader
	now   func() time.Time
	begun time.Time
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if p.now().Sub(p.begun) > maxSending {
		return 0, &picture.Problem{Kind: picture.Slow}
	}
	return p.r.Read(b)
}

// inTurn makes a picture when it is its owner's turn.
func (s *Service) inTurn(
	ctx context.Context, owner sandlot.AccountID, src picture.Source, shape picture.Shape,
) (made picture.Made, err error) {
	limited, cancel := context.WithTimeout(ctx, maxWaiting)
	defer cancel()
	done, err := s.owners.Lock(limited, owner)
	if err == nil {
		defer done()
		made, err = s.maker.Make(limited, src, shape)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = sandlot.NoEffect(sandlot.ErrUnavailable) // too many pictures at once
	}
	return made, err
}

// record stages a picture, and records it.
func (s *Service) record(ctx context.Context, made picture.Made, record func(*Fresh) error) (err error) {
	n := &Fresh{ID: name(made.PNG), Sizes: map[int]sandlot.Blob{}}
	var blobs []sandlot.Blob
	defer func() {
		if err != nil {
			for _, b := range blobs {
				s.Content.DiscardDerived(ctx, b)
			}
		}
	}()
	for _, size := range made.Sizes {
		b, err := s.Content.StageDerived(ctx, bytes.NewReader(size.Bytes))
		if err != nil {
			return fmt.Errorf("stage picture: %w", err)
		}
		blobs, n.Sizes[size.Width] = append(blobs, b), b
	}
	return record(n)
}

// name draws a new name for a picture: of 100 bits, so that nobody guesses one.
func name(png bool) sandlot.PictureID {
	format := sandlot.JPEGPicture
	if png {
		format = sandlot.PNGPicture
	}
	return sandlot.PictureID(format + strings.ToLower(rand.Text()[:20]))
}
