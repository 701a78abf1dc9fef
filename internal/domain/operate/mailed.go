package operate

import (
	"context"
	"errors"
	"strings"
	"time"

	"sandlot"
)

// MostOfMail is the most projects that one message reports.
const MostOfMail = 50

// mostLookups is the most possible projects of one message that are looked up.
const mostLookups = 10 * MostOfMail

// answerWait is the time between two answers to one address, so that no loop of answers gets fast.
const answerWait = time.Hour

// Message is a report as it came by mail.
type Message struct {
	From      string // the address of its sender; empty if there is none
	Automatic bool   // whether a program sent it: it gets no answer
	Text      string // subject and words
	// Reason is one of Reasons, and the projects are those that its words may name, each once.
	Reason   string
	Projects []sandlot.ProjectID
}

// Mailed records the reports that come by mail. Its methods may be called concurrently.
type Mailed struct {
	Store   ReporterStore
	Filing  *Service
	Answers bool   // whether senders get an answer
	Own     string // the sender of the service's messages, which are no reports
}

// Take records a report for each project of a message that exists, at most MostOfMail, and returns their numbers. The
// same words of one sender on one day, by UTC, are one report. Its sender gets one message with the numbers, unless it
// got another within an hour. All mail counts as one network. A message of the service itself records nothing. Anybody
// may call it.
func (s *Mailed) Take(ctx context.Context, by sandlot.Caller, m Message) (numbers []string, err error) {
	from, err := sandlot.CleanEmail(m.From)
	if err != nil {
		from = ""
	}
	if from != "" && strings.EqualFold(from, s.Own) { // a message about a report would report the project again
		return nil, nil
	}
	in := NewReport{Reason: m.Reason, Details: cutDetails(m.Text), Contact: from, FormToken: "mail " + s.Filing.today()}
	for n, id := range m.Projects {
		if len(numbers) == MostOfMail || n == mostLookups {
			break
		}
		in.Project = id
		number, err := s.Filing.file(ctx, by, in, source{ViaMail, "mail"})
		switch {
		case errors.Is(err, sandlot.ErrNotFound):
		case err != nil:
			return numbers, err
		default:
			numbers = append(numbers, number)
		}
	}
	return numbers, s.answer(ctx, m, from, numbers)
}

// answer enqueues the message to the sender. Two programs that answer each other would never end.
func (s *Mailed) answer(ctx context.Context, m Message, to string, numbers []string) error {
	if !s.Answers || m.Automatic || to == "" {
		return nil
	}
	j := sandlot.Job{Kind: sandlot.MailReceived, Address: to, Due: s.Filing.now().UTC()}
	err := s.Filing.evenFull(func() error { return s.Store.AnswerReports(ctx, numbers, j, answerWait) })
	if errors.Is(err, sandlot.ErrTooOften) {
		return nil
	}
	return err
}

// cutDetails cuts a text to the bounds of the details of a report.
func cutDetails(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD"))
	if r := []rune(text); len(r) > MaxDetails {
		text = string(r[:MaxDetails-1]) + "…"
	}
	return text
}
