package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// sameEmail is the most accounts of one address that an error names.
const sameEmail = 20

// Found is the account or the project that an operator named. One of the two is set.
type Found struct {
	Account *AccountDetail
	Project *ProjectDetail
}

// Target returns its name in the audit log, empty if nothing was found.
func (f Found) Target() string {
	switch {
	case f.Account != nil:
		return "@" + f.Account.Handle
	case f.Project != nil:
		return string(f.Project.ID)
	}
	return ""
}

// subject returns the Subject for a method of the store.
func (f Found) subject() sandlot.Subject {
	if f.Account != nil {
		return sandlot.Subject{Account: f.Account.ID}
	}
	return sandlot.Subject{Project: f.Project.ID}
}

// find looks up the account or project that an operator named: an account as @handle or by its e-mail address, or a
// project by its id or any of its addresses. A missing one is sandlot.ErrNotFound, with a message that says so if it was
// deleted. An e-mail address of several accounts is an error that lists them.
func (s *Service) find(ctx context.Context, ref string) (Found, error) {
	found, err := s.look(ctx, ref)
	return found, s.toldDeleted(ctx, ref, err)
}

func (s *Service) look(ctx context.Context, ref string) (Found, error) {
	ref = strings.TrimSpace(ref)
	handle, isHandle := strings.CutPrefix(ref, "@")
	switch {
	case isHandle:
		return s.account(ctx, handle)
	case strings.Contains(ref, "@") && !strings.Contains(ref, "://"):
		return s.byEmail(ctx, ref)
	}
	return s.project(ctx, idIn(ref))
}

// Account returns the account that an operator named, as for Show. A project is an error.
func (s *Service) Account(ctx context.Context, by sandlot.Caller, ref string) (AccountDetail, error) {
	if err := operator(by); err != nil {
		return AccountDetail{}, err
	}
	if !strings.Contains(ref, "@") {
		ref = "@" + ref
	}
	found, err := s.find(ctx, ref)
	if err != nil {
		return AccountDetail{}, err
	}
	if found.Account == nil {
		return AccountDetail{}, fmt.Errorf("%s is a project, and an account is needed", inspect.Quoted(ref))
	}
	return *found.Account, nil
}

// none returns the error that there is no such account or project.
func none(what string) error { return fmt.Errorf("there is no %s: %w", what, sandlot.ErrNotFound) }

func (s *Service) account(ctx context.Context, handle string) (Found, error) {
	found, err := s.store.AccountByHandle(ctx, strings.ToLower(handle))
	if errors.Is(err, sandlot.ErrNotFound) {
		return Found{}, none("account " + inspect.Quoted("@"+handle))
	}
	if err != nil {
		return Found{}, fmt.Errorf("account %s: %w", inspect.Quoted("@"+handle), err)
	}
	return Found{Account: &found}, nil
}

func (s *Service) byEmail(ctx context.Context, address string) (Found, error) {
	clean, err := names.Email(address)
	if err != nil {
		return Found{}, fmt.Errorf("%s is not an address: %w", inspect.Quoted(address), err)
	}
	list, err := s.store.AccountsByEmail(ctx, clean, sameEmail)
	switch {
	case err != nil:
		return Found{}, err
	case len(list) == 0:
		return Found{}, none("account with the address " + inspect.Quoted(address))
	case len(list) == 1:
		return Found{Account: &list[0]}, nil
	}
	var handles []string
	for _, account := range list {
		handles = append(handles, "@"+account.Handle)
	}
	return Found{}, fmt.Errorf("several accounts have this address, name one of them: %s", strings.Join(handles, " "))
}

func (s *Service) project(ctx context.Context, id string) (Found, error) {
	found, err := ProjectDetail{}, sandlot.ErrNotFound
	if names.ValidProjectID(id) {
		found, err = s.store.ProjectDetail(ctx, sandlot.ProjectID(id))
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return Found{}, none("project " + inspect.Quoted(id) + " (accounts are named @HANDLE)")
	}
	if err != nil {
		return Found{}, fmt.Errorf("project %s: %w", inspect.Quoted(id), err)
	}
	return Found{Project: &found}, nil
}

// idIn finds the project id in any address of a project, on any host.
func idIn(ref string) string { return string(sandlot.Places{}.ProjectIn(ref)) }
