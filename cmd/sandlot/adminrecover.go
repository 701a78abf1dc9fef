package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/storage/sqlstore"
)

// recoverCommand brings one project back from a backup: an export of the backup's project, which is imported with its
// id in one step.
type recoverCommand struct {
	Project string `arg:"" help:"Id or any address of the project."`
	acting
	From    string `required:"" type:"path" placeholder:"FOLDER" help:"Folder that sandlot backup made."`
	Account string `placeholder:"TARGET" help:"Account that gets it, @HANDLE or its e-mail address. (default: its own, if that is still there)"`
	Current bool   `help:"Bring its current version alone. (default: all versions, if the project is gone)"`
	Yes     bool   `help:"Go on although the project is there, or was suspended in the backup. (default: stop)"`
	Reason  string `placeholder:"TEXT" help:"Reason, kept in the audit log. (default: none)"`
}

// Run brings the project back, and prints its new state.
func (c *recoverCommand) Run(ctx context.Context, t *terminal) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	return c.act(ctx, t, func(a operator) (said string, err error) {
		copied, err := newBackupCopy(c.From, c.temporary())
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, copied.remove()) }()
		r := &recovery{c, a, copied, nil, operate.ProjectDetail{}}
		return r.run(ctx, t)
	})
}

// A recovery is one run of the command.
type recovery struct {
	*recoverCommand
	to     operator
	backup backupCopy
	db     *sqlstore.DB          // of the backup
	was    operate.ProjectDetail // in the backup
}

func (r *recovery) run(ctx context.Context, t *terminal) (said string, err error) {
	if r.db, err = r.backup.open(ctx); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.db.Close()) }()
	id := sandlot.Places{}.ProjectIn(r.Project)
	r.was, err = r.db.Operate().ProjectDetail(ctx, id)
	if errors.Is(err, sandlot.ErrNotFound) || err == nil && !r.was.DeletedAt.IsZero() {
		return "", fmt.Errorf("the backup %s has no project %s: %w", r.From, r.Project, sandlot.ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	owner, there, err := r.owner(ctx, id)
	if err != nil {
		return "", err
	}
	zip, err := os.CreateTemp(r.backup.dir, "project-*.zip")
	if err != nil {
		return "", err
	}
	defer zip.Close()
	if err := r.export(ctx, zip, !there && !r.Current); err != nil {
		return "", err
	}
	return r.bring(ctx, t, zip, owner)
}

// owner returns the account that gets the project. there reports that the project exists, perhaps in the trash: then it
// gets further versions.
func (r *recovery) owner(ctx context.Context, id sandlot.ProjectID) (owner sandlot.AccountID, there bool, err error) {
	var named operate.AccountDetail
	if r.Account != "" {
		if named, err = r.to.Account(ctx, r.to.by, r.Account); err != nil {
			return 0, false, err
		}
	}
	is, err := r.to.db.Operate().ProjectDetail(ctx, id)
	switch {
	case err == nil && r.Account != "" && named.ID != is.Account:
		return 0, true, fmt.Errorf("%s belongs to @%s: leave out --account", id, is.Handle)
	case err == nil && is.DeletedAt.IsZero() && !r.Yes:
		return 0, true, fmt.Errorf("%s is there, at version %d of %s, and in the backup at version %d of %s; nothing was changed.\n"+
			"With --yes the files of the backup become its next version, and all that it has stay as they are",
			id, is.Version, dayAndTime(is.UpdatedAt), r.was.Version, dayAndTime(r.was.UpdatedAt))
	case err == nil:
		return is.Account, true, nil
	case !errors.Is(err, sandlot.ErrNotFound):
		return 0, false, err
	case !r.was.SuspendedAt.IsZero() && !r.Yes:
		return 0, false, fmt.Errorf("%s was suspended when the backup was made; nothing was changed. "+
			"With --yes it comes back: suspend it again, if it is not", id)
	case r.Account != "":
		return named.ID, false, nil
	}
	owner, err = r.sameAccount(ctx)
	return owner, false, err
}

func dayAndTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// sameAccount returns the project's account in the backup, if it is still here.
func (r *recovery) sameAccount(ctx context.Context) (sandlot.AccountID, error) {
	theirs, err := secretOf(ctx, r.db)
	if err != nil {
		return 0, err
	}
	ours, err := secretOf(ctx, r.to.db)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(ours, theirs) {
		return 0, fmt.Errorf("the backup %s is of another installation: name the account that gets the project with --account", r.From)
	}
	was, err := r.db.Publish().Account(ctx, r.was.Account)
	if err != nil {
		return 0, err
	}
	// Where an older backup was recovered meanwhile, another account may have the number.
	is, err := r.to.db.Publish().Account(ctx, r.was.Account)
	if errors.Is(err, sandlot.ErrNotFound) || err == nil && !is.CreatedAt.Equal(was.CreatedAt) {
		return 0, fmt.Errorf("its account @%s is not here any more: name another one with --account", was.Handle)
	}
	return is.ID, err
}

// export writes the project of the backup, with its cover and, if history, its earlier versions.
func (r *recovery) export(ctx context.Context, w io.Writer, history bool) error {
	files, err := r.backup.blobs()
	if err != nil {
		return err
	}
	defer files.Close()
	service, err := besideServer(ctx, r.db, files, publish.Config{Temporary: r.backup.dir}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	e := publish.Export{ExportedAt: r.db.Now(), Projects: []publish.ProjectView{{Project: r.was.Project}}, History: history}
	if history {
		if e.Pictures, err = r.db.Covers().Sent(ctx, r.was.Account); err != nil {
			return err
		}
	}
	err = transfer.Write(ctx, w, e, service.Contents, linesOf(r.db, 0)...)
	if errors.Is(err, sandlot.CodeBlobCorrupt) {
		err = fmt.Errorf("the backup is damaged: %w\nNothing was changed. sandlot verify --data %s lists all damage; "+
			"take another backup, or, if an earlier version is damaged, --current", err, r.From)
	}
	return err
}

// anySize is a limit that no project has.
const anySize = 1 << 40

// bring imports the export.
func (r *recovery) bring(ctx context.Context, t *terminal, zip *os.File, owner sandlot.AccountID) (line string, err error) {
	size, err := zip.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	service, kept, err := r.transfer(ctx, r.to.db, anySize, t.err)
	if err != nil {
		return "", err
	}
	in := transfer.Input{Stored: io.NewSectionReader(zip, 0, size), Account: owner, Reason: r.Reason, Recover: true}
	report, err := service.Import(ctx, r.to.by, in)
	if err = errors.Join(err, kept.Close()); err != nil {
		return "", err
	}
	if len(report.Projects) != 1 {
		return "", errors.New("the backup's project could not be read")
	}
	o := report.Projects[0]
	if o.Refused != nil {
		return "", fmt.Errorf("%s (with --current only its current version is brought)", o.Refused.Message)
	}
	for _, text := range said(o.Adopted.Warnings) {
		fmt.Fprintln(t.err, "sandlot: "+text)
	}
	p := o.Adopted.Project
	line = fmt.Sprintf("%s is back in @%s, at version %d: as it was in the backup at version %d of %s, with %s of it.",
		p.ID, p.Handle, p.Version, r.was.Version, dayAndTime(r.was.UpdatedAt), amount(int64(o.Versions), "version"))
	if p.Suspended {
		line += "\nIt is suspended."
	}
	return line, nil
}
