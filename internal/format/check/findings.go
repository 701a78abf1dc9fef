package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sandlot/internal/format/inspect"
)

// mostOf is how many findings of one kind are reported one by one.
const mostOf = 5

// Findings returns the probable faults, at most five of each kind, the worst first.
func (v *Version) Findings() []Finding {
	f := finder{Version: v, modules: map[string]*Look{}}
	for _, l := range v.Looks {
		if l.module.line > 0 {
			f.modules[l.name] = l
		}
	}
	for _, l := range v.reached() {
		f.look(l)
	}
	f.hosts.report(&f)
	f.whole()
	if !f.Place.NoRuntime {
		f.runtime()
	}
	return f.list()
}

// A finder gathers findings.
type finder struct {
	*Version
	found  []Finding
	counts map[Code]int
	asked  map[string]bool // names that were judged
	folds  *folds
	bases  map[string][]string // names by their last parts, folded; nil until needed
	hosts  hosts

	compared int // names in lists

	scriptless bool             // a script is missing
	modules    map[string]*Look // the scripts that can only be modules

	maps       map[string]mapped // names that import maps define
	longestMap int               // the longest of them, in bytes
}

// add keeps a finding, or only counts it if there are enough of its kind.
func (f *finder) add(code Code, hint, message string, args ...any) {
	if f.counts == nil {
		f.counts = map[Code]int{}
	}
	if f.counts[code]++; f.counts[code] <= mostTold(code) {
		f.found = append(f.found, Finding{Code: code, Message: fmt.Sprintf(message, args...), Hint: hint})
	}
}

// report adds a finding about a reference: rest goes on after the place, the verb and the reference.
func (f *finder) report(code Code, l *Look, r ref, hint, rest string, args ...any) {
	f.add(code, hint, "%s %s %s"+rest, append([]any{at(l, r.place), verbs[r.how], inspect.Quoted(r.to)}, args...)...)
}

// mostTold returns how many findings of a kind are reported one by one.
func mostTold(code Code) int {
	if code == AbsolutePath { // each says the same
		return 1
	}
	return mostOf
}

// list returns the findings in the order of their codes; the last of a kind says how many more there are.
func (f *finder) list() []Finding {
	order := Codes()
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return slices.Index(order, a.Code) - slices.Index(order, b.Code)
	})
	for i := range f.found {
		code := f.found[i].Code
		if more := f.counts[code] - mostTold(code); more > 0 && (i+1 == len(f.found) || f.found[i+1].Code != code) {
			f.found[i].Message += fmt.Sprintf(" And %d more of this kind.", more)
		}
	}
	return f.found
}

// refuses says how browsers treat a script, and JSON, that does not parse.
var refuses = map[bool]string{false: "run nothing of that script", true: "read nothing of it as JSON"}

// at formats a place of a file.
func at(l *Look, p place) string {
	if p.line == 0 {
		return shown(l.name)
	}
	return fmt.Sprintf("%s:%d:%d", shown(l.name), p.line, p.col)
}

// shown returns a name for a message: unquoted, if it cannot be mistaken for something else.
func shown(name string) string {
	quoted := inspect.Quoted(name)
	if quoted[1:len(quoted)-1] != name || strings.ContainsAny(name, " '") {
		return quoted
	}
	return name
}

// look judges the Look of one file.
func (f *finder) look(l *Look) {
	if l.cut != "" {
		f.add(CutOff, "Send the whole file again with update; sha256 or size beside it prove that it arrived as it is.",
			"%s ends %s: it was probably cut off.", at(l, l.cutAt), l.cut)
	}
	if l.elided.line > 0 {
		f.add(Elided, "Write out what the comment stands for, and send the whole file with update.",
			"%s has a comment in the place of code that was left out.", at(l, l.elided))
	}
	for _, fault := range f.relevant(l) {
		f.add(DoesNotParse,
			"Correct that place, and send the whole file again with update. Of a script of its own, node --check says the same.",
			"%s does not parse (%s): browsers %s.", at(l, fault.place), inspect.Quoted(fault.says), refuses[l.kind == data])
	}
	for _, r := range l.refs {
		f.ref(l, r)
	}
	f.listed(l)
	f.asScript(l)
	if l.off.line > 0 {
		f.add(FeatureOff, "Do without it, or offer another way: keys, pointers, gamepads, sound and full screen work.",
			"%s asks for %s, which browsers give no project at its address.", at(l, l.off), l.offWhat)
	}
	if l.facts&(shares|guards) == shares && !f.Place.Threads && !f.any(isolates) {
		f.add(NeedsThreads, threadsHint(f.Place.Project),
			"%s needs memory that threads share (SharedArrayBuffer), "+
				"and browsers allow that only where the project's switch threads is on.", at(l, l.threads))
	}
}

// threadsHint says how to turn the switch on.
func threadsHint(project string) string {
	of := cmp.Or(project, "the project")
	return "Switch threads on for " + of + ": set threads to true in its settings, or on its page when logged in. " +
		"What it loads from other hosts must then allow that."
}

// any reports whether a fact was found in any file.
func (f *finder) any(want fact) bool {
	return slices.ContainsFunc(f.Looks, func(l *Look) bool { return l.facts&want != 0 })
}

// ref judges one reference.
func (f *finder) ref(l *Look, r ref) {
	t := read(r.to)
	_, host := l.baseOf()
	switch {
	case !t.ok, r.how == defines:
	case t.host != "" || t.scheme != "":
		if r.how != opens && (r.how < asks || !ofLibrary(l.name)) {
			f.elsewhere(l, r, t)
		}
	case host != "":
		if r.how != opens {
			f.elsewhere(l, r, read(l.base))
		}
	case r.how == fetches && l.facts&elsewhere != 0:
	case r.how == imports && isBare(t.path):
		f.bare(l, r)
	default:
		f.local(l, r, t)
	}
}

// isBare reports whether an import names a package instead of a file.
func isBare(to string) bool {
	return !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "./") && !strings.HasPrefix(to, "../") && to != "." && to != ".."
}

// bare judges an import by name: a page's import map must define it.
func (f *finder) bare(l *Look, r ref) {
	if !f.All && l.kind != page || strings.HasPrefix(r.to, "#") {
		return
	}
	if !f.first("import "+r.to) || f.mapped(r.to) {
		return
	}
	f.report(BareImport, l, r, fmt.Sprintf("Import a file of the project (\"./%s.js\") or a full address, or say in a "+
		"<script type=\"importmap\"> of the page what %s is, or send what a bundler made.",
		strings.TrimSuffix(r.to, ".js"), inspect.Quoted(r.to)),
		" by name alone, and no import map says where that is: browsers fail on it.")
}

// mapped reports whether an import map defines a name, and judges the address behind it. Its cost grows with the name
// alone.
func (f *finder) mapped(name string) bool {
	if f.maps == nil {
		f.maps = map[string]mapped{}
		for _, l := range f.Looks {
			for _, m := range l.maps {
				f.maps[m.name], f.longestMap = m, max(f.longestMap, len(m.name))
			}
		}
	}
	for i := min(len(name), f.longestMap); i > 0; i-- {
		if i < len(name) && name[i-1] != '/' {
			continue
		}
		if m, ok := f.maps[name[:i]]; ok {
			if len(m.to) > 0 && len(m.to) <= longestRef && !unreadable([]byte(m.to+name[i:])) {
				m.to += name[i:]
				f.ref(m.page, m.ref)
			}
			return true
		}
	}
	_, unknown := f.maps[""]
	return unknown
}

// first reports whether something is judged for the first time.
func (f *finder) first(what string) bool {
	if f.asked == nil {
		f.asked = map[string]bool{}
	}
	seen := f.asked[what]
	f.asked[what] = true
	return !seen
}
