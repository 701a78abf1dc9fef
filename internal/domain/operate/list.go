package operate

import (
	"context"
	"strings"

	"sandlot"
)

// Accounts returns accounts with an ID above after, oldest first, at most limit; if suspended, only suspended ones.
func (s *Service) Accounts(
	ctx context.Context, by sandlot.Caller, after sandlot.AccountID, suspended bool, limit int,
) ([]AccountDetail, error) {
	if err := operator(by); err != nil {
		return nil, err
	}
	return s.store.ListAccounts(ctx, after, suspended, limit)
}

// Projects returns the projects of a query, oldest first.
func (s *Service) Projects(ctx context.Context, by sandlot.Caller, q ProjectQuery) ([]ProjectDetail, error) {
	if err := operator(by); err != nil {
		return nil, err
	}
	return s.store.ListProjects(ctx, q)
}

// Log returns the entries of the audit log of a query, newest first.
func (s *Service) Log(ctx context.Context, by sandlot.Caller, q LogQuery) ([]sandlot.LogEntry, error) {
	if err := operator(by); err != nil {
		return nil, err
	}
	return s.store.Log(ctx, q)
}

// LogTarget returns the name in the audit log of the account or project that an operator named, as for Show. It also
// finds deleted ones.
func (s *Service) LogTarget(ctx context.Context, by sandlot.Caller, ref string) (string, error) {
	if err := operator(by); err != nil {
		return "", err
	}
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "@") || strings.HasPrefix(ref, "R-") || strings.HasPrefix(ref, "mailbox:") {
		return ref, nil
	}
	found, err := s.find(ctx, ref)
	if err == nil {
		return found.Target(), nil
	}
	id := idIn(ref)
	if _, gone := s.deletedProject(ctx, id); gone == nil {
		return id, nil
	}
	return "", err
}
