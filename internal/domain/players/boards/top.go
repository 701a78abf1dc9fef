package boards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

const (
	// listedFor is the lifetime of a list.
	listedFor = time.Second
	// mostListed bounds the entries in memory, at some 150 bytes each: 15 MB.
	mostListed = 100_000
)

type listKey struct {
	project sandlot.ProjectID
	board   string
	period  int64
}

// A list is the first MaxTop entries of a board.
type list struct {
	Top
	at time.Time
}

// Top returns entries of a board from a list at most a second old, in which the player of the visit has its current place.
// The ranks are of one moment. You is nil without a token and a Player. Ids of players are public: the website knows the
// player in a frame only by the id.
func (s *Service) Top(ctx context.Context, by sandlot.Caller, v players.Visit, q Query) (Top, error) {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), v.Reads()); err != nil {
		return Top{}, err
	}
	r, err := s.reading(v.Project.ID, &q)
	if err != nil {
		return Top{}, err
	}
	if r.Player = q.Player; r.Player == "" {
		r.Token = v.Token
	}
	r.Around = r.Around && r.has()
	top, err := s.top(ctx, r)
	if err != nil {
		return Top{}, fmt.Errorf("read board: %w", err)
	}
	top.Board, top.Period = r.Board, q.Period
	return top, nil
}

// reading returns the reading of a query, and sets the defaults of the query.
func (s *Service) reading(id sandlot.ProjectID, q *Query) (r Reading, err error) {
	if q.Board, err = boardName(q.Board); err != nil {
		return r, err
	}
	q.Period, q.Limit = cmp.Or(q.Period, AllTime), cmp.Or(q.Limit, defaultTop)
	if !slices.Contains(Periods[:], q.Period) {
		return r, wrongField("period", "The period is invalid.", "Send all, week or today, or leave it out for all time.")
	}
	if q.Limit < 1 || q.Limit > MaxTop {
		return r, wrongField("limit", "The limit is out of range.",
			fmt.Sprintf("Send a number from 1 to %d, or leave it out for %d.", MaxTop, defaultTop))
	}
	return Reading{Project: id, Board: q.Board, Period: q.Period.Number(s.Now()), Limit: q.Limit, Around: q.Around}, nil
}

// has reports whether the reading has a You.
func (r Reading) has() bool { return r.Player != "" || r.Token != (sandlot.Digest{}) }

func (s *Service) top(ctx context.Context, r Reading) (Top, error) {
	if r.Around {
		return s.read(ctx, r)
	}
	l, err := s.list(ctx, r, false)
	if err != nil {
		return Top{}, err
	}
	if r.has() {
		you, err := s.read(ctx, Reading{Project: r.Project, Board: r.Board, Period: r.Period, Token: r.Token, Player: r.Player})
		if err != nil {
			return Top{}, err
		}
		if l.lacks(you.You) {
			if l, err = s.list(ctx, r, true); err != nil {
				return Top{}, err
			}
		}
		l.You, l.Of = you.You, you.Of
	}
	return l.cut(r.Limit), nil
}

// lacks reports whether the list lacks a player's current entry.
func (t Top) lacks(you *Entry) bool {
	if you == nil {
		return false
	}
	i := slices.IndexFunc(t.Entries, func(e Entry) bool { return e.Player == you.Player })
	if i < 0 {
		return you.Rank <= MaxTop
	}
	e := t.Entries[i]
	return e.Score != you.Score || e.Name != you.Name || !e.At.Equal(you.At)
}

// cut returns a copy of the first entries of a shared list, with the place of You on it.
func (t Top) cut(limit int) Top {
	all := t.Entries
	t.Entries = slices.Clone(all[:min(len(all), limit)])
	if t.You == nil {
		return t
	}
	for i, e := range all {
		if e.Player == t.You.Player {
			t.You.Rank = e.Rank
			if i < limit {
				t.Entries[i].You = true
			}
		}
	}
	return t
}

// list returns the list of a reading; with fresh it reads the list anew.
func (s *Service) list(ctx context.Context, r Reading, fresh bool) (Top, error) {
	key := listKey{r.Project, r.Board, r.Period}
	known := func() (list, bool) {
		l, ok := s.lists.Get(key)
		return l, ok && s.Now().Sub(l.at).Abs() < listedFor
	}
	if l, ok := known(); ok && !fresh {
		return l.Top, nil
	}
	var l list
	err := s.reads.Do(ctx, key, nil, func() (err error) {
		var ok bool
		if l, ok = known(); ok && !fresh { // another call has read it meanwhile
			return nil
		}
		l.at = s.Now()
		l.Top, err = s.read(ctx, Reading{Project: r.Project, Board: r.Board, Period: r.Period, Limit: MaxTop})
		if err == nil {
			s.lists.Put(key, l, int64(1+len(l.Entries)))
		}
		return err
	})
	return l.Top, err
}

// read returns entries; a missing board has none.
func (s *Service) read(ctx context.Context, r Reading) (Top, error) {
	top, err := s.Store.Top(ctx, r)
	if errors.Is(err, sandlot.ErrNotFound) {
		return Top{}, nil
	}
	return top, err
}
