package web

import (
	"time"

	"sandlot/internal/check"
	"sandlot/internal/publish"
)

// A note is a warning in words for people: what it is about and what helps, in the visitor's language; and what the service says of it, in
// English, where that names files.
type note struct{ Words, Detail string }

// notes are the warnings that somebody who has files in a browser can do something about. What is said of the way a call was written is left out.
func (v *visit) notes(list []publish.Warning) (out []note) {
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
	case check.Code(publish.CodeLooksDamaged), "double_escaped":
		return v.T("new.note.damaged")
	case "not_html":
		return v.T("new.note.not-html")
	case "left_out":
		return v.T("new.note.left-out")
	case "looks_published":
		return v.T("new.note.published-before")
	case "gzip_stored":
		return v.T("new.note.gzip")
	case "title_cut", "title_cleaned":
		return v.T("new.note.title")
	}
	return ""
}

// refusedWords says what a refusal means; "" where it is a fault or a page of its own.
func (v *visit) refusedWords(e *publish.Error) string {
	switch e.Code {
	case publish.CodeMissingField:
		return v.T("new.wrong.nothing")
	case publish.CodeEmailRequired, publish.CodeInvalidEmail:
		return v.T("new.wrong.email")
	case publish.CodeInvalidField:
		return v.wrongField(e)
	case publish.CodeContentTooLarge:
		file, all := v.Publisher.Largest()
		return v.T("new.wrong.large", "file", view{visit: v}.Size(file), "all", view{visit: v}.Size(all))
	case publish.CodeNoPrimaryFile:
		return v.T("new.wrong.no-page")
	case publish.CodeInvalidArchive:
		return v.T("new.wrong.zip")
	case publish.CodeInvalidFilename:
		return v.T("new.wrong.name")
	case publish.CodeFilenameConflict:
		return v.T("new.wrong.conflict")
	case publish.CodeDoubleEncoded:
		return v.T("new.wrong.encoded")
	case publish.CodeKeyInContent, publish.CodeKeyNotInHeader:
		return v.T("new.wrong.key")
	case publish.CodeQuotaExceeded:
		return v.T("new.wrong.quota")
	case publish.CodeRateLimited:
		return v.T("new.wrong.too-many", "n", minutes(e.RetryAfter))
	case publish.CodePublishClosed:
		return v.T("new.wrong.closed")
	case publish.CodeAccountSuspended:
		return v.T("new.wrong.suspended")
	case publish.CodeIdempotencyMismatch:
		return v.T("new.wrong.used")
	case publish.CodeRequestInProgress:
		return v.T("new.wrong.in-progress")
	case publish.CodeReplayedElsewhere:
		return v.T("new.wrong.elsewhere")
	case publish.CodeKeyRequired:
		return v.T("new.wrong.login")
	case publish.CodeInvalidJSON, publish.CodeUnsupportedMediaType:
		return v.T("own.broken") // it broke off, or is no form of ours
	}
	return ""
}

func (v *visit) wrongField(e *publish.Error) string {
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
func tellsNames(code publish.Code) bool {
	switch code {
	case publish.CodeInvalidArchive, publish.CodeInvalidFilename, publish.CodeFilenameConflict, publish.CodeDoubleEncoded, publish.CodeKeyInContent, publish.CodeQuotaExceeded:
		return true
	}
	return false
}

// minutes are the whole ones that a wait takes.
func minutes(d time.Duration) int { return max(1, int((d+time.Minute-1)/time.Minute)) }
