package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sandlot"
)

// A consented is the content of an authorization code, which is this sealed: no store keeps it. The names of the fields
// are written in codes.
type consented struct {
	Account sandlot.AccountID
	Project sandlot.ProjectID
	Name    string // of the client
	Until   int64  // in microseconds since 1970
}

// errCode: the text is no code of this request.
var errCode = errors.New("no code of this request")

// codeSeal binds a code to the client_id, redirect_uri and challenge that the exchange has to prove. There is one resource, so a code need not name it.
func codeSeal(clientID, redirect, challenge string) sandlot.Seal {
	return sandlot.Seal{What: "oauth code", Of: sandlot.DigestOf(fmt.Appendf(nil, "%q", []string{clientID, redirect, challenge}))}
}

// seal makes the code of a request.
func (s *Service) seal(r Request, c consented) (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("write code: %w", err)
	}
	sealed, err := s.Vault.SealFor(codeSeal(r.ClientID, r.RedirectURI, r.Challenge), text)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// open reads a code. The hash is that of the sealed bytes, because several texts may decode to them. A code whose time
// is over comes with errCode.
func (s *Service) open(in CodeInput, now time.Time) (c consented, hash sandlot.Digest, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(in.Code)
	if err != nil {
		return c, hash, errCode
	}
	hash, challenge := sandlot.DigestOf(sealed), sha256.Sum256([]byte(in.Verifier))
	seal := codeSeal(in.ClientID, in.RedirectURI, base64.RawURLEncoding.EncodeToString(challenge[:]))
	text, err := s.Vault.UnsealFor(seal, sealed)
	if err != nil || json.Unmarshal(text, &c) != nil || !now.Before(time.UnixMicro(c.Until)) {
		return c, hash, errCode
	}
	return c, hash, nil
}
