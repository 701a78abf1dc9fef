package web

import (
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/check"
)

// A note is a warning in words for people: what it is about and what helps, in the visitor's language; and what the service says of it, in
// English, where that names files.
type note struct{ Words, Detail string }

// notes are the warnings that somebody who has files in a browser can do something about. What is said of the way a call was written is left out.
func (v *visit) notes(list []sandlot.Warning) (out []note) {
	for _, w := range list {
		if words := v.noteWords(w.Code); words != "" {
			out = append(out, note{words, w.Message})
		}
	}
	return out
}

// noteWords says what a warning of that code means; "" where it is nothing to people.
func (v *visit) noteWords(code string) string {
	switch check.Code(code) {
	case check.CutOff:
		return v.T("new.note.cut-off")
	case check.DoesNotParse:
		return v.T("new.note.does-not-parse")
	case check.Elided:
		return v.T("new.note.elided")
	case check.MissingFile:
		return v.T("new.note.missing-file")
	case check.WrongCase:
		return v.T("new.note.wrong-case")
	case check.NotBuilt:
		return v.T("new.note.not-built")
	case check.BareImport:
		return v.T("new.note.bare-import")
	case check.AbsolutePath:
		return v.T("new.note.absolute-path")
	case check.LocalAddress:
		return v.T("new.note.local-address")
	case check.MixedContent:
		return v.T("new.note.mixed-content")
	case check.OtherHosts:
		return v.T("new.note.other-hosts")
	case check.FeatureOff:
		return v.T("new.note.feature-off")
	case check.NeedsThreads:
		return v.T("new.note.needs-threads")
	case check.SoundTooEarly:
		return v.T("new.note.sound")
	case check.NoViewport:
		return v.T("new.note.no-viewport")
	case check.NoTitle:
		return v.T("new.note.no-title")
	case check.NoTouch:
		return v.T("new.note.no-touch")
	case check.SlowOnPhones:
		return v.T("new.note.slow")
	case check.Code(sandlot.CodeLooksDamaged), "double_escaped":
		return v.T("new.note.damaged")
	case "not_html":
		return v.T("new.note.not-html")
	case "left_out":
		return v.T("new.note.left-out")
	case "gzip_stored":
		return v.T("new.note.gzip")
	case "title_cut", "title_cleaned":
		return v.T("new.note.title")
	}
	return ""
}

// refusedWords says what a refusal means; "" where it is a fault or a page of its own.
func (v *visit) refusedWords(e *sandlot.Error) string {
	switch e.Code {
	case sandlot.CodeMissingField:
		return v.T("new.wrong.nothing")
	case sandlot.CodeEmailRequired, sandlot.CodeInvalidEmail:
		return v.T("new.wrong.email")
	case sandlot.CodeInvalidField:
		return v.wrongField(e)
	case sandlot.CodeContentTooLarge:
		file, all := v.Publisher.Largest()
		return v.T("new.wrong.large", "file", view{visit: v}.Size(file), "all", view{visit: v}.Size(all))
	case sandlot.CodeNoPrimaryFile:
		return v.T("new.wrong.no-page")
	case sandlot.CodeInvalidArchive:
		return v.T("new.wrong.zip")
	case sandlot.CodeInvalidFilename:
		return v.T("new.wrong.name")
	case sandlot.CodeFilenameConflict:
		return v.T("new.wrong.conflict")
	case sandlot.CodeDoubleEncoded:
		return v.T("new.wrong.encoded")
	case sandlot.CodeKeyInContent, sandlot.CodeKeyNotInHeader:
		return v.T("new.wrong.key")
	case sandlot.CodeQuotaExceeded:
		return v.T("new.wrong.quota")
	case sandlot.CodeRateLimited:
		return v.T("new.wrong.too-many", "n", minutes(e.RetryAfter))
	case sandlot.CodePublishClosed:
		return v.T("new.wrong.closed")
	case sandlot.CodeAccountSuspended:
		return v.T("new.wrong.suspended")
	case sandlot.CodeIdempotencyMismatch:
		return v.T("new.wrong.used")
	case sandlot.CodeRequestInProgress:
		return v.T("new.wrong.in-progress")
	case sandlot.CodeReplayedElsewhere:
		return v.T("new.wrong.elsewhere")
	case sandlot.CodeKeyRequired:
		return v.T("new.wrong.login")
	case sandlot.CodeInvalidJSON, sandlot.CodeUnsupportedMediaType:
		return v.T("own.broken") // it broke off, or is no form of ours
	}
	return ""
}

func (v *visit) wrongField(e *sandlot.Error) string {
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

// tellsNames reports whether the service's own sentence about a refusal names the file that it is about.
func tellsNames(code sandlot.Code) bool {
	switch code {
	case sandlot.CodeInvalidArchive, sandlot.CodeInvalidFilename, sandlot.CodeFilenameConflict, sandlot.CodeDoubleEncoded, sandlot.CodeKeyInContent, sandlot.CodeQuotaExceeded:
		return true
	}
	return false
}

// minutes are the whole ones that a wait takes.
func minutes(d time.Duration) int { return max(1, int((d+time.Minute-1)/time.Minute)) }
