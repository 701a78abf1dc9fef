package api

import (
	"cmp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/intake/hint"
)

// named returns the route of the request, or else the route that was probably meant; nil if it resembles none.
func (c *call) named() *route { return cmp.Or(c.route, c.meant.route) }

// about returns the request for its hints.
func (a *API) about(c *call) hint.Request {
	// A request refused before its key was checked may still have sent one.
	on := hint.Request{Keyed: c.Keyed || c.route == nil && c.R.Header.Get("Authorization") != ""}
	on.Token = !on.Keyed && c.R.Header.Get("Authorization") != ""
	on.Cut = !c.Whole && c.R.ContentLength != 0
	on.Limit, on.Most, on.Least = a.Intake.MaxContent, a.Intake.MaxFile, c.LeastFile()
	if rt := c.named(); rt != nil {
		on.Op = rt.op
		if rt.takes != nil {
			intake.Repeat(&on, cmp.Or(c.Said, &intake.Fields{Set: rt.takes, Header: c.R.Header, Query: c.R.URL.Query()}), a.Places)
		}
	}
	on.JSON = c.Object
	c.Sight.Onto(&on)
	if values := c.R.Header.Values(intake.IdempotencyKey); len(values) == 1 && hint.Showable(values[0]) && publish.CheckIdempotencyKey(values[0]) == nil {
		on.IdempotencyKey = values[0]
	}
	if c.Told != nil {
		toldArgs(&on, c)
	}
	switch id := cmp.Or(c.param, c.meant.id); {
	case id != "" && on.Op != sandlot.OpTicket:
		on.Add("project_id", id)
	case c.By.Scoped() && on.Op.Row().Chooses && on.Op != sandlot.OpTicket:
		on.Add("project_id", string(c.By.Key().Project))
	}
	if by := c.R.URL.Query().Get("by"); on.Op == sandlot.OpStats && (by == "day" || by == "version") {
		on.Add("by", by)
	}
	if name, _, err := names.ReadFilename(cmp.Or(c.filename, c.meant.filename)); err == nil && (on.Op == sandlot.OpUpdate || on.Op == sandlot.OpDeleteFile || on.Op == sandlot.OpFile) {
		on.Add("filename", name)
	}
	return on
}

// tellTotal returns the call that declares the number of parts of this upload.
func (a *API) tellTotal(c *call) string {
	on := a.about(c)
	var args []sandlot.Arg
	for _, arg := range on.Args {
		if arg.Name == "upload_id" || arg.Name == "project_id" {
			args = append(args, arg)
		}
	}
	on.IdempotencyKey = ""
	return hint.CurlOf(a.Places.Base.String(), on, on.Op, append(args, sandlot.Arg{Name: "total_parts", Value: "<number of all parts>"}))
}
