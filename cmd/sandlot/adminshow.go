package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/mediatype"
)

type showCommand struct {
	Target string `arg:"" help:"@HANDLE, HANDLE or e-mail address of an account; id or address of a project; also of what was deleted."`
	storage
	format
	Limit int `default:"20" placeholder:"N" help:"Maximum number of rows of each table (0: all). (default: ${default})"`
}

// Run shows an account or a project, one table for each kind of records.
func (c *showCommand) Run(ctx context.Context, t *terminal) error {
	limit := c.Limit
	if limit <= 0 {
		limit = 1 << 30
	}
	return c.administer(ctx, func(a operator) error {
		s, err := a.Show(ctx, a.by, c.Target, limit)
		if err != nil {
			return err
		}
		switch {
		case s.Deleted != nil:
			return c.print(t, newDeletedLine(s), func() { showDeleted(t.out, s) })
		case s.Account != nil:
			return c.print(t, newAccountShown(s), func() { showAccount(t.out, s) })
		}
		return c.print(t, newProjectShown(s), func() { showProject(t.out, s) })
	})
}

// table prints rows under a headline, in columns; nothing if there are none.
func table(w io.Writer, title, columns string, rows [][]any) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer tab.Flush()
	fmt.Fprintln(tab, columns)
	for _, row := range rows {
		for i, v := range row {
			if i > 0 {
				fmt.Fprint(tab, "\t")
			}
			fmt.Fprint(tab, v)
		}
		fmt.Fprintln(tab)
	}
}

// pairs prints names with their values.
func pairs(w io.Writer, list ...any) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer tab.Flush()
	for i := 0; i+1 < len(list); i += 2 {
		fmt.Fprintf(tab, "%v\t%v\n", list[i], list[i+1])
	}
}

func stamp3339(t time.Time) string {
	if t.IsZero() || t.UnixMicro() == 0 {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// since returns a state with the time of its beginning.
func since(state string, at time.Time) string {
	if at.IsZero() {
		return state
	}
	return state + " since " + stamp3339(at)
}

// shownEmail returns an address with its state.
func shownEmail(d operate.AccountDetail) string {
	switch {
	case d.Email == "":
		return "-"
	case d.EmailVerified:
		return d.Email + " (" + since("verified", d.VerifiedAt) + ")"
	}
	return d.Email + " (pending, not verified)"
}

func showAccount(w io.Writer, s operate.Shown) {
	d := s.Account
	proposed := "-"
	if s.Proposed != nil {
		proposed = s.Proposed.Email + " (pending until " + stamp3339(s.Proposed.ExpiresAt) + ")"
	}
	pairs(w, "account", "@"+d.Handle, "status", since(shownStatus(d.Suspended), d.SuspendedAt), "email", shownEmail(*d), "new email", proposed,
		"language", orDash(d.Lang), "projects", d.Projects, "bytes", d.Bytes, "created", stamp3339(d.CreatedAt))
	var projects [][]any
	for _, p := range s.Projects {
		projects = append(projects, []any{p.ID, shownStatus(p.Suspended), p.Version, p.FileCount, p.Size, p.Plays, stamp3339(p.UpdatedAt), orDash(p.Title)})
	}
	table(w, "Projects", "ID\tSTATUS\tVERSION\tFILES\tBYTES\tPLAYS\tUPDATED\tTITLE", projects)
	showRest(w, s)
}

func showProject(w io.Writer, s operate.Shown) {
	p := s.Project
	status := since(shownStatus(p.Suspended), p.SuspendedAt)
	if !p.DeletedAt.IsZero() {
		status = fmt.Sprintf("deleted at %s, for good at %s unless its owner takes it back; %s", stamp3339(p.DeletedAt), stamp3339(p.DeletedAt.Add(publish.TrashLife)), status)
	}
	pairs(w, "project", p.ID, "title", orDash(p.Title), "account", "@"+p.Handle, "status", status,
		"version", p.Version, "files", p.FileCount, "bytes", p.Size, "opens with", p.Primary, "plays", p.Plays, "created", stamp3339(p.CreatedAt), "updated", stamp3339(p.UpdatedAt))
	var versions, files [][]any
	for _, v := range s.Versions {
		changes := "-"
		if v.Known {
			changes = fmt.Sprintf("+%d ~%d -%d", len(v.Added), len(v.Changed), len(v.Removed))
		}
		if v.Erased {
			changes = "erased"
		}
		versions = append(versions, []any{v.N, stamp3339(v.CreatedAt), changes, orDash(v.Title)})
	}
	table(w, "Versions", "N\tCREATED\tFILES\tTITLE", versions)
	for _, f := range s.Files {
		files = append(files, []any{f.Blob.Size, fmt.Sprintf("%x", f.Blob.SHA256[:6]), mediatype.Of(f.Name, f.Blob.Text), fmt.Sprintf("%q", f.Name)})
	}
	table(w, "Files", "BYTES\tSHA-256\tTYPE\tNAME", files)
	showRest(w, s)
}

// showRest prints the records that accounts and projects have in common.
func showRest(w io.Writer, s operate.Shown) {
	var keys, reports [][]any
	for _, k := range s.Keys {
		keys = append(keys, []any{k.Kind, orDash(string(k.Project)), "..." + k.LastFour, stamp3339(k.CreatedAt), stamp3339(k.LastUsedAt), fmt.Sprintf("%q", k.Name)})
	}
	table(w, "Keys", "KIND\tPROJECT\tENDS IN\tCREATED\tLAST USED\tNAME", keys)
	for _, r := range s.Reports {
		reports = append(reports, []any{r.Case, r.Project, r.Reason, stamp3339(r.At), newReportLine(r).status()})
	}
	table(w, "Reports", "CASE\tPROJECT\tREASON\tTIME\tSTATUS", reports)
	table(w, "Log", logColumns, logRows(s.Log))
}

func showDeleted(w io.Writer, s operate.Shown) {
	kind, by := "project", "-"
	if s.Deleted.Target[0] == '@' {
		kind = "account"
	}
	if s.Deleted.Entry.ID != 0 {
		by = s.Deleted.Entry.Who()
	}
	pairs(w, kind, s.Deleted.Target, "status", "deleted", "deleted", stamp3339(s.Deleted.At), "by", by, "reason", orDash(s.Deleted.Entry.Reason))
	table(w, "Log", logColumns, logRows(s.Log))
}
