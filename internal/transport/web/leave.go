package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// exports is what the page that hands everything over asks of the domain.
type exports interface {
	// Export returns all that the caller's account has published.
	Export(ctx context.Context, by sandlot.Caller) (publish.Export, error)
}

// export sends everything of the account as a ZIP, as it is written.
func (s settings) export(v *visit) error {
	e, err := s.exports.Export(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return s.zip.send(v, e, "sandlot-"+v.me.Account.Handle)
}

// archives sends what somebody has published as a ZIP.
type archives struct {
	write func(ctx context.Context, w io.Writer, e publish.Export) error
}

// send sends a ZIP under a name, which is a handle or an id, and the day.
func (a archives) send(v *visit, e publish.Export, name string) error {
	name = `attachment; filename="` + name + "-" + v.now().UTC().Format(time.DateOnly) + `.zip"`
	if v.r.Method == http.MethodHead {
		v.w.Header().Set("Content-Type", "application/zip")
		v.w.Header().Set("Content-Disposition", name)
		return nil
	}
	v.grant.Archive(e.Files())
	out := &archiveWriter{w: v.w, name: name}
	err := a.write(v.r.Context(), out, e)
	if err != nil && out.begun {
		v.log.Error("export broken off", "request_id", v.requestID(v.r.Context()), "error", err)
		panic(http.ErrAbortHandler) // so that nobody takes it for whole
	}
	return err
}

// archiveWriter says that an archive comes when its first bytes do: until then
// the answer may still be a page.
type archiveWriter struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

// Write implements io.Writer.
func (a *archiveWriter) Write(b []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "application/zip")
		a.w.Header().Set("Content-Disposition", a.name)
	}
	return a.w.Write(b)
}

func (s settings) askDelete(v *visit) error {
	return v.show(http.StatusOK, "delete_account.html", v.T("delete.title"), field{})
}

// deleteAccount deletes it if its handle was typed. Sent twice, the second time
// finds nobody logged in.
func (s settings) deleteAccount(v *visit) error {
	typed, handle := v.r.PostForm.Get("handle"), v.me.Account.Handle
	err := s.account.DeleteAccount(v.r.Context(), v.by, typed)
	if errors.Is(err, sandlot.CodeInvalidField) {
		return v.show(http.StatusUnprocessableEntity, "delete_account.html", v.T("delete.title"), field{typed, v.T("delete.wrong")})
	}
	if err != nil {
		return err
	}
	v.me = nil
	v.setCookie(cookieName, "", -1)
	return v.show(http.StatusOK, "account_deleted.html", v.T("deleted.title"), handle)
}
