package check

import (
	"regexp"

	"github.com/tdewolff/parse/v2/js"

	"sandlot/internal/format/inspect"
)

// modular is the apparent beginning of an import or export.
var modular = regexp.MustCompile(`(?:^|[\n;}])\s*((?:import|export)[\s{*"'])`)

// moduleAt returns the offset of the first import or export of a script that parses, -1 without one.
func moduleAt(ast *js.AST, code []byte) int {
	for _, statement := range ast.List {
		switch statement.(type) {
		case *js.ImportStmt, *js.ExportStmt:
			if found := modular.FindSubmatchIndex(code); found != nil {
				return found[2]
			}
			return 0
		}
	}
	return -1
}

// asScript judges the classic scripts that a file loads: no browser runs an import or export in one.
func (f *finder) asScript(l *Look) {
	for _, r := range l.classics {
		t := read(r.to)
		if !t.ok || t.host != "" || t.scheme != "" {
			continue
		}
		for _, name := range f.candidates(l, r, t.path) {
			if to := f.modules[name]; to != nil && f.exact(name) && f.first("module "+name) {
				f.add(DoesNotParse, hintModule[r.how],
					"%s imports or exports, which only modules do, and %s %s %s as a script of the old kind: browsers run nothing of it.",
					at(to, to.module), at(l, r.place), verbs[r.how], inspect.Quoted(r.to))
				break
			}
		}
	}
}

// hintModule says how to load a script as a module.
var hintModule = map[how]string{
	loads:     `Write <script type="module" src="..."> there.`,
	asks:      `Write new Worker("...", { type: "module" }) there.`,
	registers: `Write register("...", { type: "module" }) there.`,
}
