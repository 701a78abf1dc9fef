// Package transfer writes exports, and takes the projects of an export into an account: a whole project with its
// history, or nothing of it.
//
// An export comes from anywhere and may be forged. The hashes in its manifest are compared with the bytes; its ids,
// handles and counts are ignored.
package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/spool"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/unpack"
)

// Limits of one import, beside those of a project.
const (
	maxEntries  = 100_000 // of the archive; its directory is held in memory, at some 300 bytes each
	maxManifest = 64 << 20
	maxProjects = 1_000
	maxVersions = 1_000 // of one project
	maxFiles    = 100_000
	// projectsOfData is the number of bytes that an archive may have, packed and unpacked, in multiples of one
	// project's.
	projectsOfData = 4
)

// Projects makes projects; *publish.Service is one.
type Projects interface {
	Adopt(ctx context.Context, by sandlot.Caller, in publish.Adoption) (publish.Adopted, error)
}

// Contents stages the files of an archive; *publish.Contents is one.
type Contents interface {
	NewTree(charge sandlot.Charge) *publish.Tree
	DiscardTree(ctx context.Context, t *publish.Tree)
	Receive(all *spool.Spool, r io.Reader, limit int64) error
}

// Pictures makes the pictures of an export; *cover.Service is one.
type Pictures interface {
	Bring(ctx context.Context, by sandlot.Caller, b publish.Brought) (left string, err error)
}

// Config holds the parts of a Service. Projects, Contents and Pictures must be set. Limits that are 0 are those of
// package publish.
type Config struct {
	Projects  Projects
	Contents  Contents
	Pictures  Pictures
	Lines     []Lines // the data of players
	Temporary string  // the folder of temporary files
	MaxFile   int64   // bytes of one project
	MaxFiles  int     // of one version
}

// A Service imports exports. It may be used concurrently; an account has one import at a time in a process.
type Service struct {
	Config
	mu   sync.Mutex
	busy map[sandlot.AccountID]bool
}

// New makes a Service.
func New(cfg Config) *Service {
	if cfg.MaxFile == 0 {
		cfg.MaxFile = sandlot.DefaultMaxFile
	}
	if cfg.MaxFiles == 0 {
		cfg.MaxFiles = publish.DefaultMaxFiles
	}
	return &Service{Config: cfg, busy: map[sandlot.AccountID]bool{}}
}

// Input requests an import.
type Input struct {
	Archive     io.Reader // a ZIP
	Size        int64     // the declared size of Archive; 0 or less: not declared
	Idempotency string    // the idempotency key, if any
	DryRun      bool      // only check the call
	Charge      sandlot.Charge

	// For an import by the operator into somebody's account: projects keep their ids.
	Account sandlot.AccountID
	Stored  *io.SectionReader // in place of Archive: a ZIP that is read where it lies
	Reason  string            // for the audit log
	Recover bool              // also projects whose ids are or were used here: the imported versions become further versions of them

	zip *unpack.ZIPFile
}

// An archive can be read anywhere, as a ZIP has to be.
type archive interface {
	io.ReaderAt
	Size() int64
}

// Report lists the outcome of each project of an export.
type Report struct {
	Projects []Outcome // in the order of the manifest
	DryRun   bool
	Warnings []sandlot.Warning
}

// Outcome is the result for one project: Adopted, or Refused.
type Outcome struct {
	From     string // its id in the export
	Title    string
	Versions int
	Files    int // of the current version
	Adopted  publish.Adopted
	Refused  *sandlot.Error
}

// Import takes the projects of an export into the caller's account. Anything else is refused as a whole; a project that
// cannot be imported is refused in the report, and the others come in nevertheless.
//
// With in.Idempotency the same archive within publish.IdempotencyLife makes nothing twice: the report lists the
// projects imported before, and the rest is imported. An error that is no refusal may come after some projects were
// imported, so callers should send a key.
func (s *Service) Import(ctx context.Context, by sandlot.Caller, in Input) (Report, error) {
	owner, err := mayImport(by, in)
	if err != nil {
		return Report{}, err
	}
	if in.Size > s.most() {
		return Report{}, s.tooLarge()
	}
	done, err := s.alone(owner)
	if err != nil {
		return Report{}, err
	}
	defer done()
	packed := publish.NewSpool(s.Temporary)
	defer packed.Close()
	all, sum, err := s.receive(packed, in)
	if err != nil {
		return Report{}, err
	}
	in.zip, err = unpack.OpenZIP(all, all.Size(), unpack.Limits{Entries: maxEntries, File: s.MaxFile, Total: s.most()})
	if err != nil {
		return Report{}, badArchive(err)
	}
	m, err := s.readManifest(in.zip, in.Charge)
	if err != nil {
		return Report{}, err
	}
	return s.adoptAll(ctx, by, in, m, sum)
}

// mayImport returns the account that an import goes into, if by may import into it.
func mayImport(by sandlot.Caller, in Input) (sandlot.AccountID, error) {
	if by.Account() == 0 && in.Account != 0 {
		return in.Account, sandlot.Authorize(by, sandlot.ActOperate, nil)
	}
	return by.Account(), sandlot.Authorize(by, sandlot.ActImport, nil)
}

// alone refuses a second import into an account while one is under way. done ends it.
func (s *Service) alone(id sandlot.AccountID) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[id] {
		return nil, sandlot.Refuse(sandlot.CodeRequestInProgress, "An import into this account is in progress.").
			With(sandlot.OpWait).After(importWait).
			Note("Send the same request again when it is done, under the same idempotency key.")
	}
	s.busy[id] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.busy, id)
	}, nil
}

// most returns the number of bytes that an archive may have, packed and unpacked.
func (s *Service) most() int64 { return projectsOfData * s.MaxFile }

func (s *Service) tooLarge() error {
	return tooLarge("The archive has more than %d bytes, which is the limit.", s.most())
}

// receive spools the archive, unless it is stored, and returns it with its hash.
func (s *Service) receive(packed *spool.Spool, in Input) (all archive, sum sandlot.Digest, err error) {
	hash := sha256.New()
	if in.Stored != nil {
		if in.Stored.Size() > s.most() {
			return nil, sum, s.tooLarge()
		}
		_, err := io.Copy(hash, in.Stored)
		return in.Stored, sandlot.Digest(hash.Sum(nil)), err
	}
	err = s.Contents.Receive(packed, io.TeeReader(in.Archive, hash), s.most())
	if errors.Is(err, sandlot.CodeContentTooLarge) {
		err = s.tooLarge()
	}
	return packed, sandlot.Digest(hash.Sum(nil)), sandlot.NoEffect(err)
}

// adoptAll makes one project after another.
func (s *Service) adoptAll(
	ctx context.Context, by sandlot.Caller, in Input, m manifest, sum sandlot.Digest,
) (out Report, err error) {
	out.DryRun = in.DryRun
	first := maxProjects
	for i, p := range m.projects {
		o := Outcome{From: p.id, Title: p.title, Versions: p.count, Files: p.files}
		if err = p.refused; err == nil {
			o.Adopted, err = s.adoptOne(ctx, by, in, p, publish.Adoption{Import: sum, Position: i, FirstOf: first})
			first = 0
		}
		if err != nil {
			if o.Refused = refusal(err); o.Refused == nil {
				return out, out.stopped(fmt.Errorf("import %q: %w", p.id, err), in)
			}
		} else {
			err = cmp.Or(s.coverOf(ctx, by, in, p, &o.Adopted), s.linesOf(ctx, in, p, &o.Adopted))
		}
		out.Projects = append(out.Projects, o)
		if o.Refused == nil && err != nil {
			return out, out.stopped(fmt.Errorf("import what belongs to %q: %w", p.id, err), in)
		}
	}
	if err := s.portrait(ctx, by, in, m, &out); err != nil {
		return out, out.stopped(fmt.Errorf("import portrait: %w", err), in)
	}
	return out, nil
}

// stopped returns the error that ends an import midway. Projects imported before stay, so it must not say that nothing
// was changed.
func (r Report) stopped(err error, in Input) error {
	adopted := 0
	for _, o := range r.Projects {
		if o.Refused == nil {
			adopted++
		}
	}
	e := sandlot.AsError(err)
	if adopted == 0 || r.DryRun || e == nil {
		return err
	}
	told := *e
	said := strings.TrimSuffix(e.Message, " Nothing was changed.")
	told.Message = fmt.Sprintf("%s What came in before stays; projects: %d.", said, adopted)
	if in.Idempotency == "" && told.Fix.Op == sandlot.OpWait {
		told.Note("Look at the account's projects before you send the rest: " +
			"the same archive would bring what is here once more. Under an idempotency key it does not.")
	}
	return &told
}

// refusal returns err if it is about this project alone: a limit, too, because a smaller project may still have room.
// An error that every other project would meet is nil.
func refusal(err error) *sandlot.Error {
	of := func(c sandlot.Code) bool { return errors.Is(err, c) }
	all := []sandlot.Code{
		sandlot.CodeInvalidKey, sandlot.CodeAccountSuspended, sandlot.CodeIdempotencyMismatch, sandlot.CodeStorageFull,
	}
	if e, refused := errors.AsType[*sandlot.Error](err); refused && !slices.ContainsFunc(all, of) {
		return e
	}
	return nil
}

func (s *Service) adoptOne(
	ctx context.Context, by sandlot.Caller, in Input, p project, a publish.Adoption,
) (publish.Adopted, error) {
	tree := s.Contents.NewTree(in.Charge)
	defer s.Contents.DiscardTree(context.WithoutCancel(ctx), tree)
	a.Idempotency, a.DryRun = in.Idempotency, in.DryRun
	a.Stage = func(ctx context.Context, now time.Time) (publish.NewProject, []sandlot.Warning, error) {
		return p.stage(ctx, in.zip, tree, now)
	}
	if in.Account != 0 {
		a.ID, a.Account, a.Reason, a.Recover = sandlot.ProjectID(p.id), in.Account, in.Reason, in.Recover
	}
	return s.Projects.Adopt(ctx, by, a)
}
