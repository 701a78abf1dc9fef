package publish

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Project shows a project to a caller. Files and the version address are for its
// owner only. A suspended project is shown to its owner alone, without them.
func (s *Service) Project(ctx context.Context, by Caller, ref string) (ProjectView, error) {
	p, err := s.find(ctx, ref)
	if err != nil {
		return ProjectView{}, err
	}
	v := ProjectView{Project: p, Quarantined: s.quarantined(p), Owner: Authorize(by, ActReadFiles, &p) == nil}
	if p.Suspended && !v.Owner {
		return ProjectView{}, takenDown(p)
	}
	// Of what was taken down the owner sees that it was; the files are in the export.
	v.Owner = v.Owner && !p.Suspended
	v.Stats, v.Addresses = s.stats(ctx, p), s.Places.Project(p.ID, p.Version, "")
	if v.Owner {
		v.Addresses = s.Places.Project(p.ID, p.Version, p.Suffix)
		if v.Files, err = s.store.Files(ctx, p.ID, p.Version); err != nil {
			return v, err
		}
		v.Warnings = s.quarantineOf(ctx, p, v.Files)
	}
	return v, nil
}

// Stats returns a project's public numbers.
func (s *Service) Stats(ctx context.Context, by Caller, ref string) (ProjectID, Stats, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return "", Stats{}, err
	}
	p, err := s.find(ctx, ref)
	if err != nil {
		return "", Stats{}, err
	}
	if p.Suspended {
		return "", Stats{}, takenDown(p)
	}
	return p.ID, s.stats(ctx, p), nil
}

// stats adds to the stored counts those that are still in memory.
func (s *Service) stats(ctx context.Context, p Project) Stats {
	out := Stats{Likes: p.Likes}
	out.Plays = s.counters.plays(p.ID, func() (plays, number int64) {
		if fresh, err := s.store.Project(ctx, p.ID); err == nil {
			p.Plays, p.Counted, out.Likes = fresh.Plays, fresh.Counted, fresh.Likes
		}
		return p.Plays, p.Counted
	})
	n, err := s.live.Players(ctx, p.ID, s.now())
	if err != nil {
		s.log.Warn("players not counted", "error", err)
	}
	out.Players = n
	return out
}

// Limits of one page of projects.
const (
	DefaultPage = 100
	MaxPage     = 1000
)

// Whoami tells what the caller's key stands for, with a page of at most limit
// (1 to MaxPage) of its projects, newest change first. A project key sees its project alone, and no address.
func (s *Service) Whoami(ctx context.Context, by Caller, limit int, cursor string) (Identity, error) {
	if err := Authorize(by, ActReadAccount, nil); err != nil {
		return Identity{}, err
	}
	if limit < 1 || limit > MaxPage {
		return Identity{}, Refuse(CodeInvalidField, "The limit is %d; a page has 1 to %d projects.", limit, MaxPage).In("limit").With(OpWhoami)
	}
	before, err := readCursor(cursor)
	if err != nil {
		return Identity{}, err
	}
	out := Identity{Key: by.key}
	if out.Account, err = s.store.Account(ctx, by.Account()); err != nil {
		return out, fmt.Errorf("read account: %w", err)
	}
	if by.Scoped() {
		out.Account.Email = ""
	}
	projects, err := s.covered(ctx, by, before, limit+1)
	if err != nil {
		return out, err
	}
	if len(projects) > limit {
		projects = projects[:limit]
		out.Next = strconv.FormatInt(projects[limit-1].Seq, 36)
	}
	out.Projects = s.views(ctx, projects)
	if len(projects) > 0 && s.quarantined(projects[0]) { // all are of one account
		out.Warnings = []Warning{s.quarantineWarning()}
	}
	return out, nil
}

// covered returns the projects a key covers.
func (s *Service) covered(ctx context.Context, by Caller, before int64, limit int) ([]Project, error) {
	if !by.Scoped() {
		return s.store.Projects(ctx, by.Account(), before, limit)
	}
	p, err := s.store.Project(ctx, by.key.Project)
	if err != nil || before != 0 && p.Seq >= before {
		return nil, err
	}
	return []Project{p}, nil
}

func (s *Service) views(ctx context.Context, projects []Project) []ProjectView {
	out := make([]ProjectView, 0, len(projects))
	for _, p := range projects {
		out = append(out, ProjectView{Project: p, Owner: true, Quarantined: s.quarantined(p), Stats: s.quickStats(ctx, p), Addresses: s.Places.Project(p.ID, p.Version, p.Suffix)})
	}
	return out
}

// quickStats is stats without reading the project again: for lists, where a
// count written in the same instant may be missed once.
func (s *Service) quickStats(ctx context.Context, p Project) Stats {
	n, _ := s.live.Players(ctx, p.ID, s.now()) // soft: a list is complete without it
	return Stats{Players: n, Likes: p.Likes, Plays: s.counters.plays(p.ID, func() (plays, number int64) { return p.Plays, p.Counted })}
}

func readCursor(cursor string) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	seq, err := strconv.ParseInt(cursor, 36, 64)
	if err != nil || seq < 1 {
		return 0, Refuse(CodeInvalidField, "The cursor is not one that whoami returned.").In("cursor").With(OpWhoami).
			Note("Use next_cursor of the page before, or leave cursor out for the first page.")
	}
	return seq, nil
}

// Export takes one consistent snapshot of all that the caller's key covers. The
// versions it names never change, so their files can be read at leisure.
func (s *Service) Export(ctx context.Context, by Caller) (Export, error) {
	if err := Authorize(by, ActReadAccount, nil); err != nil {
		return Export{}, err
	}
	projects, err := s.covered(ctx, by, 0, math.MaxInt32)
	if err != nil {
		return Export{}, fmt.Errorf("read projects: %w", err)
	}
	return s.export(ctx, by.Account(), projects)
}

func (s *Service) export(ctx context.Context, account AccountID, projects []Project) (out Export, err error) {
	out.ExportedAt = s.now().UTC()
	if out.Account, err = s.store.Account(ctx, account); err != nil {
		return out, fmt.Errorf("read account: %w", err)
	}
	out.Projects = s.views(ctx, projects)
	return out, nil
}

// Site returns the current state of a project: what this process wrote once it was
// acknowledged, what another wrote within HeadsHold, and cheap, for every request to its address asks. Its counts
// may be old. A project that was taken down is CodeTakenDown, on every address.
func (s *Service) Site(ctx context.Context, by Caller, id ProjectID) (Project, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return Project{}, err
	}
	p, ok := s.Heads.peek(id)
	if !ok {
		var err error
		if p, err = s.Heads.get(ctx, id, func(ctx context.Context) (Project, error) { return s.find(ctx, string(id)) }); err != nil {
			return p, err
		}
	}
	if p.Suspended {
		return p, takenDown(p)
	}
	return p, nil
}

// SiteVersion returns a project as one of its versions left it, to whoever knows
// the random part of that version's address.
func (s *Service) SiteVersion(ctx context.Context, by Caller, id ProjectID, n int, suffix string) (Project, error) {
	p, err := s.Site(ctx, by, id)
	if err != nil {
		return p, err
	}
	v, err := s.store.Version(ctx, id, n)
	if err == nil && v.Suffix != suffix {
		err = ErrNotFound
	}
	if errors.Is(err, ErrNotFound) {
		return Project{}, Refuse(CodeProjectNotFound, "There is no such version here.").With(OpProject, Arg{"id", string(id)}).
			Note("The owner's key reads the address of the current version.")
	}
	p.Version, p.Suffix, p.Primary = n, suffix, v.Primary
	return p, err
}

// Touch counts a player of a project that exists as present, unless enough of the
// player's network are.
func (s *Service) Touch(ctx context.Context, by Caller, id ProjectID, p Visitor) error {
	if err := Authorize(by, ActLook, nil); err != nil {
		return err
	}
	if _, err := s.Site(ctx, by, id); err != nil {
		return err
	}
	s.soft("count a player", s.live.Touch(ctx, id, p.ID, s.now(), s.crowds(p.From)...))
	return nil
}

// Leave counts a player as gone.
func (s *Service) Leave(ctx context.Context, by Caller, id ProjectID, p Visitor) error {
	if err := Authorize(by, ActLook, nil); err != nil {
		return err
	}
	s.soft("count a player out", s.live.Leave(ctx, id, p.ID, s.now()))
	return nil
}

// soft logs an error of what may be forgotten; it fails no request.
func (s *Service) soft(what string, err error) {
	if err != nil {
		s.log.Warn("could not "+what, "error", err)
	}
}
