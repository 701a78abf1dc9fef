package faults_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/testkit/expect"
)

func (w *world) says(v players.Visit, text string) error {
	return w.Runtime.Faults.Message(w.t.Context(), sandlot.Caller{}, v, text)
}

func (w *world) messages(limit int, cursor string) (list []string, next string) {
	w.t.Helper()
	found, next, err := w.Runtime.Faults.Messages(w.t.Context(), w.kim, string(w.project.ID), limit, cursor)
	expect.OK(w.t, err)
	for _, m := range found {
		list = append(list, m.Text)
	}
	return list, next
}

// as returns a visit of another player.
func as(v players.Visit, player string) players.Visit {
	v.Token = sandlot.DigestOf([]byte(player))
	return v
}

func TestMessagesComeInPages(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		expect.OK(t, w.says(w.visit(), fmt.Sprint("message ", i)))
	}
	first, next := w.messages(3, "")
	rest, end := w.messages(3, next)
	expect.Same(t, "all", append(first, rest...), []string{"message 4", "message 3", "message 2", "message 1", "message 0"})
	expect.Equal(t, "the end", end, "")
	for _, cursor := range []string{"x", "-1", "0"} {
		_, _, err := w.Runtime.Faults.Messages(t.Context(), w.kim, string(w.project.ID), 3, cursor)
		expect.Equal(t, "another cursor", errors.Is(err, sandlot.CodeInvalidField), true)
	}
}

func TestAMessageIsCleanedAndBounded(t *testing.T) {
	w := newWorld(t)
	for text, code := range map[string]sandlot.Code{
		"": sandlot.CodeMissingField, " \n\t\u202e": sandlot.CodeMissingField, strings.Repeat("é", 281): sandlot.CodeInvalidField,
		strings.Repeat("x", 10<<20): sandlot.CodeInvalidField,
	} {
		expect.Equal(t, fmt.Sprintf("%.20q", text), errors.Is(w.says(w.visit(), text), code), true)
	}
	nobody := w.visit()
	nobody.Token = sandlot.Digest{}
	expect.Equal(t, "without a player", errors.Is(w.says(nobody, "hello"), sandlot.CodePlayerRequired), true)
	expect.OK(t, w.says(w.visit(), strings.Repeat("é", 280)))
	expect.OK(t, w.says(w.visit(), " <b>Nice</b>\x1b[31m\u202e\n\ngame \xff👍 "))
	list, _ := w.messages(9, "")
	expect.Equal(t, "the stored text", list[0], "<b>Nice</b> [31m game ?👍")
	expect.Equal(t, "the longest", list[1], strings.Repeat("é", 280))
}

func TestAPlayerSendsFiveMessagesADay(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		expect.OK(t, w.says(w.visit(), "hello"))
	}
	err := w.says(w.visit(), "hello")
	expect.Equal(t, "the sixth", errors.Is(err, sandlot.CodeRateLimited), true)
	expect.Equal(t, "a retry after over an hour", sandlot.AsError(err).RetryAfter > time.Hour, true)
	expect.OK(t, w.says(as(w.visit(), "lee"), "hello"))
	w.Clock.Move(24 * time.Hour)
	expect.OK(t, w.says(w.visit(), "hello"))
}

func TestANetworkSendsTwentyMessagesToAProject(t *testing.T) {
	w := newWorld(t)
	w.Runtime.Faults.Limits = players.NewLimits(true, w.Clock.Now)
	for i := range 20 {
		expect.OK(t, w.says(as(w.visit(), fmt.Sprint(i)), "hello"))
	}
	expect.Equal(t, "one more", errors.Is(w.says(as(w.visit(), "other"), "hello"), sandlot.CodeRateLimited), true)
	second := w.visit()
	second.Project = w.PublishPage(w.kim, page).Project
	expect.OK(t, w.says(as(second, "other"), "hello"))
	w.Clock.Move(time.Hour)
	expect.OK(t, w.says(as(w.visit(), "other"), "hello"))
}

func TestADeletedMessageIsGone(t *testing.T) {
	w := newWorld(t)
	expect.OK(t, w.says(w.visit(), "hello"))
	found, _, err := w.Runtime.Faults.Messages(t.Context(), w.kim, string(w.project.ID), 1, "")
	expect.OK(t, err)
	expect.Equal(t, "version", found[0].Version, 1)
	for range 2 {
		expect.OK(t, w.Runtime.Faults.DeleteMessage(t.Context(), w.kim, string(w.project.ID), found[0].ID))
	}
	list, _ := w.messages(1, "")
	expect.Equal(t, "messages", len(list), 0)
}
