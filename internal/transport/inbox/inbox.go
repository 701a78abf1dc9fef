// Package inbox takes reports of projects by mail: from a maildir, or by SMTP on this machine. A mail server passes on
// the messages to the address for abuse. The text may have the addresses of projects in any form in which people paste
// them.
package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// A Taker records the reports of a message. *operate.Mailed implements it.
type Taker interface {
	Take(ctx context.Context, by sandlot.Caller, m operate.Message) (numbers []string, err error)
}

// An Inbox takes messages. It may be used concurrently.
type Inbox struct {
	Taker  Taker
	Places sandlot.Places
	Log    *slog.Logger
}

// take records the reports of a message. automatic says that its return path is empty, as of programs. A message that
// cannot be read, and a bounce, are logged, and no error.
func (b *Inbox) take(ctx context.Context, raw []byte, automatic bool) error {
	l, err := readLetter(raw)
	if err != nil {
		b.Log.Warn("report by mail cannot be read", "bytes", len(raw), "error", err)
		return nil
	}
	if l.bounce {
		b.Log.Info("a bounce is no report", "bytes", len(raw))
		return nil
	}
	text := l.text.String()
	m := operate.Message{
		From: l.from, Automatic: l.automatic || automatic,
		Text: text, Reason: reasonOf(l.feedback, text), Projects: find(b.Places, text),
	}
	numbers, err := b.Taker.Take(ctx, sandlot.Caller{}, m)
	if err != nil {
		return fmt.Errorf("record reports by mail: %w", err)
	}
	b.Log.Info("report by mail", "projects", len(m.Projects), "cases", strings.Join(numbers, " "))
	if len(m.Projects) > operate.MostOfMail {
		b.Log.Warn("a report by mail names more projects than are recorded", "projects", len(m.Projects), "recorded", len(numbers))
	}
	return nil
}

// reasonWords map words of messages to reasons, the most certain first. They never change.
var reasonWords = []struct{ reason, words string }{
	{"deceptive", "phish fraud scam spoof credential betrug estafa hameçonnage golpe フィッシング 詐欺 钓鱼 诈骗"},
	{"malware", "malware virus trojan ransomware schadsoftware マルウェア 恶意软件"},
	{"copyright", "copyright dmca urheberrecht 著作権 版权"},
	{"harassment", "harass threat belästig acoso"},
	{"illegal", "illegal csam child terror"},
}

// reasonOf guesses the reason of a report: by its Feedback-Type, or the first word that gives it away.
func reasonOf(feedback, text string) string {
	text = strings.ToLower(feedback + "\n" + text)
	for _, r := range reasonWords {
		for word := range strings.FieldsSeq(r.words) {
			if strings.Contains(text, word) {
				return r.reason
			}
		}
	}
	return "other"
}
