package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
)

// Limits of the words that a browser keeps, one for each mailbox that it was logged in with.
const (
	knownMailboxes = 5   // a family's
	knownBytes     = 16  // of each half of a word: the first is random, the second a keyed hash of it and the mailbox
	knownSeparator = "." // between words
)

// Remember returns the words that a browser should keep after a login with an address. known is the value it has kept
// so far, and may be empty or anything at all. The result holds one word for each of the last five mailboxes. Only this
// installation can check, for a given address, whether one of the words belongs to its mailbox; to anybody else they
// are random. They give no access: with them messages that the browser requests count in a share that strangers cannot
// use up. Nothing is kept on the server.
func (s *Logins) Remember(_ context.Context, by sandlot.Caller, known, address string) (string, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", err
	}
	words := s.knownWords(known)
	for i, w := range words {
		if s.isOf(w, address) {
			return strings.Join(append(append([]string{w}, words[:i]...), words[i+1:]...), knownSeparator), nil
		}
	}
	word := make([]byte, knownBytes, 2*knownBytes)
	rand.Read(word)
	fresh := base64.RawURLEncoding.EncodeToString(append(word, s.markOf(word, address)...))
	return strings.Join(append([]string{fresh}, words[:min(len(words), knownMailboxes-1)]...), knownSeparator), nil
}

// loginAsker returns the sender under which the message of a login is counted. A browser that is or was logged in with
// the mailbox counts as known. Whether an account has the address plays no part, so the answer takes the same time.
func (s *Logins) loginAsker(by sandlot.Caller, known, email string) sandlot.Asker {
	a := s.vault.Asker(sandlot.Caller{From: by.From})
	if _, own, ok := by.Login(); ok && own.Email != "" && names.EmailKey(own.Email) == names.EmailKey(email) {
		a.Kind = sandlot.AskedKnown
	}
	for _, w := range s.knownWords(known) {
		if s.isOf(w, email) {
			a.Kind = sandlot.AskedKnown
		}
	}
	return a
}

// knownWords returns the words in the value from a browser, at most knownMailboxes. Anything that does not have the
// form of a word is left out.
func (s *Logins) knownWords(known string) (words []string) {
	for w := range strings.SplitSeq(known, knownSeparator) {
		if len(words) < knownMailboxes && len(w) == base64.RawURLEncoding.EncodedLen(2*knownBytes) {
			words = append(words, w)
		}
	}
	return words
}

// isOf reports whether a word belongs to the mailbox of an address.
func (s *Logins) isOf(word, address string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(word)
	return err == nil && len(b) == 2*knownBytes && hmac.Equal(b[knownBytes:], s.markOf(b[:knownBytes], address))
}

// markOf returns the second half of a word, made of its first half and a mailbox.
func (s *Logins) markOf(word []byte, address string) []byte {
	sum := s.vault.Keyed("known browser", string(word)+names.EmailKey(address))
	return sum[:knownBytes]
}
