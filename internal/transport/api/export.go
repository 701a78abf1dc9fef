package api

import (
	"net/http"
	"time"

	"sandlot"
)

// export streams the archive while it is written. Its length is not known before, and Range is ignored: an archive is
// built anew each time.
func (a *API) export(c *call) error {
	history, err := allVersions(c)
	if err != nil {
		return err
	}
	if c.head() {
		return a.exportHead(c)
	}
	e, err := a.Reader.Export(c.R.Context(), c.By)
	if err != nil {
		return err
	}
	e.History = history
	c.Grant.Archive(e.Files())
	h := c.W.Header()
	h.Set("Content-Disposition", archiveName(e.Account, e.ExportedAt))
	out := &lateWriter{w: c.W, contentType: "application/zip"}
	if err := a.Archive(c.R.Context(), out, e); err != nil {
		h.Del("Content-Disposition")
		return a.broken(c, out, err)
	}
	return nil
}

// allVersions reports whether the query requests earlier versions.
func allVersions(c *call) (bool, error) {
	switch v := c.R.URL.Query().Get("versions"); v {
	case "", "current":
		return false, nil
	case "all":
		return true, nil
	}
	return false, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter versions is neither all nor current.").In("versions").
		With(sandlot.OpExport).Note("Send versions=all for all versions that are kept, or leave it out for the current one:")
}

// exportHead answers a HEAD without building the archive.
func (a *API) exportHead(c *call) error {
	who, err := a.Reader.Whoami(c.R.Context(), c.By, 1, "")
	if err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", "application/zip")
	c.W.Header().Set("Content-Disposition", archiveName(who.Account, a.Now()))
	c.W.WriteHeader(http.StatusOK)
	return nil
}

func archiveName(owner sandlot.Account, at time.Time) string {
	return `attachment; filename="sandlot-` + owner.Handle + "-" + at.UTC().Format(time.DateOnly) + `.zip"`
}
