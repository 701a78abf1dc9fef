package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegression02AnAnswerGivenAgainCostsWhatIsRead: the last part of an upload may be some bytes, and to warn again that a
// file is base64 takes reading all of it.
func TestRegression02AnAnswerGivenAgainCostsWhatIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	w.publish(by, page) // what an update without a project changes
	text := strings.Repeat("QUFB", 50_000)
	over := errors.New("over the limit")
	for _, key := range []string{"", "again"} {
		once := func(in publish.PartInput) string { return strings.Repeat(in.UploadID, len(key)/len("again")) }
		calls := map[string]func(publish.PartInput, string) error{
			"publish": func(in publish.PartInput, content string) error {
				_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(content), Part: &in, Idempotency: once(in)})
				return err
			},
			"update": func(in publish.PartInput, content string) error {
				_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Filename: "a.js", Content: w.stage(content), Part: &in, Idempotency: once(in)})
				return err
			},
		}
		for name, call := range calls {
			t.Run(fmt.Sprintf("%s, Idempotency-Key %q", name, key), func(t *testing.T) {
				last := func(charge sandlot.Charge) error {
					n, total := 2, 2
					return call(publish.PartInput{UploadID: name + key, N: &n, Total: &total, Charge: charge}, "QUFB")
				}
				first := 1
				expect.OK(t, call(publish.PartInput{UploadID: name + key, N: &first}, text))
				for range 2 {
					cost := 0
					if err := last(func(n int) error { cost += n; return nil }); err != nil || cost < len(text) {
						t.Errorf("it cost %d bytes: %v", cost, err)
					}
				}
				expect.Is(t, "over the limit", last(func(int) error { return over }), over)
			})
		}
	}
}
