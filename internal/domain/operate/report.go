package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// MaxDetails is the most characters of the details of a report: two pages.
const MaxDetails = 4000

// Constants of the number of a report.
const (
	caseDraws    = 5                                  // of 10^12 numbers five are not taken in a row
	caseAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base32: no character in it looks like another
)

// Reasons returns the possible reasons of a report.
func Reasons() []string {
	return []string{"illegal", "deceptive", "malware", "copyright", "harassment", "other"}
}

// NewReport is a report as somebody sends it.
type NewReport struct {
	Project                  sandlot.ProjectID
	Reason, Details, Contact string // see Report
	FormToken                string // of the form: the same form with the same words is one report, however often it is sent
	Lang                     string // of the form, as BCP 47; the message to the operator is in it
}

// A source is the way of a report and its sender, as far as they are compared.
type source struct {
	via     Via
	network string
}

// Reportable returns a project that can be reported, which may be suspended, and the token of a form to report it with.
// Anything else is sandlot.ErrNotFound, with a token all the same. Anybody may call it.
func (s *Service) Reportable(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (p sandlot.Project, token string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, "", err
	}
	if token, err = s.vault.FormToken(); err != nil {
		return sandlot.Project{}, "", err
	}
	if !names.ValidProjectID(string(id)) {
		return sandlot.Project{}, token, sandlot.ErrNotFound
	}
	p, err = s.store.Project(ctx, id)
	return p, token, err
}

// Report records a report and returns its number. The operator gets a message if there is an
// address for that. The same form with the same words returns the number of the first report.
// Invalid fields are sandlot.CodeInvalidField or sandlot.CodeInvalidEmail. Anybody may call it.
func (s *Service) Report(ctx context.Context, by sandlot.Caller, in NewReport) (number string, err error) {
	if in.FormToken == "" || len(in.FormToken) > sandlot.MaxFormToken {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The form is not one of ours.").In("form_token")
	}
	return s.file(ctx, by, in, source{ViaForm, networkOf(by.From)})
}

// file records a report of a source.
func (s *Service) file(ctx context.Context, by sandlot.Caller, in NewReport, from source) (number string, err error) {
	p, _, err := s.Reportable(ctx, by, in.Project)
	if err != nil {
		return "", err
	}
	r := Report{Project: p.ID, Reason: in.Reason, Via: from.via, At: s.now().UTC()}
	r.Network = s.vault.Keyed("report network "+string(p.ID), from.network)
	if !slices.Contains(Reasons(), in.Reason) {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The reason is none of %s.", strings.Join(Reasons(), ", ")).In("reason").
			With(sandlot.OpSame, sandlot.Set("reason", "other"))
	}
	if r.Details, err = CleanText("details", in.Details, MaxDetails); err != nil {
		return "", err
	}
	if r.Contact, err = sandlot.CleanEmail(strings.TrimSpace(in.Contact)); err != nil {
		return "", err
	}
	// The digest finds a repeat of the same form with the same words.
	words := fmt.Sprintf("%s %s %q", p.ID, in.FormToken, []string{r.Reason, r.Details, r.Contact})
	f := Filing{Form: s.vault.Keyed("report", words), Mail: s.toOperator(sandlot.MailReport, in.Lang, by.From, r.At)}
	if s.autoHold && slices.Contains(dangerous(), r.Reason) {
		f.Hold = s.holdRule(in.Lang, by.From, r)
	}
	for range caseDraws {
		drawn, err := s.vault.Text(caseAlphabet, 8)
		if err != nil {
			return "", fmt.Errorf("draw case: %w", err)
		}
		r.Case = "R-" + drawn[:4] + "-" + drawn[4:]
		var filed Filed
		err = s.evenFull(func() (err error) {
			filed, err = s.store.AddReport(ctx, r, f)
			return err
		})
		if errors.Is(err, sandlot.ErrExists) {
			continue
		}
		s.meters.count(from.via, filed)
		return filed.Number, err
	}
	return "", fmt.Errorf("draw case: %d are taken", caseDraws)
}

// toOperator returns a message to the operator; nil if nobody gets any.
func (s *Service) toOperator(kind, lang string, from sandlot.Sender, at time.Time) *sandlot.Job {
	if s.reportMail == "" {
		return nil
	}
	return &sandlot.Job{Kind: kind, Address: s.reportMail, Lang: lang, Due: at, Asker: s.vault.Asker(sandlot.Caller{From: from})}
}

// CleanText returns a text without surrounding blanks, keys, and characters that control a terminal or turn the order of
// letters around. One that is longer than most characters, or not UTF-8, is sandlot.CodeInvalidField.
func CleanText(field, text string, most int) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > most {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The text is longer than %d characters, or not UTF-8.", most).In(field)
	}
	return inspect.Redact(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)), nil
}
