package api

import (
	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/unpack"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/intake/hint"
)

// withPage adds to the warning of a primary file that is not HTML the call that replaces it.
func (a *API) withPage(c *call, p sandlot.Project, sent publish.Content, list []sandlot.Warning) []sandlot.Warning {
	for i, w := range list {
		if w.Code != "not_html" || fromTools(c.R.Context()) {
			continue
		}
		on := hint.Request{Keyed: true, Op: sandlot.OpUpdate, Local: "<HTML file>", JSON: c.Object}
		args := []sandlot.Arg{{Name: "project_id", Value: string(p.ID)}, {Name: "filename", Value: p.Primary}}
		if format, ok := unpack.Sniff(sent.Head); ok {
			on.Archive = "site." + string(format)
			if own := hint.LocalName(c.Said.Form.FileName); own != "" && !intake.Nameless(own) {
				on.Archive = own
			}
			args[1] = sandlot.Arg{Name: "replace", Value: true}
		}
		list[i].Hint = w.Hint + "\n" + hint.CallOf(a.Places.Base.String(), on, sandlot.OpUpdate, args)
	}
	return list
}
