package account

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// Limits of what a browser keeps of the mailboxes that it was logged in with.
const (
	knownMailboxes = 5  // a family's
	knownBytes     = 16 // of the random half of a word, and of the other
	knownSeparator = "."
)

// Remember returns what a browser keeps after a login with an address, beside what
// it has kept before: words that are random but for this installation, which can
// tell for an address whether one of them is of its mailbox. They give no access.
func (s *Service) Remember(_ context.Context, by publish.Caller, known, address string) (string, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return "", err
	}
	words := s.knownWords(known)
	for i, w := range words {
		if s.isOf(w, address) {
			return strings.Join(append(append([]string{w}, words[:i]...), words[i+1:]...), knownSeparator), nil
		}
	}
	word := make([]byte, knownBytes, 2*knownBytes)
	if _, err := io.ReadFull(s.random, word); err != nil {
		return "", fmt.Errorf("mint word of a browser: %w", err)
	}
	fresh := base64.RawURLEncoding.EncodeToString(append(word, s.markOf(word, address)...))
	return strings.Join(append([]string{fresh}, words[:min(len(words), knownMailboxes-1)]...), knownSeparator), nil
}

// loginAsker is who asks for a login, as messages are counted: a browser that was
// logged in with the mailbox before has a share that no stranger can use up. Whether
// an account has the address plays no part.
func (s *Service) loginAsker(by publish.Caller, known, email string) publish.Asker {
	a := s.vault.Asker(publish.Caller{From: by.From})
	if _, own, ok := by.Login(); ok && own.Email != "" && names.EmailKey(own.Email) == names.EmailKey(email) {
		a.Kind = publish.AskedKnown
	}
	for _, w := range s.knownWords(known) {
		if s.isOf(w, email) {
			a.Kind = publish.AskedKnown
		}
	}
	return a
}

// knownWords are the words that a browser keeps; what else it may send is none.
func (s *Service) knownWords(known string) (words []string) {
	for w := range strings.SplitSeq(known, knownSeparator) {
		if len(words) < knownMailboxes && len(w) == base64.RawURLEncoding.EncodedLen(2*knownBytes) {
			words = append(words, w)
		}
	}
	return words
}

func (s *Service) isOf(word, address string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(word)
	return err == nil && len(b) == 2*knownBytes && hmac.Equal(b[knownBytes:], s.markOf(b[:knownBytes], address))
}

func (s *Service) markOf(word []byte, address string) []byte {
	sum := s.vault.Keyed("known browser", string(word)+names.EmailKey(address))
	return sum[:knownBytes]
}
