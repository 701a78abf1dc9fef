package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// Limits of the desk.
const (
	MaxTargets = 500     // of one decision
	MaxText    = 2000    // characters of a text to the owner, or of a note
	MaxFile    = 1 << 20 // bytes of a file that a moderator reads
	mostItems  = 100     // of one page of the queue
)

// Contents reads bytes; *publish.Contents is one.
type Contents interface {
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// Config holds the parts of a Service. Store is needed.
type Config struct {
	Store    Store
	Contents Contents // needed by Case and File alone

	Spend func()           // frees room on a full disk that is reserved for the operator; nil: there is none
	Now   func() time.Time // nil: time.Now
}

// A Service serves the desk. Its methods may be called concurrently. They return sandlot.ErrOperatorNeeded to a caller
// that is no moderator, and sandlot.ErrLoginNeeded to one whose login is older than LoginAge; Framed, Contested and
// Object are for anybody. A missing project is sandlot.ErrNotFound; one that is suspended, held or in the trash is not.
type Service struct {
	Config
	vault *sandlot.Vault
}

// New returns a Service. It reads the installation's secret from the store, and returns the error if that fails.
func New(ctx context.Context, cfg Config) (*Service, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	vault, err := sandlot.OpenVault(ctx, cfg.Store, rand.Reader)
	return &Service{cfg, vault}, err
}

// moderator refuses every caller but the operator and moderators with a fresh login.
func (s *Service) moderator(by sandlot.Caller) error {
	if err := sandlot.Authorize(by, sandlot.ActModerate, nil); err != nil {
		return err
	}
	if session, _, ok := by.Login(); ok && !s.fresh(session.ProvedAt) {
		return sandlot.ErrLoginNeeded
	}
	return nil
}

// fresh reports whether a login was proved recently enough for the desk.
func (s *Service) fresh(proved time.Time) bool { return s.Now().Sub(proved) < LoginAge }

// at returns the Act of a caller now.
func (s *Service) act(by sandlot.Caller) Act {
	session, _, _ := by.Login()
	return Act{At: s.Now().UTC(), Name: by.OperatorName(), Account: session.Account, Session: session.ID, Allow: s.allow}
}

// allow decides inside the step whether a moderator may decide about the targets: see Act.
func (s *Service) allow(m Moderator, targets []Standing) error {
	if m.Machine {
		return nil
	}
	switch {
	case m.Role == sandlot.NoRole || m.Suspended:
		return sandlot.ErrOperatorNeeded
	case !s.fresh(m.ProvedAt):
		return sandlot.ErrLoginNeeded
	}
	for _, t := range targets {
		switch {
		case t.Account == m.Account:
			return refused("%s is yours: another moderator decides about it.", t.Project)
		case t.Role == sandlot.OperatorRole:
			return refused("%s is an operator's: only a command at the machine decides about it.", t.Project)
		case t.Role == sandlot.ModeratorRole && m.Role != sandlot.OperatorRole:
			return refused("%s is a moderator's: the operator decides about it.", t.Project)
		}
	}
	return nil
}

func refused(text string, args ...any) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, text, args...).In("project_id")
}

// evenFull runs a step on a full disk, too: a decision protects people.
func (s *Service) evenFull(step func() error) error { return sandlot.EvenFull(s.Spend, step) }

// Queue returns items that wait, oldest first: at most limit, and at most 100, behind the first skip.
func (s *Service) Queue(ctx context.Context, by sandlot.Caller, skip, limit int) ([]Item, error) {
	if err := s.moderator(by); err != nil {
		return nil, err
	}
	return s.Store.Queue(ctx, max(skip, 0), min(limit, mostItems))
}

// Case returns one case. To the owner of its project it gives the reports without their words and addresses.
func (s *Service) Case(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (Case, error) {
	if err := s.moderator(by); err != nil {
		return Case{}, err
	}
	c, err := s.Store.Case(ctx, id)
	if err != nil {
		return c, err
	}
	if c.Project.Account == by.Account() {
		for _, list := range [][]operate.Report{c.Open, c.Closed} {
			for i := range list {
				list[i].Details, list[i].Contact = "", ""
			}
		}
	}
	c.Sends, err = s.sends(ctx, c)
	return c, err
}

// Note records a note about a project.
func (s *Service) Note(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, text string) error {
	if err := s.moderator(by); err != nil {
		return err
	}
	text, err := operate.CleanText("text", text, MaxText)
	if err != nil {
		return err
	}
	if text == "" {
		return sandlot.Refuse(sandlot.CodeInvalidField, "The note is empty.").In("text")
	}
	return s.evenFull(func() error { return s.Store.AddNote(ctx, s.act(by), id, text) })
}

// File returns the start of a file of the current version, at most 1 MiB.
func (s *Service) File(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, name string) ([]byte, error) {
	if err := s.moderator(by); err != nil {
		return nil, err
	}
	f, err := s.Store.ShownFile(ctx, id, name)
	if err != nil {
		return nil, err
	}
	return s.start(ctx, f, MaxFile)
}

// start returns at most that many first bytes of a file.
func (s *Service) start(ctx context.Context, f sandlot.File, most int64) ([]byte, error) {
	r, err := s.Contents.Open(ctx, f.Blob, 0, min(f.Blob.Size, most))
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}
