package web

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Trash is what the pages of deleted projects ask of the domain; *publish.Trash is one. To another
// account such a project is sandlot.ErrNotFound.
type Trash interface {
	List(ctx context.Context, by sandlot.Caller, q publish.TrashPage) (list []publish.Trashed, next string, err error)
	TakeBack(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	Purge(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
}

// takeBack makes a deleted project again what it was. Sent twice, the second time says the same.
func (o *ownPages) takeBack(v *visit) error {
	back, err := o.trash.TakeBack(v.r.Context(), v.by, v.ownID())
	if err != nil {
		return err
	}
	return v.done(v.ownPath(), "said.taken-back", "name", name(back))
}

func (o *ownPages) askPurge(v *visit) error {
	list, _, err := o.trash.List(v.r.Context(), v.by, publish.TrashPage{Project: v.ownID()})
	if err != nil {
		return err
	}
	return v.ask(v.T("own.purge-title", "name", name(list[0].Project)), askPage{
		Leads: []any{v.T("own.purge-lead")}, Action: v.ownPath() + "/purge", Yes: v.T("own.purge-yes"), Back: "/account#deleted",
	})
}

// purge deletes for good what could be taken back. Sent twice, the second time finds nothing.
func (o *ownPages) purge(v *visit) error {
	gone, err := o.trash.Purge(v.r.Context(), v.by, v.ownID())
	if err != nil {
		return err
	}
	return v.done("/account", "said.purged", "name", name(gone))
}
