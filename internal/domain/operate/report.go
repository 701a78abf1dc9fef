package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandlot"
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
	p, _, err := s.Reportable(ctx, by, in.Project)
	if err != nil {
		return "", err
	}
	r := Report{Project: p.ID, Reason: in.Reason, At: s.now().UTC()}
	if !slices.Contains(Reasons(), in.Reason) {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The reason is none of the list.").In("reason")
	}
	if in.FormToken == "" || len(in.FormToken) > sandlot.MaxFormToken {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The form is not one of ours.").In("form_token")
	}
	if r.Details, err = cleanDetails(in.Details); err != nil {
		return "", err
	}
	if r.Contact, err = sandlot.CleanEmail(strings.TrimSpace(in.Contact)); err != nil {
		return "", err
	}
	// The digest finds a repeat of the same form with the same words.
	words := fmt.Sprintf("%s %s %q", p.ID, in.FormToken, []string{r.Reason, r.Details, r.Contact})
	form := s.vault.Keyed("report", words)
	var job *sandlot.Job
	if s.reportMail != "" {
		asker := s.vault.Asker(sandlot.Caller{From: by.From})
		job = &sandlot.Job{Kind: sandlot.MailReport, Address: s.reportMail, Lang: in.Lang, Due: r.At, Asker: asker}
	}
	for range caseDraws {
		drawn, err := s.vault.Text(caseAlphabet, 8)
		if err != nil {
			return "", fmt.Errorf("draw case: %w", err)
		}
		r.Case = "R-" + drawn[:4] + "-" + drawn[4:]
		if number, err = s.store.AddReport(ctx, r, form, job); !errors.Is(err, sandlot.ErrExists) {
			return number, err
		}
	}
	return "", fmt.Errorf("draw case: %d are taken", caseDraws)
}

// cleanDetails removes characters that could control the terminal of a reader.
func cleanDetails(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxDetails {
		text := "The details are longer than %d characters, or not UTF-8."
		return "", sandlot.Refuse(sandlot.CodeInvalidField, text, MaxDetails).In("details")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text), nil
}
