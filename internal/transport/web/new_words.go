package web

import (
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/check"
)

// A note is a warning in words for people: its subject and a remedy, in the visitor's language; and the service's
// message in English, if that names files.
type note struct{ Words, Detail string }

// notes returns the warnings that somebody with files in a browser can act on. Warnings about the form of a call are
// left out.
func notes(v *visit, list []sandlot.Warning) (out []note) {
	for _, w := range list {
		if text, ok := noteTexts[check.Code(w.Code)]; ok {
			out = append(out, note{v.T(text), w.Message})
		}
	}
	return out
}

// noteTexts maps the warnings that make sense to people to their texts.
var noteTexts = map[check.Code]string{
	check.CutOff: "new.note.cut-off", check.DoesNotParse: "new.note.does-not-parse", check.Elided: "new.note.elided",
	check.MissingFile: "new.note.missing-file", check.WrongCase: "new.note.wrong-case",
	check.NotBuilt: "new.note.not-built", check.BareImport: "new.note.bare-import",
	check.AbsolutePath: "new.note.absolute-path", check.LocalAddress: "new.note.local-address",
	check.MixedContent: "new.note.mixed-content", check.OtherHosts: "new.note.other-hosts",
	check.FeatureOff: "new.note.feature-off", check.NeedsThreads: "new.note.needs-threads",
	check.SoundTooEarly: "new.note.sound", check.NoViewport: "new.note.no-viewport",
	check.NoTitle: "new.note.no-title", check.NoTouch: "new.note.no-touch", check.SlowOnPhones: "new.note.slow",
	check.Code(sandlot.CodeLooksDamaged): "new.note.damaged", "double_escaped": "new.note.damaged",
	"not_html": "new.note.not-html", "left_out": "new.note.left-out", "gzip_stored": "new.note.gzip",
	"title_cut": "new.note.title", "title_cleaned": "new.note.title",
}

// refusalTexts maps the refusals without arguments to their texts. own.broken: the body broke off, or is no form of ours.
var refusalTexts = map[sandlot.Code]string{
	sandlot.CodeMissingField: "new.wrong.nothing", sandlot.CodeEmailRequired: "new.wrong.email",
	sandlot.CodeInvalidEmail: "new.wrong.email", sandlot.CodeNoPrimaryFile: "new.wrong.no-page",
	sandlot.CodeInvalidArchive: "new.wrong.zip", sandlot.CodeInvalidFilename: "new.wrong.name",
	sandlot.CodeFilenameConflict: "new.wrong.conflict", sandlot.CodeDoubleEncoded: "new.wrong.encoded",
	sandlot.CodeKeyInContent: "new.wrong.key", sandlot.CodeKeyNotInHeader: "new.wrong.key",
	sandlot.CodeQuotaExceeded: "new.wrong.quota", sandlot.CodePublishClosed: "new.wrong.closed",
	sandlot.CodeAccountSuspended: "new.wrong.suspended", sandlot.CodeIdempotencyMismatch: "new.wrong.used",
	sandlot.CodeRequestInProgress: "new.wrong.in-progress", sandlot.CodeReplayedElsewhere: "new.wrong.elsewhere",
	sandlot.CodeKeyRequired: "new.wrong.login", sandlot.CodeInvalidJSON: "own.broken",
	sandlot.CodeUnsupportedMediaType: "own.broken",
	sandlot.CodeBlocked:              "error.refused.text", sandlot.CodeTakenDown: "error.taken-down.text",
}

// A refusal is a text of the page of a ticket. Over: the ticket makes no call any more; Names: the service's own message
// names the file in question.
type refusal struct {
	Code        sandlot.Code
	Words       string
	Over, Names bool
}

// sendTexts maps the refusals of a ticket to their texts where those of a form do not fit.
var sendTexts = map[sandlot.Code]string{
	sandlot.CodeInvalidKey: "send.over", sandlot.CodeKeyRequired: "send.over", sandlot.CodeTicketUsed: "send.used",
	sandlot.CodeVersionConflict: "send.moved", sandlot.CodeDigestMismatch: "send.other", sandlot.CodeTakenDown: "error.taken-down.text",
	sandlot.CodeUnavailable: "error.later.text", sandlot.CodeStorageFull: "error.full.text",
	sandlot.CodeRateLimited: "error.too-many.text", sandlot.CodeProjectNotFound: "error.missing.text",
}

// endsTicket lists the refusals after which no other file helps. It never changes.
var endsTicket = []sandlot.Code{
	sandlot.CodeInvalidKey, sandlot.CodeKeyRequired, sandlot.CodeTicketUsed, sandlot.CodeVersionConflict, sandlot.CodeTakenDown,
	sandlot.CodeProjectNotFound,
}

// sendRefusals returns the texts of refusals for the script of the page of a ticket.
func (p beginnings) sendRefusals(v *visit) (list []refusal) {
	texts := maps.Clone(refusalTexts)
	maps.Copy(texts, sendTexts)
	for _, code := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, refusal{code, v.T(texts[code]), slices.Contains(endsTicket, code), tellsNames(code)})
	}
	large := v.T("new.wrong.large", "file", v.Size(p.intake.MaxContent), "all", v.Size(p.intake.MaxFile))
	return append(list, refusal{Code: sandlot.CodeContentTooLarge, Words: large})
}

// refusedWords returns the text for a refusal; "" if it is a fault or has a page of its own.
func (p beginnings) refusedWords(v *visit, e *sandlot.Error) string {
	switch e.Code {
	case sandlot.CodeInvalidField:
		return wrongField(v, e)
	case sandlot.CodeContentTooLarge:
		file, all := p.intake.MaxContent, p.intake.MaxFile
		return v.T("new.wrong.large", "file", v.Size(file), "all", v.Size(all))
	case sandlot.CodeRateLimited:
		return v.T("new.wrong.too-many", "n", minutes(e.RetryAfter))
	}
	if text, ok := refusalTexts[e.Code]; ok {
		return v.T(text)
	}
	return ""
}

func wrongField(v *visit, e *sandlot.Error) string {
	switch e.Field {
	case "description":
		return v.T("own.description-long", "n", publish.MaxDescription)
	case "tags":
		return v.T("own.tags-wrong")
	case "primary_file":
		return v.T("new.wrong.no-page")
	}
	return v.T("own.broken")
}

// tellsNames reports whether the service's own message about a refusal names the file in question.
func tellsNames(code sandlot.Code) bool {
	switch code {
	case sandlot.CodeInvalidArchive, sandlot.CodeInvalidFilename, sandlot.CodeFilenameConflict, sandlot.CodeDoubleEncoded,
		sandlot.CodeKeyInContent, sandlot.CodeQuotaExceeded:
		return true
	}
	return false
}

// minutes returns a wait in whole minutes, rounded up.
func minutes(d time.Duration) int { return max(1, int((d+time.Minute-1)/time.Minute)) }
