package trial

import (
	"context"
	"fmt"

	"sandlot"
)

// mostWarned bounds the projects that Warnings reads: the newest of a list.
const mostWarned = 10

// After returns the State of the trial of a version that was just made, and the Warnings of the version before it, 0
// for none.
func (s *Service) After(ctx context.Context, by sandlot.Caller, p sandlot.Project, before int) (State, []sandlot.Warning, error) {
	if off, _ := s.status.look(); off {
		return Off, nil, nil
	}
	r, err := s.store.Trial(ctx, p.ID)
	if err != nil {
		return "", nil, fmt.Errorf("read trial: %w", err)
	}
	state, _ := s.state(p, r)
	p.Version = before
	warnings, err := warn(by, p, r)
	return state, warnings, err
}

// Warnings returns a warning for each of the first ten projects whose version was found broken when it was opened. It
// skips projects whose files by may not read.
func (s *Service) Warnings(ctx context.Context, by sandlot.Caller, projects ...sandlot.Project) (all []sandlot.Warning, err error) {
	if off, _ := s.status.look(); off {
		return nil, nil
	}
	for _, p := range projects[:min(len(projects), mostWarned)] {
		r, err := s.store.Trial(ctx, p.ID)
		if err != nil {
			return all, fmt.Errorf("read trial: %w", err)
		}
		warnings, err := warn(by, p, r)
		if err != nil {
			return all, err
		}
		all = append(all, warnings...)
	}
	return all, nil
}

// warn returns the first finding of a trial after which a page does not work for its players.
func warn(by sandlot.Caller, p sandlot.Project, r Record) ([]sandlot.Warning, error) {
	if r.Outcome != Done || r.Version != p.Version || sandlot.Authorize(by, sandlot.ActReadFiles, &p) != nil {
		return nil, nil
	}
	seen, err := read(r.Seen)
	if err != nil {
		return nil, fmt.Errorf("read trial of %s: %w", p.ID, err)
	}
	for _, f := range findings(seen) {
		switch f.Code {
		case PageBlank, PageHangs, TooMuch, ScriptError:
			message := fmt.Sprintf("The play-tester opened version %d of %s. %s", p.Version, p.ID, f.Message)
			return []sandlot.Warning{{Code: string(f.Code), Message: message, Hint: f.Hint}}, nil
		}
	}
	return nil, nil
}
