package sandlot

import (
	"fmt"
	"net/mail"
	"strings"

	"sandlot/internal/format/names"
)

// CleanLang normalizes a language code to BCP 47. It never fails: a code that cannot be normalized is dropped, with a
// warning.
func CleanLang(lang string) (string, []Warning) {
	if lang == "" {
		return "", nil
	}
	tag, changed, ok := names.Lang(lang)
	if !ok {
		return "", []Warning{Warn("lang_dropped", "The field lang is not a language code and was ignored.",
			`Send a BCP 47 code such as "en" or "pt-BR".`)}
	}
	if changed {
		return tag, []Warning{Warn("lang_changed", fmt.Sprintf("The field lang was normalized to %q.", tag), fmt.Sprintf("Send %q.", tag))}
	}
	return tag, nil
}

// CleanEmail normalizes an address. Anything but one plain address is CodeInvalidEmail, with the intended address if
// one can be found in it; an empty one stays empty. It queries no mail server.
func CleanEmail(email string) (string, error) {
	if email == "" {
		return "", nil
	}
	if strings.HasPrefix(email, "<") && strings.HasSuffix(email, ">") && !strings.Contains(email, "@") {
		return "", RefusePlaceholderEmail()
	}
	clean, err := names.Email(email)
	if err != nil {
		return "", Refuse(CodeInvalidEmail, "The field email is not one plain address. %s", err).In("email").
			With(OpSame, Set("email", plainAddress(email))).Note("Send one address such as name@example.com, without a name around it.")
	}
	return clean, nil
}

// RefusePlaceholderEmail returns the refusal of a placeholder for an address.
func RefusePlaceholderEmail() error {
	return Refuse(CodeInvalidEmail, "The field email holds the placeholder of an example, not somebody's address.").In("email").
		With(OpSame, Set("email", PlaceholderEmail)).Note("Ask the user for their address, and send that. " + WithoutEmail)
}

// WithoutEmail is the advice for a user who gives no address.
const WithoutEmail = "Without one, make an account with signup and publish with its api_key: never make an address up."

// plainAddress returns the address that has a name around it, or the placeholder of one.
func plainAddress(email string) string {
	if one, err := mail.ParseAddress(email); err == nil {
		if clean, err := names.Email(one.Address); err == nil {
			return clean
		}
	}
	return PlaceholderEmail
}
