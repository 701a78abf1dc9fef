package mail

import (
	"context"
	"fmt"

	gomail "github.com/wneessen/go-mail"

	"sandlot/internal/domain/account"
)

// trial is the text of a message by which an operator tries the mail server.
const trial = "This message was sent by sandlot doctor, to show that the mail of this instance arrives.\n"

// SendTrial delivers a short message to an address that the operator names, under the promises of Send.
func (s *SMTP) SendTrial(ctx context.Context, to string) error {
	if err := checkAddress(to); err != nil {
		return fmt.Errorf("%w: %w", account.ErrRefused, err)
	}
	msg := s.writer.envelope(to, "Mail of Sandlot arrives")
	msg.SetBodyString(gomail.TypeTextPlain, trial)
	return s.deliver(ctx, msg)
}
