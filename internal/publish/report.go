package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sandlot/internal/names"
)

// Report is what somebody has to say against a project.
type Report struct {
	Case    string // its number, such as R-7K3M-9Q2D
	Project ProjectID
	Reason  string // one of Reasons
	Details string // of at most MaxDetails characters
	Contact string // where an answer reaches who wrote it, if they want one
	At      time.Time
	// ClosedAt is when the operator was done with it, zero while it is open. ReportKept later Details and Contact are empty.
	ClosedAt time.Time
}

// ReportKept is how long what somebody wrote in a report is kept after it was closed: long enough for an objection to what became of it.
const ReportKept = 90 * 24 * time.Hour

// MaxDetails is how many characters the details of a report have: two pages, more
// than anybody reads at once.
const MaxDetails = 4000

// Limits of a report that nobody sees.
const (
	caseDraws     = 5                                  // of 10^12 numbers five are not taken in a row
	caseAlphabet  = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base32: nothing in it is taken for something else
	reportMail    = "report"
	reportsMailed = 100 // messages a day: more reports than that are read as a list
	reportsByOne  = 20  // of them by one network
)

// Reasons are what a report can be about.
func Reasons() []string {
	return []string{"illegal", "deceptive", "malware", "copyright", "harassment", "other"}
}

// A ReportStore keeps reports, under the same promises as a Store. They stay, but for
// what somebody wrote in them: see ReportKept.
type ReportStore interface {
	// AddReport records a report that came by a form, and enqueues the job, if there is one. It returns the number of the case: that of the report which came by the same form before, if one did, and then nothing is recorded. A number that another report has is ErrExists.
	AddReport(ctx context.Context, r Report, form Digest, job *Job) (number string, err error)
	// ReportOfJob returns the report whose message a job sends.
	ReportOfJob(ctx context.Context, job int64) (Report, error)
}

// NewReport is a report as somebody sends it.
type NewReport struct {
	Project                  ProjectID
	Reason, Details, Contact string
	Nonce                    string // of the form: the same form with the same words sent twice is one report
	Lang                     string // of the form, and so of the message about it
	From                     Sender
}

// Reportable returns a project that can be reported, also one that is suspended,
// and what tells the form for it from another. What is no project is ErrNotFound.
func (s *Service) Reportable(ctx context.Context, id ProjectID) (p Project, nonce string, err error) {
	if !names.ValidProjectID(string(id)) {
		return Project{}, "", ErrNotFound
	}
	if p, err = s.store.Project(ctx, id); err != nil {
		return Project{}, "", err
	}
	nonce, err = s.vault.FormToken()
	return p, nonce, err
}

// Report records a report, has the operator told if an address for that is
// configured, and returns the number of the case. Fields that cannot be are
// CodeInvalidField, or CodeInvalidEmail.
func (s *Service) Report(ctx context.Context, in NewReport) (number string, err error) {
	p, _, err := s.Reportable(ctx, in.Project)
	if err != nil {
		return "", err
	}
	r := Report{Project: p.ID, Reason: in.Reason, At: s.now().UTC()}
	if !slices.Contains(Reasons(), in.Reason) {
		return "", Refuse(CodeInvalidField, "The reason is none of the list.").In("reason")
	}
	if in.Nonce == "" || len(in.Nonce) > MaxFormToken {
		return "", Refuse(CodeInvalidField, "The form is not one of ours.").In("nonce")
	}
	if r.Details, err = cleanDetails(in.Details); err != nil {
		return "", err
	}
	if r.Contact, err = CleanEmail(strings.TrimSpace(in.Contact)); err != nil {
		return "", err
	}
	return s.addReport(ctx, r, in, s.keyed("report", fmt.Sprintf("%s %s %q", p.ID, in.Nonce, []string{r.Reason, r.Details, r.Contact})))
}

func (s *Service) addReport(ctx context.Context, r Report, in NewReport, form Digest) (number string, err error) {
	var job *Job
	if s.ReportMail != "" {
		job = &Job{Kind: reportMail, Address: s.ReportMail, Lang: in.Lang, Due: r.At, Asker: s.vault.Asker(Caller{From: in.From})}
	}
	for range caseDraws {
		drawn, err := randomText(s.random, caseAlphabet, 8)
		if err != nil {
			return "", fmt.Errorf("draw case: %w", err)
		}
		r.Case = "R-" + drawn[:4] + "-" + drawn[4:]
		if number, err = s.site.AddReport(ctx, r, form, job); !errors.Is(err, ErrExists) {
			return number, err
		}
	}
	return "", fmt.Errorf("draw case: %d are taken", caseDraws)
}

// cleanDetails frees a text of what could steer the terminal of whoever reads it.
func cleanDetails(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxDetails {
		return "", Refuse(CodeInvalidField, "The details are longer than %d characters, or not UTF-8.", MaxDetails).In("details")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text), nil
}

// writeReport writes the message that tells an operator of a report. What it says
// stays where it is: who reads the mail of an operator need not learn who wrote it.
func (c *Courier) writeReport(ctx context.Context, j Job) (Mail, error) {
	r, err := c.Reports.ReportOfJob(ctx, j.ID)
	if err != nil {
		return Mail{}, err
	}
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: r.Case, Link: c.Places.Base.String() + "/p/" + string(r.Project)}, nil
}
